// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** Files of tests and programs, told apart by what they do, judged by what becomes of them, and free to trace themselves. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browsingRuntimes, sharedRoom } from '../../support/browser-room.ts'
import { runsIn } from '../../support/length.ts'
import { openTrace } from '../../support/playwright-trace.ts'
import { shop } from '../../support/shop.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const folder = temporaryFolder(t)
process.env['TMPDIR'] = folder
letChildrenThrough()

/** Titles of what a trace shows, by the viewer of the newest runtime. */
const actionsOf = async (bytes: Buffer): Promise<string> => {
  const path = join(folder, 'opened.zip')
  writeFileSync(path, bytes)
  const { actions } = await openTrace(path)
  return actions
    .map(({ method, params }) => `${method} ${params['url'] ?? params['selector'] ?? ''}`)
    .join('\n')
}

/** In a worker of its own each time, which older runtimes are not asked for, unless in a long run. */
const failsTwice = `test.describe('again', () => {
  test.describe.configure({ retries: 1 })
  test('stays', ({}, info) => expect(info.retry).toBe(2))
})`

const room = sharedRoom(t)

for (const { id: runtimeId, isNewest, skip } of browsingRuntimes())
  t.test(`styles, in ${runtimeId}`, { skip }, async (t) => {
    const { run } = await room()
    const { origin, requests } = await shop(t, 'secret')
    const askedSince = (seen: number): number =>
      requests.slice(seen).filter((one) => one.startsWith('GET / ')).length

    await t.test(
      'a file of tests is what declares some, by whatever name; one that passes when it is tried again has passed',
      async (t) => {
        const seen = requests.length
        const dependencies = [
          {
            path: 'own.ts',
            content: `import { test } from '@playwright/test'
export { expect } from '@playwright/test'
export const check = test.extend<{ home: string }>({ home: '${origin}/' })`,
          },
        ]
        const script = `import { check, expect } from './own'
check.describe.configure({ retries: 1 })
check('home', async ({ page, home }) => { await page.goto(home) })
check('flaky', ({}, info) => expect(info.retry).toBe(1))`
        const { failure, detail, log, files } = await run(script, { runtimeId, dependencies })
        t.equal(failure, null)
        t.same(detail.errors, [])
        t.match(log, /INFO Test "home" passed/)
        t.match(log, /WARN Test "flaky" failed after \d+ ms, and is tried again/)
        t.ok(files.has('report.json'))
        t.equal(askedSince(seen), 1)
      },
    )

    const program = (last: string) => `import { chromium, expect } from '@playwright/test'
const browser = await chromium.launch()
const context = await browser.newContext()
const page = await context.newPage()
await context.tracing.start({ snapshots: true })
await page.goto('${origin}/')
const isTrue = /x/
  .test('x')
if (/x/.test('x')) expect(isTrue).toBe(true)
await context.tracing.stop({ path: 'own.zip' })
await context.tracing.start({ snapshots: true })
await page.goto('${origin}/broken')
${last}
await context.tracing.stop({ path: 'second.zip' })
await browser.close()`

    await t.test(
      'a program that only looks like a file of tests is run once, as a program, and may trace itself',
      async (t) => {
        const seen = requests.length
        const { failure, log, files } = await run(program(''), { runtimeId })
        t.equal(failure, null, log)
        t.notMatch(log, /Test "|No tests found/)
        t.equal(askedSince(seen), 1)
        t.same([...files.keys()].toSorted(), ['own.zip', 'second.zip'])
        t.match(await actionsOf(files.get('own.zip')!), /goto .*\/$/)
        t.notMatch(await actionsOf(files.get('own.zip')!), /broken/)
      },
    )

    await t.test('it leaves what it recorded if it fails before its end', async (t) => {
      const { files } = await run(program("await page.click('#nobody', { timeout: 300 })"), { runtimeId })
      t.same([...files.keys()].toSorted(), ['own.zip', 'page-1.png', 'trace-1.zip'])
      t.match(await actionsOf(files.get('trace-1.zip')!), /goto .*\/broken\nclick #nobody/)
    })

    await t.test(
      'a test may, too; one that fails twice has failed with what it failed with last',
      async (t) => {
        const again = isNewest || runsIn('long')
        const script = `import { expect, test } from '@playwright/test'
for (const [name, last, timeout] of [['passes', 'body', 30000], ['fails', '#nobody', 300]])
  test(name, async ({ page, context }) => {
    await context.tracing.start({ snapshots: true })
    await page.goto('${origin}/')
    await context.tracing.stopChunk({ path: name + '-chunk.zip' })
    await context.tracing.startChunk()
    await page.click(last, { timeout })
    await context.tracing.stop({ path: name + '-own.zip' })
  })
${again ? failsTwice : ''}`
        const { failure, detail, files } = await run(script, { runtimeId })
        t.match(failure?.message, /at line 8: .*#nobody/s)
        t.match(detail.errors, again ? [/#nobody/, /Received: 1/] : [/#nobody/])
        t.equal(detail.errors.length, again ? 2 : 1)
        const names = [...files.keys()].filter((name) => name.endsWith('.zip')).toSorted()
        const ofStays = names.filter((name) => name.includes('stays'))
        t.match(
          names.filter((name) => !ofStays.includes(name)),
          ['fails-chunk.zip', 'passes-chunk.zip', 'passes-own.zip', /-fails-trace\.zip$/],
        )
        t.match(await actionsOf(files.get('passes-chunk.zip')!), /goto/)
        t.match(await actionsOf(files.get('passes-own.zip')!), /click body/)
        t.match(
          await actionsOf(files.get(names.find((name) => name.endsWith('-fails-trace.zip'))!)!),
          /click #nobody/,
        )
      },
    )
  })
