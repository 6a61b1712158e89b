// Runs in test:all only: it starts a browser for each of its scripts.
/** Both programs as they are started, a browser check and a multi-step check at a local shop, a suite of a client, and what their results show. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { readZip } from '../../agent/browser/zip.ts'
import type { CheckResult } from '../../control-plane/monitoring/results/schema.ts'
import type { BrowserCheckResult } from '../../protocol/checks/script-result.ts'
import { callApi } from '../support/api.ts'
import { letChildrenThrough } from '../support/attempts.ts'
import { cannotBrowse, recordsVideos } from '../support/browser-room.ts'
import { sdkSuite } from '../support/client-check-bodies.ts'
import { firstResult } from '../support/first-result.ts'
import { type JourneyPrograms, journeyPrograms } from '../support/journey-programs.ts'
import { openTrace } from '../support/playwright-trace.ts'
import { apiKey, scratchFolder } from '../support/programs.ts'
import { shop } from '../support/shop.ts'
import { tarOf } from '../support/tar.ts'
import { until } from '../support/until.ts'

letChildrenThrough()

let programs: Promise<JourneyPrograms> | undefined
/** The same for both tests, until the file ends. */
const started = (): Promise<JourneyPrograms> => {
  programs ??= journeyPrograms(t)
  return programs
}

t.test('a shop is watched by a browser and by requests', { skip: cannotBrowse() }, async (t) => {
  const password = 'the-password-of-ann'
  const { origin } = await shop(t, password)
  const { url, create } = await started()
  await create('/v1/variables', { key: 'PASSWORD', value: password, secret: true })
  await create('/v1/snippets', {
    name: 'sign-in',
    script: `exports.signIn = async (page) => {
  await page.goto('${origin}/')
  await page.fill('input', process.env.PASSWORD)
  await page.click('button')
}`,
  })
  const script = `import { test, expect } from '@playwright/test'
import { signIn } from './snippets/sign-in.js'
test.use({ video: 'on' })
test('account', async ({ page }) => {
  await signIn(page)
  await expect(page.locator('p')).toHaveText('Hello Bob', { timeout: 500 })
})`
  const runtimeId = '2026.04'
  const failed = await firstResult(t, url, '/v1/checks/browser', { name: 'account', script, runtimeId })
  t.match(failed, {
    hasFailures: true,
    hasErrors: false,
    error: /^The script failed at line 6: /,
    multiStepCheckResult: null,
    browserCheckResult: {
      type: 'PLAYWRIGHT',
      runtimeVersion: runtimeId,
      browserVersion: /^\d+\./,
      pages: [{ url: `${origin}/`, webVitals: { TTFB: { value: Number } } }, {}],
    },
  })
  const path = `/v2/check-results/${failed.checkId}`
  const stored = async (): Promise<BrowserCheckResult> => {
    const page = await callApi<{ entries: CheckResult[] }>(url, path)
    return page.body.entries.at(-1)?.['browserCheckResult'] as BrowserCheckResult
  }
  await until('its files', async () => (await stored()).jobAssets?.length === (recordsVideos ? 4 : 3), 200)
  const detail = await stored()
  t.match(detail.playwrightTestJsonReportFile, /report\.json$/)
  const download = async (address = ''): Promise<Buffer> => {
    const answer = await fetch(url + new URL(address).pathname, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    t.equal(answer.status, 200)
    return Buffer.from(await answer.arrayBuffer())
  }
  const picture = await download(detail.jobAssets?.find((address) => address.endsWith('.png')))
  t.match(picture.subarray(1, 4).toString(), 'PNG')
  t.equal(detail.playwrightTestVideos.length, recordsVideos ? 1 : 0)
  for (const address of detail.playwrightTestVideos) {
    const video = await download(address)
    // EBML, and the kind of document that follows it: the beginning of every WebM.
    t.equal(video.readUInt32BE(0), 0x1a45dfa3)
    t.ok(video.subarray(0, 64).includes('webm') && video.length > 2000)
  }
  const report = JSON.parse((await download(detail.playwrightTestJsonReportFile ?? '')).toString())
  t.match(report, { stats: { unexpected: 1 } })

  const bytes = await download(detail.playwrightTestTraces[0])
  const zip = join(await scratchFolder(t), 'trace.zip')
  await writeFile(zip, bytes)
  const opened = await openTrace(zip)
  t.match(
    opened.actions.filter(({ method }) => ['goto', 'fill', 'click', 'expect'].includes(method)),
    [
      { method: 'goto', params: { url: `${origin}/` } },
      { method: 'fill', params: { value: '[secret]' } },
      { method: 'click' },
      { method: 'expect' },
    ],
  )
  t.match(opened.errorDescriptors[0]?.message, /toHaveText/)
  t.ok(
    opened.resources.some(
      ({ request, response }) => request.url === `${origin}/account` && response.status === 200,
    ),
  )
  t.ok(opened.snapshots > 0, 'each step has its page')
  t.ok(opened.pages.some(({ screencastFrames }) => screencastFrames.length > 0))
  const trace = readZip(bytes, 1e9)
  t.same(
    trace.filter(({ bytes }) => bytes.includes(password)).map(({ name }) => name),
    [],
  )

  const requests = `const { request } = require('playwright')
const api = await request.newContext({ baseURL: '${origin}' })
console.log((await (await api.get('/api/orders')).json()).orders)`
  const passed = await firstResult(t, url, '/v1/checks/multistep', {
    name: 'orders',
    script: requests,
    runtimeId,
  })
  t.match(passed, {
    hasFailures: false,
    hasErrors: false,
    browserCheckResult: null,
    multiStepCheckResult: { errors: [], jobLog: [{ msg: '3' }] },
  })
  const analytics = await callApi(
    url,
    `/v1/analytics/browser-checks/${failed.checkId}?metrics=TTFB_avg,consoleErrors_sum`,
  )
  t.match(analytics, {
    status: 200,
    body: { series: [{ data: [{ consoleErrors_sum: 0, TTFB_avg: Number }] }] },
  })
})

t.test(
  'a suite that the Go SDK made runs the bundle that it uploaded',
  { skip: cannotBrowse() },
  async (t) => {
    const { url } = await started()
    const content = `import { expect, test } from '@playwright/test'
test('shop', async ({ page }) => {
  await page.setContent('<h1>Shop</h1>')
  await expect(page.locator('h1')).toHaveText(process.env.TITLE)
})`
    const archive = gzipSync(
      tarOf([
        { path: 'package.json', content: '{}' },
        { path: 'package-lock.json', content: '{"lockfileVersion": 3}' },
        { path: 'playwright.config.ts', content: "export default { projects: [{ name: 'chromium' }] }" },
        { path: 'shop.spec.ts', content },
      ]),
    )
    const upload = await fetch(`${url}/next/checkly-storage/upload-code-bundle`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(archive),
    })
    const { key } = (await upload.json()) as { key: string }
    const result = await firstResult(t, url, '/v1/checks/playwright', {
      ...sdkSuite,
      codeBundlePath: key,
      privateLocations: ['local'],
      environmentVariables: [{ key: 'TITLE', value: 'Shop', locked: false }],
    })
    const seen = {
      errors: [],
      counts: { passed: 1, failed: 0 },
      engine: /^node@24\./,
      playwrightVersion: /^1\./,
    }
    t.match(result, { hasFailures: false, hasErrors: false, playwrightCheckResult: seen })
  },
)
