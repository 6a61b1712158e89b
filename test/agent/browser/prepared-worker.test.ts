// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** Files of tests in processes that waited for them: a runner and its worker, each used once. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { findRuntimes, installedModules, ownRuntimes } from '../../../agent/sandbox/runtimes.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browserRoom, cannotBrowse, leftFolders } from '../../support/browser-room.ts'
import { descendants } from '../../support/processes.ts'
import { shop } from '../../support/shop.ts'
import { temporaryFolder } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const skip = cannotBrowse()

/** The processes below this one that run a program of ours, by their numbers. Node names its threads, and so the process. */
const waiting = (program: 'browser-main' | 'worker-main'): number[] =>
  descendants(process.pid, 'MainThread').filter((pid) => {
    const command = commandOf(pid)
    return command.includes(`${program}.mjs`) && !command.includes('enter-isolation')
  })

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It has just ended.
    return ''
  }
}

const spec = (body: string): string => `import { test, expect } from '@playwright/test'
test('home', async ({ page, context }) => {
${body}
})`

/** Tells what another run has left: a global, a variable, files, cookies. */
const looks = `  const [{ existsSync, writeFileSync }, { tmpdir }] = [await import('node:fs'), await import('node:os')]
  const places = ['left.txt', tmpdir() + '/left.txt', process.env.HOME + '/.left']
  console.log([process.pid, 'found', String(globalThis.left), String(process.env.LEFT), ...places.filter((path) => existsSync(path)), (await context.cookies()).length].join(' '))`

const dependencies = [{ path: 'words.mts', content: "export const word: string = 'Hello'" }]

const older = findRuntimes(ownRuntimes).find(({ id }) => id === '2025.04')
const hasOlder = older !== undefined && installedModules(older) !== null

t.test('a worker that waited for a file of tests', { skip }, async (t) => {
  const { run, io } = await browserRoom(t, { prepared: 1 })
  const { origin } = await shop(t, 'x')
  const ready = (known: readonly number[] = []) =>
    until('a worker that waits', () => waiting('worker-main').some((pid) => !known.includes(pid)))

  await t.test('leaves nothing to the next one, with TypeScript in both kinds of modules', async (t) => {
    const script = spec(`${looks}
  const { word } = await import('./words.mts')
  expect(word).toBe('Hello')
  await page.goto('${origin}/')
  await context.addCookies([{ name: 'left', value: 'cookie', url: '${origin}/' }])
  globalThis.left = 'global'
  process.env.LEFT = 'variable'
  for (const path of places) writeFileSync(path, 'file')`)
    const pids = new Set<string>()
    await run(script, { dependencies })
    // On a machine that has much to do one may be there before it can be used, and another is started instead.
    let used = 0
    for (let attempt = 0; used < 1 && attempt < 6; attempt += 1) {
      await ready([...pids].map(Number))
      const waited = waiting('worker-main')
      const { failure, log, detail } = await run(script, { dependencies })
      t.equal(failure, null)
      const [, pid = '', found] = /(\d+) found (.*)/.exec(log) ?? []
      t.equal(found, 'undefined undefined 0')
      if (waited.includes(Number(pid))) used += 1
      t.notOk(pids.has(pid))
      pids.add(pid)
      t.match(detail, { pages: [{ url: `${origin}/` }], browserVersion: /^\d+/ })
      t.ok(detail.resources.cpuMs > 0 && detail.resources.peakMemoryMb > 100)
    }
    t.equal(used, 1, 'it was one that waited')
  })

  await t.test(
    'knows the variables of its check, and secrets that are made while it runs; for the tests after one that fails there is another',
    async (t) => {
      await ready()
      const variables = [
        { key: 'GREETING', value: 'Hello', secret: false },
        { key: 'SERVICE_SECRET_ONE', value: 'one-that-is-secret', secret: true },
      ]
      const script = spec(`${looks}
  console.log(process.env.GREETING, process.env.SERVICE, process.env.SERVICE_SECRET_ONE)
  process.env.SERVICE_SECRET_TWO = 'two-that-is-secret'
  await page.goto('${origin}/?two-that-is-secret')
  expect(await page.title()).toBe('Another')`)
      const passes = "test('passes', async () => { console.log('a second worker') })"
      const { failure, log, files } = await run(`${script}\n${passes}`, { variables })
      t.match(failure?.message, /line 9: .*toBe/s)
      t.match(log, /found undefined undefined 0/, 'nor has one that waited while another was used')
      t.match(log, /Hello 1 \[secret\]/)
      for (const [name, bytes] of files) t.notOk(bytes.includes('that-is-secret'), name)
      t.match(log, /a second worker/)
    },
  )

  await t.test('is left alone where a variable means something to Node as it starts', async (t) => {
    await ready()
    const waited = waiting('worker-main')
    const variables = [{ key: 'DEBUG', value: 'pw:api', secret: false }]
    const { failure, log } = await run(
      spec("  console.log(process.pid + ' runs')\n  await page.goto('about:blank')"),
      { variables },
    )
    t.equal(failure, null)
    t.notOk(waited.includes(Number(/(\d+) runs/.exec(log)?.[1])))
    t.match(log, /pw:api.*about:blank/)
  })

  await t.test('when it dies, nobody waits for a task that it cannot do', async (t) => {
    await ready()
    const [worker = 0] = waiting('worker-main')
    process.kill(worker, 'SIGKILL')
    await until('the end of its runner', () => waiting('browser-main').length === 0)
    const { failure } = await run(spec(`  await page.goto('${origin}/')`))
    t.equal(failure, null)
  })

  await t.test('ends with its runner', async () => {
    await ready()
    const [runner = 0] = waiting('browser-main')
    const [worker = 0] = waiting('worker-main')
    process.kill(runner, 'SIGKILL')
    await until('the end of the worker', () => !commandOf(worker).includes('worker-main'))
  })

  await t.test(
    'of the older runtime, too, with TypeScript in both kinds of modules',
    { skip: !hasOlder && 'the packages of runtimes/2025-04 are not installed' },
    async (t) => {
      const script = (expected: string) =>
        spec(`  const { word } = await import('./words.mts')
  await page.setContent('<p>Hello</p>')
  console.log(process.pid + ' runs')
  expect(await page.textContent('p')).toBe(word + '${expected}')`)
      const change = { runtimeId: '2025.04', dependencies } as const
      const failed = await run(script('!'), change)
      t.match(failed.failure?.message, /^The script failed at line 6: .*Received: "Hello"/s)
      t.match([...failed.files.keys()].toSorted(), ['report.json', /test-failed-1\.png$/, /trace\.zip$/])
      await until('a worker', () => waiting('worker-main').length === 1)
      const waited = waiting('worker-main')
      const { failure, log } = await run(script(''), change)
      t.equal(failure, null)
      t.ok(waited.includes(Number(/(\d+) runs/.exec(log)?.[1])), log)
    },
  )

  await t.test('ends with the agent', async (t) => {
    if (!hasOlder) await run(spec(`  await page.goto('${origin}/')`))
    await ready()
    await io.browsers.end()
    t.same([...waiting('browser-main'), ...waiting('worker-main')], [])
    t.same(leftFolders(), [])
  })
})
