// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its suites.
/** What a Playwright suite that fails leaves behind, whatever its configuration says, and the reason that it tells. */
import t from 'tap'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browsingRuntimes, recordsVideos } from '../../support/browser-room.ts'
import { runsIn } from '../../support/length.ts'
import { shop } from '../../support/shop.ts'
import { sharedSuiteRoom } from '../../support/suite-room.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

/** As `npm init playwright` writes it, without its comments and the other browsers. */
const initial = `import { defineConfig, devices } from '@playwright/test'; export default defineConfig({
  testDir: './tests',
  fullyParallel: true,
  forbidOnly: !!process.env.CI,
  retries: process.env.CI ? 2 : 0,
  workers: process.env.CI ? 1 : undefined,
  reporter: 'html',
  use: { trace: 'on-first-retry' },
  projects: [{ name: 'chromium', use: { ...devices['Desktop Chrome'] } }],
});
`

const spec = (origin: string) => `import { expect, test } from '@playwright/test'
test('fails', async ({ page }) => {
  await page.goto('${origin}/')
  await expect(page.locator('nav')).toBeVisible({ timeout: 200 })
})
test('passes', () => undefined)`

const ownWay = (origin: string) => `import { test } from '@playwright/test'
import { click } from './pages/home'
test.use({ trace: 'off', video: 'retain-on-failure' })
test('fails in a helper when its time is up', async ({ page }) => {
  test.setTimeout(8000)
  await page.goto('${origin}/')
  await click(page)
})`

const helper = `export const click = async (page) => {
  await page.getByRole('button', { name: 'nobody' }).click()
}`

const room = sharedSuiteRoom(t)

for (const { id: runtimeId, isNewest, skip } of browsingRuntimes())
  t.test(`suites that fail, in ${runtimeId}`, { skip }, async (t) => {
    const { run } = await room()
    const { origin } = await shop(t, 'secret')
    const job = { runtimeId }
    const files = [
      { path: 'playwright.config.ts', content: initial },
      { path: 'tests/shop.spec.ts', content: spec(origin) },
      { path: 'tests/own.spec.ts', content: ownWay(origin) },
      { path: 'tests/pages/home.ts', content: helper },
    ]

    await t.test(
      'every test that fails leaves a trace and a picture, and its video if it wants one',
      async (t) => {
        const {
          failure,
          detail,
          log,
          files: kept,
        } = await run({ files, testCommand: 'npx playwright test --trace off', job })
        t.match(failure?.message, /^2 of 3 tests failed; "fails in a helper.*\n {4}at pages\/home\.ts:2$/s)
        t.match(
          detail.tests.find(({ titlePath }) => titlePath.includes('fails in a helper when its time is up'))
            ?.errors,
          [/locator\.click: Test timeout of 8000ms.*name: 'nobody'.*\n {4}at pages\/home\.ts:2$/s],
        )
        const names = [...kept.keys()].toSorted()
        t.equal(names.filter((name) => name.endsWith('trace.zip')).length, 2, names.join())
        t.equal(names.filter((name) => name.endsWith('.png')).length, 2, names.join())
        const videos = names.filter((name) => name.endsWith('.webm'))
        t.match(videos, recordsVideos ? [/own-fails-in-a-helper.*video\.webm$/] : [])
        t.equal(/No video was recorded/.test(log), !recordsVideos)
      },
    )

    if (isNewest || runsIn('long'))
      await t.test('by what its configuration says, too, if its command says nothing', async (t) => {
        const { failure, files: kept } = await run({ files: files.slice(0, 2), job })
        t.match(failure?.message, /^1 of 2 tests failed; "fails": /)
        const names = [...kept.keys()].filter((name) => /\.(?:zip|png|webm)$/.test(name)).toSorted()
        t.match(names, [/\.png$/, /trace\.zip$/])
        t.equal(names.length, 2, names.join())
      })

    await t.test('a configuration that cannot be read says where', async (t) => {
      const broken = {
        path: 'playwright.config.ts',
        content: "export default {\n  testDir: 'tests',\n  use: {{\n}\n",
      }
      const { failure } = await run({ files: [...files.slice(1), broken], job })
      t.match(failure, {
        code: 'SUITE_FAILED',
        message: /ended with exit code 1: SyntaxError: .*playwright\.config\.ts: .*\(3:\d+\)/s,
      })
      t.notMatch(failure?.message, /\n\s+at /)
    })

    await t.test('a file of tests that cannot be read says where', async (t) => {
      const broken = {
        path: 'tests/broken.spec.ts',
        content: "import { test } from '@playwright/test'\ntest('a', () => {{)",
      }
      const { failure } = await run({ files: [...files, broken], job })
      t.match(failure, {
        code: 'SUITE_FAILED',
        message: /^SyntaxError: .*broken\.spec\.ts: Unexpected token.*\(2:\d+\)/s,
      })
    })

    await t.test('a server of its own is refused', async (t) => {
      const serving = initial.replace(
        "reporter: 'html',",
        "reporter: 'html', webServer: { command: 'node server.js', port: 3000 },",
      )
      const { failure } = await run({
        files: [{ path: 'playwright.config.ts', content: serving }, ...files.slice(1)],
        job,
      })
      t.match(
        failure?.message,
        /: Error: The configuration starts a server \(webServer\), and nothing can connect to a program of a run: .* deployed$/,
      )
    })
  })

t.test('an install that fails says what npm said', { skip: browsingRuntimes()[0]!.skip }, async (t) => {
  const { run } = await room()
  const files = [{ path: 'package.json', content: '{}' }]
  const { failure } = await run({ files, installCommand: 'npm ci' })
  t.match(failure, {
    code: 'INSTALL_FAILED',
    message:
      /^The install command ended with exit code 1: The `npm ci` command can only install with an existing package-lock\.json .* try again\.$/s,
  })
})
