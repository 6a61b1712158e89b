// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** What browser and multi-step checks say of why they failed, in the newest and the oldest runtime: the action, with its file and line. */
import t from 'tap'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browsingRuntimes, sharedRoom } from '../../support/browser-room.ts'
import { runsIn } from '../../support/length.ts'
import { shop } from '../../support/shop.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const helper = `import { expect, type Page } from '@playwright/test'
export const click = async (page: Page, options = {}) => {
  await page.getByRole('button', { name: 'nobody' }).click(options)
}
export const look = async (page: Page) => {
  await expect(page.locator('nav')).toBeVisible({ timeout: 300 })
}`

/** Each test that fails takes a worker of its own, so that of older runtimes only one of a kind is asked, unless in a long run. */
const ofHelpers = `test('a helper fails', ({ page }) => look(page))
test('a helper fails in a step that is boxed', async ({ page }) => {
  await test.step('boxed', () => click(page, { timeout: 300 }), { box: true })
})
`

const tests = (origin: string, more: string) => `import { test } from '@playwright/test'
import { click, look } from './pages/home'
test.describe.configure({ timeout: 8000 })
test.beforeEach(({ page }) => page.goto('${origin}/'))
test('time is up in an action', async ({ page }) => {
  await page.click('#nobody')
})
test('time is up in a helper, in a step that is boxed', async ({ page }) => {
  await test.step('boxed', () => click(page), { box: true })
})
test('time is up in nothing', async ({ page }) => {
  await new Promise(() => undefined)
})
${more}`

const room = sharedRoom(t)

for (const { id: runtimeId, isNewest, skip } of browsingRuntimes())
  t.test(`causes, in ${runtimeId}`, { skip }, async (t) => {
    const { run } = await room()
    const { origin } = await shop(t, 'secret')
    const dependencies = [{ path: 'pages/home.ts', content: helper }]

    await t.test('of tests', async (t) => {
      const hasHelpers = isNewest || runsIn('long')
      const { failure, detail } = await run(tests(origin, hasHelpers ? ofHelpers : ''), {
        runtimeId,
        dependencies,
        // A busy machine takes a minute and more for so many workers.
        deadlineMs: 240_000,
      })
      t.match(
        failure?.message,
        /^The script failed at line 6: .*page\.click: Test timeout of 8000ms.*#nobody/s,
      )
      t.match(detail.failedLine, { path: 'script.ts', line: 6 })
      t.match(detail.errors, [
        /page\.click: Test timeout.*#nobody.*\n {4}at script\.ts:6$/s,
        /locator\.click: Test timeout.*name: 'nobody'.*\n {4}at pages\/home\.ts:3$/s,
        /^Test timeout of 8000ms exceeded after ".+"\n {4}at script\.ts:4$/,
        ...(hasHelpers
          ? [
              /toBeVisible.*locator\('nav'\).*\n {4}at pages\/home\.ts:6$/s,
              /locator\.click: Timeout 300ms.*name: 'nobody'.*\n {4}at pages\/home\.ts:3$/s,
            ]
          : []),
      ])
    })

    await t.test('of programs, which may catch their error and leave', async (t) => {
      const script = `const { chromium } = require('playwright')
const { click } = require('./pages/home')
const run = async () => {
  const page = await (await chromium.launch()).newPage()
  await page.goto('${origin}/')
  await click(page, { timeout: 300 })
}
run().catch((error) => {
  console.error(error.message)
  process.exit(3)
})`
      const { failure, detail, files } = await run(script, { runtimeId, dependencies })
      t.match(
        failure?.message,
        /^The script failed at line 3 of pages\/home\.ts: it ended with exit code 3 after TimeoutError: locator\.click.*'nobody'/s,
      )
      t.match(detail.failedLine, { path: 'pages/home.ts', line: 3 })
      t.same([...files.keys()].toSorted(), ['page-1.png', 'trace-1.zip'])
    })

    await t.test('of one whose time is up', async (t) => {
      const script = `const page = await (await require('playwright').chromium.launch()).newPage()
await page.goto('${origin}/')
await page.waitForSelector('#never', { timeout: 0 })`
      const { failure } = await run(script, { runtimeId, deadlineMs: 30_000 })
      t.match(failure, {
        code: 'TIMEOUT',
        message: /time was up after 20 s; at line 3: page\.waitForSelector.* was under way$/,
      })
    })
  })
