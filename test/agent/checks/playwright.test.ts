// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** Playwright suites as locations run them: a real Chromium, in isolation, at a local shop. */
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { DeadlinePassed, RunCancelled } from '../../../agent/base/deadline.ts'
import { readZip } from '../../../agent/browser/zip.ts'
import { PlaywrightCheckResult } from '../../../protocol/checks/playwright-result.ts'
import { compile } from '../../../protocol/validate.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { cannotBrowse, leftFolders } from '../../support/browser-room.ts'
import { heldTimer } from '../../support/held-timer.ts'
import { descendants } from '../../support/processes.ts'
import { shop } from '../../support/shop.ts'
import { encodedSpellings } from '../../support/spellings.ts'
import { sharedSuiteRoom, suiteRoom } from '../../support/suite-room.ts'
import { tarOf } from '../../support/tar.ts'
import { temporaryFolder } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const skip = cannotBrowse()
const room = sharedSuiteRoom(t)
const secret = 'pass word/4711+é'
const variables = [{ key: 'PASSWORD', value: secret, secret: true }]

t.test('a suite of two projects, with tags, retries and a degraded test', { skip }, async (t) => {
  const { run, status } = await room()
  const { origin, requests } = await shop(t, secret)
  const config = `import { defineConfig } from '@playwright/test'; export default defineConfig({
  testDir: './tests', retries: 1, reporter: [['line'], ['html']],
  use: { baseURL: '${origin}', trace: 'off' },
  projects: [{ name: 'desktop' }, { name: 'phone', use: { viewport: { width: 400, height: 700 } } }, { name: 'other' }],
})`
  const spec = `import { test, expect } from '@playwright/test'
test.describe('shop', () => {
  test('signs in', { tag: '@smoke' }, async ({ page }) => {
    await page.goto('/')
    await page.fill('input', process.env.PASSWORD as string)
    await page.click('button')
    console.log(await page.title(), process.env.SERVICE, process.env.CI, process.env.API_KEY)
    await expect(page.locator('p')).toHaveText('Hello Ann')
  })
  test('is flaky', { tag: '@smoke' }, async ({ page }, info) => {
    await page.goto('/')
    expect(info.retry).toBe(1)
  })
  test('is slow', { tag: '@smoke-too' }, async () => {
    test.info().annotations.push({ type: 'degraded', description: 'took long' })
  })
  test('is broken', async ({ page }) => {
    await page.goto('/')
    await page.fill('input', process.env.PASSWORD as string)
    console.error('the password is', process.env.PASSWORD)
    await expect(page.locator('nav')).toBeVisible({ timeout: 100 })
  })
  test.skip('is skipped', async () => undefined)
})`
  const files = [
    { path: 'playwright.config.ts', content: config },
    { path: 'tests/shop.spec.ts', content: spec },
  ]

  await t.test('what fails is told by test, with traces that show no secret', async (t) => {
    const {
      failure,
      detail,
      log,
      files: kept,
    } = await run({ files, projects: ['desktop'], job: { variables } })
    t.match(failure, { code: 'TESTS_FAILED', message: /^1 of 5 tests failed; "shop › is broken": / })
    t.ok(compile(PlaywrightCheckResult)(structuredClone(detail)).ok)
    t.match(detail.counts, { passed: 2, failed: 1, flaky: 1, skipped: 1, degraded: 1, notRun: 0 })
    t.match(
      detail.tests.find(({ titlePath }) => titlePath.includes('is flaky')),
      {
        titlePath: ['shop.spec.ts', 'shop', 'is flaky'],
        project: 'desktop',
        file: 'shop.spec.ts',
        line: 10,
        outcome: 'flaky',
        status: 'passed',
        retries: 1,
        tags: ['@smoke'],
      },
    )
    t.match(detail.tests[0], { outcome: 'unexpected', status: 'failed', retries: 1, errors: [/toBeVisible/] })
    t.match(detail, {
      playwrightVersion: '1.58.2',
      browserVersion: status.version,
      install: null,
      runtimeVersion: '2026.04',
      engine: `node@${process.versions.node}`,
      sandbox: status.chromium?.sandbox,
    })
    t.match(log, /INFO Account 1 undefined undefined/)
    t.match(log, /INFO Suite failed: 2 passed, 1 failed, 1 flaky, 1 skipped, 1 degraded/)
    t.match(log, /the password is \[secret\]/)
    const names = [...kept.keys()]
    t.equal(names.filter((name) => name.endsWith('trace.zip')).length, 3, names.join())
    t.ok(names.includes('report.json'))
    t.ok(names.some((name) => name.endsWith('.png')))
    for (const [name, bytes] of kept) {
      const parts = name.endsWith('.zip') ? readZip(bytes, 1e9).map((entry) => entry.bytes) : [bytes]
      for (const form of [secret, ...encodedSpellings.map(({ write }) => write(secret))])
        t.notOk(
          parts.some((part) => part.includes(form)),
          `${name}: ${form}`,
        )
    }
    t.notMatch(JSON.stringify(detail), tmpdir())
    t.match(requests[0], /^GET \/ Mozilla.* Watchpost\/\d/)
    t.ok(detail.resources.peakMemoryMb > 100 && detail.resources.cpuMs > 100)
  })

  await t.test('tags narrow it down; the rest is degraded', async (t) => {
    const { failure, degraded, detail, log } = await run({ files, projects: ['phone'], tags: ['smoke-too'] })
    t.equal(failure, null)
    t.equal(degraded, true)
    t.match(
      detail.tests.map(({ titlePath, project }) => [titlePath.at(-1), project]),
      [['is slow', 'phone']],
    )
    t.match(log, /INFO Suite degraded: 1 passed, 1 degraded/)
  })

  await t.test("the command's own arguments count; a session is told", async (t) => {
    const { detail, log } = await run({
      files,
      testCommand: 'npx playwright test --project=other --reporter=dot -g "signs in"',
      job: { variables, runSource: 'TRIGGER_API' },
    })
    t.match(detail.counts, { passed: 1, failed: 0, notRun: 0 })
    t.match(log, /INFO Account 1 true undefined/)
  })

  t.same(leftFolders(), [])
  t.same(descendants(process.pid, 'chromium-headle'), [])
})

t.test(
  'a code bundle with its own packages runs without a registry, and is fetched once',
  { skip },
  async (t) => {
    const { run, bundle, fetched, cacheFolder } = await room()
    const archive = gzipSync(
      tarOf([
        { path: 'e2e/package.json', content: '{"type":"module","dependencies":{"words":"9.9.9"}}' },
        { path: 'e2e/node_modules/words/package.json', content: '{"name":"words","main":"main.js"}' },
        { path: 'e2e/node_modules/words/main.js', content: "module.exports = 'of the bundle'" },
        { path: 'e2e/conf/pw.config.js', content: "export default { testDir: '../', timeout: 9000 }" },
        { path: 'e2e/a.spec.js', content: "throw new Error('replaced by the file')" },
      ]),
    )
    const change = {
      bundle: bundle('b1', archive),
      workingDir: 'e2e',
      playwrightConfigPath: 'conf/pw.config.js',
      files: [
        {
          path: 'e2e/a.spec.js',
          content: `import { test, expect } from '@playwright/test'
import words from 'words'
test('words', async () => { expect(words).toBe('of the bundle'); expect(test.info().timeout).toBe(9000) })`,
        },
      ],
    }
    const first = await run(change)
    t.equal(first.failure, null, JSON.stringify(first.detail.errors))
    t.match(first.log, /its packages come with it/)
    t.match((await run(change)).failure, null)
    t.same(fetched, ['b1'])
    await run({ ...change, refreshCache: true, testCommand: 'exit 3' })
    t.same(fetched, ['b1', 'b1'])
    t.match(readdirSync(cacheFolder), [/^bundle-[0-9a-f]{64}$/])
    const escaping = bundle('b2', gzipSync(tarOf([{ path: '../../../../out', content: 'x' }])))
    t.match((await run({ ...change, bundle: escaping })).failure, {
      code: 'SUITE_REFUSED',
      message: /leads out of its folder/,
    })
    t.match((await run({ ...change, bundle: { ...escaping, id: 'b3', sha256: 'c'.repeat(64) } })).failure, {
      message: /does not have it/,
    })
    t.match((await run({ ...change, workingDir: 'missing' })).failure, { message: /no folder "missing"/ })
  },
)

t.test('a suite that is stopped while it runs ends softly', { skip }, async (t) => {
  const { attempt } = await room()
  const { origin, requests } = await shop(t, secret)
  const files = [
    {
      path: 'a.spec.ts',
      content: `import { test } from '@playwright/test'
test('hangs', async ({ page }) => { test.setTimeout(0); await page.goto('${origin}/'); await new Promise(() => undefined) })`,
    },
  ]
  const late = new AbortController()
  const hanging = attempt({ files }, late)
  await until('the test waits', () => requests.length > 0)
  late.abort(new DeadlinePassed(1000))
  const { outcome, files: left } = await hanging
  t.match(outcome, {
    kind: 'observed',
    observation: {
      failure: { code: 'TIMEOUT', message: 'The test command was stopped: the time of the whole run was up' },
      detail: { tests: [{ titlePath: ['a.spec.ts', 'hangs'], status: 'interrupted' }] },
    },
  })
  t.ok([...left.keys()].includes('report.json'))
  const sleeps = () => until('the test command runs', () => descendants(process.pid, 'sleep').length > 0)
  const cancelled = new AbortController()
  const cancelling = attempt({ testCommand: 'sleep 1000' }, cancelled)
  await sleeps()
  cancelled.abort(new RunCancelled())
  t.match(await cancelling, { outcome: { kind: 'cancelled' } })
  t.same(descendants(process.pid, 'sleep'), [])
  // Only the time of a whole stage is so long.
  const stop = heldTimer((delayMs) => delayMs > 60_000)
  const sleeper = await suiteRoom(t, { scriptClock: stop.clock })
  const sleeping = sleeper.run({ testCommand: 'sleep 1000', job: { deadlineMs: 240_000 } })
  await sleeps()
  stop.pass()
  t.match((await sleeping).failure, { code: 'TIMEOUT', message: /it took longer than \d minutes/ })
  t.same(leftFolders(), [])
  t.same(descendants(process.pid, 'chromium-headle'), [])
})
