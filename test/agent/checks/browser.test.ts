// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** Browser and multi-step checks as locations run them: a real Chromium, in isolation, at a local shop. */
import { tmpdir } from 'node:os'
import t from 'tap'
import { readZip } from '../../../agent/browser/zip.ts'
import { findRuntimes, installedModules, ownRuntimes } from '../../../agent/sandbox/runtimes.ts'
import { BrowserCheckResult, MultiStepCheckResult } from '../../../protocol/checks/script-result.ts'
import { compile } from '../../../protocol/validate.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browserRoom, cannotBrowse, leftFolders, recordsVideos } from '../../support/browser-room.ts'
import { heldTimer } from '../../support/held-timer.ts'
import { descendants } from '../../support/processes.ts'
import { shop } from '../../support/shop.ts'
import { encodedSpellings } from '../../support/spellings.ts'
import { temporaryFolder } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const skip = cannotBrowse()
const secret = 'pass word/4711+é'
/** Only the time of a whole script is so long. */
const isStop = (delayMs: number): boolean => delayMs > 60_000
const variables = [
  { key: 'PASSWORD', value: secret, secret: true },
  { key: 'GREETING', value: 'Hello Ann', secret: false },
]

/** A secret in any of its forms, in plain files and in what archives hold. */
const shows = (files: ReadonlyMap<string, Buffer>): string[] =>
  [...files].flatMap(([name, bytes]) => {
    const parts = name.endsWith('.zip') ? readZip(bytes, 1e9).map((entry) => entry.bytes) : [bytes]
    const forms = [secret, ...encodedSpellings.map(({ write }) => write(secret))]
    return forms.filter((form) => parts.some((part) => part.includes(form))).map((form) => `${name}: ${form}`)
  })

t.test('scripts with a browser and without one', { skip }, async (t) => {
  const { run, attempt, status, io } = await browserRoom(t)
  const { origin, requests } = await shop(t, secret)
  t.match(status, { library: true, version: /^\d+\./ })
  const signIn = (expected: string) => `const { chromium } = require('playwright')
const run = async () => {
  const browser = await chromium.launch()
  const page = await browser.newPage({ extraHTTPHeaders: { authorization: 'Bearer of-nobody' } })
  await page.goto('${origin}/')
  await page.fill('input', process.env.PASSWORD)
  await page.click('button')
  console.log(await page.title(), process.env.SERVICE, process.env.CHECK_NAME, process.env.TZ, process.env.API_KEY)
  console.error('the password is', process.env.PASSWORD)
  process.env.SERVICE_SECRET_SESSION = (await page.context().cookies())[0].value
  await page.goto('${origin}/broken')
  await page.goto('${origin}/account')
  await page.screenshot({ path: 'account.png' })
  expect(await page.textContent('p')).toBe(${expected})
  await browser.close()
}
run()`

  await t.test('a program of the library passes, with what the script asked to keep', async (t) => {
    const { failure, detail, log, files } = await run(signIn('process.env.GREETING'), { variables })
    t.equal(failure, null)
    t.ok(compile(BrowserCheckResult)(structuredClone(detail)).ok)
    t.match(log, /INFO Account 1 site UTC undefined/)
    t.match(log, /ERROR the password is \[secret\]/)
    t.same([...files.keys()], ['account.png'])
    t.match(detail, {
      type: 'PLAYWRIGHT',
      errors: [],
      traceSummary: { consoleErrors: 2, networkErrors: 1, documentErrors: 0, userScriptErrors: 1 },
      browserVersion: status.version,
      sandbox: status.chromium?.sandbox,
      runtimeVersion: '2026.04',
    })
    t.match(
      detail.pages.map(({ url }) => url),
      [`${origin}/`, `${origin}/account`, `${origin}/broken`, `${origin}/account`],
    )
    t.match(detail.pages[0]?.webVitals, { TTFB: { score: 'GOOD' }, FCP: { value: Number } })
    t.ok(detail.resources.peakMemoryMb > 100 && detail.resources.cpuMs > 100)
    t.match(requests[0], /^GET \/ Mozilla.* Watchpost\/\d/)
  })

  await t.test('one that fails leaves a picture and a trace, which show no secret', async (t) => {
    const { failure, detail, log, files } = await run(signIn("'Hello Bob'"), { variables })
    t.match(failure, { code: 'SCRIPT_FAILED', message: /^The script failed at line 14: .*Hello Bob/s })
    t.match(detail.errors, [/Hello Bob/])
    const { path, line, firstLine, lines } = detail.failedLine!
    t.same([path, line, firstLine, lines.length], ['script.ts', 14, 11, 7])
    t.match(lines[line - firstLine], "expect(await page.textContent('p')).toBe('Hello Bob')")
    const steps = detail.steps!.map(({ title, depth, failed }) => `${depth} ${failed} ${title}`)
    t.ok(steps.includes(`0 false page.goto ${origin}/broken`), steps.join())
    t.ok(steps.includes('0 false page.fill input'), 'without what was typed')
    t.ok(detail.steps!.every(({ startedAt }) => startedAt >= detail.startTime && startedAt <= detail.endTime))
    t.match(
      detail.pageErrors!.find(({ text }) => text === 'oh'),
      { source: 'console', url: `${origin}/broken`, line: 1 },
    )
    t.match(
      detail.pageErrors!.find(({ source }) => source === 'script'),
      { text: 'Error: x', url: `${origin}/broken` },
    )
    t.same([...files.keys()].toSorted(), ['account.png', 'page-1.png', 'trace-1.zip'])
    const names = readZip(files.get('trace-1.zip')!, 1e9).map(({ name }) => name)
    t.ok(names.includes('trace.trace') && names.includes('trace.network'), names.slice(0, 5).join())
    const network = readZip(files.get('trace-1.zip')!, 1e9).find(({ name }) => name === 'trace.network')!
    t.match(network.bytes.toString(), /authorization","value":"\[secret\]"/i)
    t.same(shows(files), [])
    const all = `${JSON.stringify(detail)}${log}${[...files.values()].map((bytes) => bytes.toString('latin1')).join('')}`
    t.notMatch(all, /pass word|of-nobody|ann-and-her-session/)
    t.notMatch(JSON.stringify(detail), tmpdir())
  })

  await t.test('what it keeps itself shows no secret either: HAR files, traces, videos', async (t) => {
    const script = `const { chromium } = require('playwright')
const browser = await chromium.launch()
const recordHar = { path: 'all.har' }
const context = await browser.newContext({ recordHar, recordVideo: { dir: 'videos' }, httpCredentials: { username: 'ann', password: process.env.PASSWORD } })
const zipped = await browser.newContext({ recordHar: { path: 'zipped.zip' }, extraHTTPHeaders: { authorization: 'Bearer of-' + 'nobody', 'x-api-key': 'of-' + 'nobody' } })
for (const each of [context, zipped]) {
  const page = await each.newPage()
  await page.goto('${origin}/')
  await page.fill('input', process.env.PASSWORD)
  await page.click('button')
  await page.goto('${origin}/api/orders?password=' + encodeURIComponent(process.env.PASSWORD) + '&form=' + Buffer.from(process.env.PASSWORD).toString('base64'))
  await each.close()
}
require('fs').writeFileSync('mine.json', JSON.stringify({ a: process.env.PASSWORD, b: Buffer.from('xy' + process.env.PASSWORD).toString('base64') }))
console.log(Buffer.from(process.env.PASSWORD).toString('hex'), JSON.stringify(process.env.PASSWORD))
await browser.close()
throw new Error(encodeURIComponent(process.env.PASSWORD))`
    const { failure, detail, log, files } = await run(script, { variables })
    t.match(failure?.message, /line 17: \[secret\]/)
    t.match([...files.keys()].toSorted(), [
      'all.har',
      'mine.json',
      /^page-1/,
      /^page-2/,
      /^trace-1/,
      /^trace-2/,
      ...(recordsVideos ? [/^videos-.*webm$/] : []),
      'zipped.zip',
    ])
    t.match(JSON.parse(files.get('all.har')!.toString()), {
      log: { entries: [{ request: { method: 'GET' } }] },
    })
    const told = new Map([...files, ['the result', Buffer.from(JSON.stringify({ failure, detail, log }))]])
    t.same(shows(told), [])
    const parts = [...told].flatMap(([name, bytes]) =>
      name.endsWith('.zip') ? readZip(bytes, 1e9).map((one) => one.bytes) : [bytes],
    )
    for (const part of parts) t.notMatch(part.toString('latin1'), /of-nobody|ann-and-her-session/)
  })

  await t.test('a file of tests runs with its files, snippets, TypeScript and steps', async (t) => {
    const script = `import { test, expect, type Page } from '@playwright/test'
import { open } from './pages/home'
import { word } from './snippets/words.js'
test.use({ userAgent: 'Mine' })
test('orders', async ({ page, request }: { page: Page; request: any }) => {
  await test.step('sign in', async () => { await open(page, process.env.PASSWORD as string) })
  expect(await page.textContent('p')).toBe(word)
  expect(await (await request.get('${origin}/api/orders')).json()).toMatchObject({ orders: 3 })
  console.log('the password is', process.env.PASSWORD)
})`
    const dependencies = [
      {
        path: 'src/checks/pages/home.ts',
        content: `import type { Page } from '@playwright/test'
export const open = async (page: Page, password: string): Promise<void> => {
  await page.goto('${origin}/')
  await page.fill('input', password)
  await page.click('button')
}`,
      },
    ]
    const snippets = [{ name: 'words', code: "exports.word = 'Hello Ann'" }]
    const change = { variables, dependencies, snippets, scriptPath: 'src/checks/home.spec.ts' }
    const { failure, log, files, detail } = await run(script, change)
    t.equal(failure, null)
    t.match(log, /Step "sign in" took \d+ ms\n.*the password is \[secret\]/)
    t.same([...files.keys()], ['report.json'])
    t.match(JSON.parse(files.get('report.json')!.toString()), { stats: { expected: 1 } })
    t.ok(requests.some((line) => /^GET \/ Mine Watchpost/.test(line)))
    t.ok(detail.pages.length >= 2)
    t.equal(detail.failedLine, null)
    const steps = detail.steps!.map(({ title, depth }) => `${depth} ${title}`)
    t.match(steps[0], /^0 orders$/)
    const signIn = steps.indexOf('1 sign in')
    t.match(steps[signIn + 1], /^2 .*\b(goto|Navigate)\b/i, steps.join())
    t.notMatch(steps.join(), /browser|context/i, 'what the runner does for itself is no step')
    t.same(shows(files), [])
  })

  await t.test('a test that fails says where, and leaves its picture, trace and report', async (t) => {
    const script = `import { test, expect } from '@playwright/test'
test('account', async ({ page }) => {
  await page.goto('${origin}/account?password=' + encodeURIComponent(process.env.PASSWORD))
  await expect(page.locator('p')).toHaveText('Hello Ann', { timeout: 300 })
})`
    const { failure, detail, files } = await run(script, { variables })
    t.match(failure, { code: 'SCRIPT_FAILED', message: /^The script failed at line 4: .*toHaveText/s })
    t.equal(detail.traceSummary.documentErrors, 1)
    t.match(detail.failedLine, { line: 4, firstLine: 1 })
    t.equal(detail.failedLine!.lines.length, 5, 'as many lines as there are')
    t.match(
      detail.steps!.filter(({ failed }) => failed).map(({ depth }) => depth),
      [0, 1],
    )
    t.match([...files.keys()].toSorted(), ['report.json', /test-failed-1\.png$/, /trace\.zip$/])
    t.same(shows(files), [])
  })

  await t.test('multi-step checks send requests, and have no browser', async (t) => {
    const script = `import { test, expect } from '@playwright/test'
test('orders', async ({ request }) => {
  const answer = await request.get('${origin}/api/orders', { headers: { authorization: process.env.PASSWORD } })
  expect(await answer.json()).toEqual({ orders: 3, token: process.env.PASSWORD })
})
test('ordinary calls', () => {
  const os = require('os')
  expect(process.memoryUsage().rss).toBeGreaterThan(1e6)
  expect([os.cpus().length > 0, Object.keys(os.networkInterfaces()).length > 0, os.userInfo().uid]).toEqual([true, true, process.getuid()])
})
test('no browser', async ({ playwright }) => {
  await expect(playwright.chromium.launch()).rejects.toThrow('This check runs without a browser')
})`
    const headers = variables.map((one) => (one.secret ? { ...one, value: 'Bearer 4711-4712' } : one))
    const passed = await run(script, { checkType: 'MULTI_STEP', variables: headers })
    t.equal(passed.failure, null)
    t.match(passed.log, /"orders" passed[\s\S]*"ordinary calls" passed[\s\S]*"no browser" passed/)
    t.same([...passed.files.keys()], ['report.json'])
    t.ok(compile(MultiStepCheckResult)(structuredClone(passed.detail)).ok)
    t.notOk('pages' in passed.detail)
    const launch = "await require('playwright').chromium.launch()"
    const refused = await run(launch, { checkType: 'MULTI_STEP' })
    t.match(refused.failure?.message, /This check runs without a browser/)
  })

  await t.test('shouldFail asks for a failure', async (t) => {
    const failing = await run("throw new Error('as it should')", { shouldFail: true })
    t.equal(failing.failure, null)
    t.match(failing.detail.errors, ['as it should'])
    const passing = await run('1', { shouldFail: true })
    t.match(passing.failure, { code: 'SCRIPT_PASSED' })
  })

  await t.test('what cannot be run says why', async (t) => {
    t.match((await run(' ')).failure?.message, /no script/)
    const outside = { dependencies: [{ path: '../../x.js', content: '' }] }
    t.match((await run('1', outside)).failure?.message, /leads out of its folder: \.\.\/\.\.\/x\.js/)
    const old = await attempt('1', { runtimeId: '2022.10' })
    t.match(old.outcome, { kind: 'could-not-run', reason: /does not have the runtime 2022\.10/ })
    t.match((await run("require('firefox-that-is-not-there')")).failure?.message, /Cannot find module/)
    t.match(
      (await run("await require('playwright').firefox.launch()")).failure?.message,
      /There is no firefox on this agent/,
    )
  })

  await t.test(
    'time that is up leaves a picture and a trace; a script that hears nothing is killed',
    async (t) => {
      const stop = heldTimer(isStop)
      const held = await browserRoom(t, { clock: stop.clock })
      const waits = `const page = await (await require('playwright').chromium.launch()).newPage()
await page.goto('${origin}/')
await page.evaluate(() => void fetch('/waits'))
await page.waitForSelector('#never', { timeout: 0 })`
      const test = `import { test } from '@playwright/test'
test('waits', async ({ page }) => {
  test.setTimeout(0)
  await page.goto('${origin}/')
  await page.evaluate(() => void fetch('/waits'))
  await page.waitForSelector('#never', { timeout: 0 })
})`
      const stopped = async (script: string) => {
        const seen = requests.length
        const running = held.run(script, { deadlineMs: 240_000 })
        await until('the page waits', () => requests.slice(seen).some((one) => one.includes('/waits')))
        stop.pass()
        return running
      }
      const soft = await stopped(waits)
      const tests = await stopped(test)
      // A busy machine takes seconds to start it, and one that has not begun is no failure.
      const waitsForNobody = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'
      const hard = await run(waitsForNobody, { deadlineMs: 25_000 })
      t.match(soft.failure, { code: 'TIMEOUT', message: 'The script was stopped: its time was up' })
      t.match([...soft.files.keys()].toSorted(), ['page-1.png', 'trace-1.zip'])
      t.match(tests.failure, { code: 'TIMEOUT' })
      t.ok(
        [...tests.files.keys()].some((name) => name.endsWith('trace.zip')),
        [...tests.files.keys()].join(),
      )
      t.match(hard.failure, { code: 'TIMEOUT' })
    },
  )

  await t.test('a run that is cancelled ends at once', async (t) => {
    const controller = new AbortController()
    const running = attempt("await require('playwright').chromium.launch()", {}, controller)
    controller.abort()
    t.match((await running).outcome, { kind: 'cancelled' })
  })

  t.same(leftFolders(), [])
  await io.browsers.end()
  t.same(descendants(process.pid, 'chromium-headle'), [], 'no browser is left, not even a dead one')
})

const older = findRuntimes(ownRuntimes).find(({ id }) => id === '2025.04')
const hasOlder = older !== undefined && installedModules(older) !== null

t.test(
  'the older runtime, by processes that waited for their scripts',
  { skip: skip || (!hasOlder && 'the packages of runtimes/2025-04 are not installed') },
  async (t) => {
    const { run } = await browserRoom(t, { prepared: 1 })
    const { origin } = await shop(t, secret)
    const tests = `import { test, expect } from '@playwright/test'
test.use({ userAgent: 'Mine' })
test('home', async ({ page }) => {
  await page.goto('${origin}/')
  expect(await page.evaluate(() => navigator.userAgent)).toMatch(/^Mine Watchpost/)
})`
    const library = (end: string) => `const browser = await require('playwright').chromium.launch()
const page = await browser.newPage()
await page.goto('${origin}/')
console.log(globalThis.left)
globalThis.left = 'something'
${end}`
    const passes = async (script: string): Promise<void> => {
      const { failure, detail, log } = await run(script, { runtimeId: '2025.04' })
      t.equal(failure, null)
      t.match(detail, { runtimeVersion: '2025.04', pages: [{ url: `${origin}/` }] })
      t.notMatch(log, /something/, 'no state survives')
    }
    await passes(library('await browser.close()'))
    const fails = library("await page.click('#nobody', { timeout: 300 })")
    const { failure, log, files } = await run(fails, { runtimeId: '2025.04' })
    t.match(failure?.message, /^The script failed at line 6: .*page\.click: Timeout 300ms.*#nobody/s)
    t.notMatch(log, /something/, 'no state survives')
    t.same([...files.keys()].toSorted(), ['page-1.png', 'trace-1.zip'])
    await passes(tests)
  },
)
