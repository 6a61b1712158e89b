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

t.test('a worker that waited for a file of tests', { skip }, async (t) => {
  const { run, io } = await browserRoom(t, { prepared: 1 })
  const { origin } = await shop(t, 'x')
  const ready = (known: readonly number[] = []) =>
    until('a worker that waits', () => waiting('worker-main').some((pid) => !known.includes(pid)))

  await t.test('leaves nothing to the next one', async (t) => {
    const script = spec(`  await page.goto('${origin}/')
  await context.addCookies([{ name: 'left', value: 'cookie', url: '${origin}/' }])
  const { existsSync, writeFileSync } = await import('node:fs')
  const { tmpdir } = await import('node:os')
  const files = ['left.txt', tmpdir() + '/left.txt', process.env.HOME + '/.left'].filter((path) => existsSync(path))
  console.log([process.pid, 'found', String(globalThis.left), String(process.env.LEFT), ...files, (await context.cookies()).length].join(' '))
  globalThis.left = 'global'
  process.env.LEFT = 'variable'
  for (const path of ['left.txt', tmpdir() + '/left.txt', process.env.HOME + '/.left']) writeFileSync(path, 'file')`)
    const pids = new Set<string>()
    await run(script)
    // On a machine that has much to do one may be there before it can be used, and another is started instead.
    let used = 0
    for (let attempt = 0; used < 2 && attempt < 6; attempt += 1) {
      await ready([...pids].map(Number))
      const waited = waiting('worker-main')
      const { failure, log, detail } = await run(script)
      t.equal(failure, null)
      const [, pid = '', found] = /(\d+) found (.*)/.exec(log) ?? []
      t.equal(found, 'undefined undefined 1')
      if (waited.includes(Number(pid))) used += 1
      t.notOk(pids.has(pid))
      pids.add(pid)
      t.match(detail, { pages: [{ url: `${origin}/` }], browserVersion: /^\d+/ })
      t.ok(detail.resources.cpuMs > 0 && detail.resources.peakMemoryMb > 100)
    }
    t.equal(used, 2, 'they were ones that waited')
  })

  await t.test('knows the variables of its check, and secrets that are made while it runs', async (t) => {
    await ready()
    const variables = [
      { key: 'GREETING', value: 'Hello', secret: false },
      { key: 'SERVICE_SECRET_ONE', value: 'one-that-is-secret', secret: true },
    ]
    const script =
      spec(`  console.log(process.env.GREETING, process.env.SERVICE, process.env.SERVICE_SECRET_ONE)
  process.env.SERVICE_SECRET_TWO = 'two-that-is-secret'
  await page.goto('${origin}/?two-that-is-secret')
  expect(await page.title()).toBe('Another')`)
    const { failure, log, files } = await run(script, { variables })
    t.match(failure?.message, /line 6: .*toBe/s)
    t.match(log, /Hello 1 \[secret\]/)
    for (const [name, bytes] of files) t.notOk(bytes.includes('that-is-secret'), name)
  })

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

  await t.test('starts others for tests that fail, and for those after it', async (t) => {
    await ready()
    const { failure, log } = await run(`import { test } from '@playwright/test'
test('fails', async () => { throw new Error('as it should') })
test('passes', async () => { console.log('a second worker') })`)
    t.match(failure?.message, /as it should/)
    t.match(log, /a second worker/)
  })

  await t.test('when it dies, nobody waits for a task that it cannot do', async (t) => {
    await ready()
    const [worker = 0] = waiting('worker-main')
    process.kill(worker, 'SIGKILL')
    await until('the end of its runner', () => waiting('browser-main').length === 0)
    const { failure } = await run(spec(`  await page.goto('${origin}/')`))
    t.equal(failure, null)
  })

  await t.test('ends with its runner, and with the agent', async (t) => {
    await ready()
    const [runner = 0] = waiting('browser-main')
    const [worker = 0] = waiting('worker-main')
    process.kill(runner, 'SIGKILL')
    await until('the end of the worker', () => !commandOf(worker).includes('worker-main'))
    await run(spec(`  await page.goto('${origin}/')`))
    await ready()
    await io.browsers.end()
    t.same([...waiting('browser-main'), ...waiting('worker-main')], [])
    t.same(leftFolders(), [])
  })
})

const older = findRuntimes(ownRuntimes).find(({ id }) => id === '2025.04')
const hasOlder = older !== undefined && installedModules(older) !== null

t.test(
  'a worker of the older runtime, with TypeScript in both kinds of modules',
  { skip: skip || (!hasOlder && 'the packages of runtimes/2025-04 are not installed') },
  async (t) => {
    const { run } = await browserRoom(t, { prepared: 1 })
    const dependencies = [{ path: 'words.mts', content: "export const word: string = 'Hello'" }]
    const script = `import { test, expect } from '@playwright/test'
test('home', async ({ page }) => {
  const { word } = await import('./words.mts')
  await page.setContent('<p>Hello</p>')
  expect(await page.textContent('p')).toBe(word)
  console.log(process.pid + ' runs')
})`
    for (const runtimeId of ['2025.04', '2026.04'] as const) {
      await run(script, { runtimeId, dependencies })
      await until('a worker', () => waiting('worker-main').length === 1)
      const waited = waiting('worker-main')
      const { failure, log } = await run(script, { runtimeId, dependencies })
      t.equal(failure, null)
      t.ok(waited.includes(Number(/(\d+) runs/.exec(log)?.[1])), `${runtimeId}: ${log}`)
    }
  },
)
