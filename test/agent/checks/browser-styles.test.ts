// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** Files of tests and programs, told apart by what they do, judged by what becomes of them, and free to trace themselves. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browserRoom, browsingRuntimes } from '../../support/browser-room.ts'
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

for (const { id: runtimeId, skip } of browsingRuntimes())
  t.test(`styles, in ${runtimeId}`, { skip }, async (t) => {
    const { run } = await browserRoom(t)
    const { origin, requests } = await shop(t, 'secret')

    await t.test('a test that passes when it is tried again has passed', async (t) => {
      const script = `import { expect, test } from '@playwright/test'
test.describe.configure({ retries: 1 })
test('flaky', ({}, info) => expect(info.retry).toBe(1))`
      const flaky = await run(script, { runtimeId })
      t.equal(flaky.failure, null)
      t.same(flaky.detail.errors, [])
      t.match(flaky.log, /WARN Test "flaky" failed after \d+ ms, and is tried again/)
      const { failure, detail } = await run(script.replace('toBe(1)', 'toBe(2)'), { runtimeId })
      t.match(failure?.message, /^The script failed at line 3: .*Received: 1/s)
      t.equal(detail.errors.length, 1, 'what its last attempt failed with')
    })

    await t.test('a file of tests is what declares some, by whatever name', async (t) => {
      const seen = requests.length
      const dependencies = [
        {
          path: 'own.ts',
          content: `import { test } from '@playwright/test'
export const check = test.extend<{ home: string }>({ home: '${origin}/' })`,
        },
      ]
      const script = `import { check } from './own'
check('home', async ({ page, home }) => { await page.goto(home) })`
      const { failure, log, files } = await run(script, { runtimeId, dependencies })
      t.equal(failure, null)
      t.match(log, /INFO Test "home" passed/)
      t.ok(files.has('report.json'))
      t.equal(requests.slice(seen).filter((one) => one.startsWith('GET / ')).length, 1)
    })

    await t.test('a program that only looks like one is run once, as a program', async (t) => {
      const seen = requests.length
      const script = `import { chromium, expect } from '@playwright/test'
const browser = await chromium.launch()
const page = await browser.newPage()
await page.goto('${origin}/')
const isTrue = /x/
  .test('x')
if (/x/.test('x')) expect(isTrue).toBe(true)
await browser.close()`
      const { failure, log } = await run(script, { runtimeId })
      t.equal(failure, null, log)
      t.notMatch(log, /Test "|No tests found/)
      t.equal(requests.slice(seen).filter((one) => one.startsWith('GET / ')).length, 1)
    })

    await t.test(
      'a program may trace itself, and leaves what it recorded if it fails before its end',
      async (t) => {
        const script = (last: string) => `const browser = await require('playwright').chromium.launch()
const context = await browser.newContext()
const page = await context.newPage()
await context.tracing.start({ snapshots: true })
await page.goto('${origin}/')
await context.tracing.stop({ path: 'own.zip' })
await context.tracing.start({ snapshots: true })
await page.goto('${origin}/broken')
${last}
await context.tracing.stop({ path: 'second.zip' })
await browser.close()`
        const passed = await run(script(''), { runtimeId })
        t.equal(passed.failure, null)
        t.same([...passed.files.keys()].toSorted(), ['own.zip', 'second.zip'])
        t.match(await actionsOf(passed.files.get('own.zip')!), /goto .*\/$/)
        t.notMatch(await actionsOf(passed.files.get('own.zip')!), /broken/)
        const failed = await run(script("await page.click('#nobody', { timeout: 300 })"), { runtimeId })
        t.same([...failed.files.keys()].toSorted(), ['own.zip', 'page-1.png', 'trace-1.zip'])
        t.match(await actionsOf(failed.files.get('trace-1.zip')!), /goto .*\/broken\nclick #nobody/)
      },
    )

    await t.test('a test may, too', async (t) => {
      const script = `import { test } from '@playwright/test'
for (const [name, last, timeout] of [['passes', 'body', 30000], ['fails', '#nobody', 300]])
  test(name, async ({ page, context }) => {
    await context.tracing.start({ snapshots: true })
    await page.goto('${origin}/')
    await context.tracing.stopChunk({ path: name + '-chunk.zip' })
    await context.tracing.startChunk()
    await page.click(last, { timeout })
    await context.tracing.stop({ path: name + '-own.zip' })
  })`
      const { failure, detail, files } = await run(script, { runtimeId })
      t.match(failure?.message, /at line 8: .*#nobody/s)
      t.equal(detail.errors.length, 1)
      const names = [...files.keys()].filter((name) => name.endsWith('.zip')).toSorted()
      t.match(names, ['fails-chunk.zip', 'passes-chunk.zip', 'passes-own.zip', /-fails-trace\.zip$/])
      t.match(await actionsOf(files.get('passes-chunk.zip')!), /goto/)
      t.match(await actionsOf(files.get('passes-own.zip')!), /click body/)
      t.match(await actionsOf(files.get(names[3]!)!), /click #nobody/)
    })
  })
