// Runs in test:all only: it opens pages in a browser.
/** The page of a failed browser check and Playwright's viewer, as a real Chromium shows them. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import t, { type Test } from 'tap'
import { findChromium } from '../../../../agent/browser/find-chromium.ts'
import { readZip, writeZip } from '../../../../agent/browser/zip.ts'
import { ownRuntimes } from '../../../../agent/sandbox/runtimes.ts'
import { testApp } from '../../../support/app.ts'
import { cannotBrowse } from '../../../support/browser-room.ts'
import {
  type BrowserPage,
  failedRun,
  openBrowser,
  type ResultFile,
  scriptDetail,
} from '../../../support/result-browser.ts'
import { httpServer } from '../../../support/servers.ts'
import { temporaryFolder } from '../../../support/test-agent.ts'
import { until } from '../../../support/until.ts'

const skip = cannotBrowse()

const planeAtItsOwnAddress = async (t: Test) => {
  const plane = await testApp(t)
  Object.assign(plane.app.config, { baseUrl: plane.url })
  return plane
}

/** A page of a shop, and its trace: a click, and something that is not there. */
const recorded = async (t: Test, origin: string) => {
  const folder = temporaryFolder(t)
  // Of the runtime, as an agent records it: the viewer is of that version, too.
  const { chromium } = createRequire(join(ownRuntimes, '2026-04', 'package.json'))('playwright-core')
  const browser: Browser = await chromium.launch({ executablePath: findChromium('/none')?.path })
  t.teardown(() => browser.close())
  const context = await browser.newContext({ viewport: { width: 900, height: 600 } })
  await context.tracing.start({ screenshots: true, snapshots: true, sources: false })
  const page = await context.newPage()
  await page.goto(`${origin}/cart`)
  await page.fill('#code', 'SPRING')
  await page.click('#redeem')
  const picture = await page.screenshot()
  await context.tracing.stop({ path: join(folder, 'trace.zip') })
  await context.close()
  return { trace: await readFile(join(folder, 'trace.zip')), picture }
}

const shopPage = `<!doctype html><meta charset="utf-8"><title>Cart</title><link rel="stylesheet" href="/style.css">
<h1>Cart</h1><input id="code"><button id="redeem">Redeem</button><p>3 pieces</p>`

const shop = (t: Test) =>
  httpServer(t, (request, response) => {
    const isStyle = request.url === '/style.css'
    response.setHeader('content-type', isStyle ? 'text/css' : 'text/html')
    response.end(isStyle ? 'h1{color:rgb(1,2,3)}' : shopPage)
  })

const filesOf = ({ trace, picture }: { trace: Buffer; picture: Buffer }): ResultFile[] => [
  { name: 'page-1.png', type: 'screenshot', contentType: 'image/png', bytes: picture },
  { name: 'trace-1.zip', type: 'trace', contentType: 'application/zip', bytes: trace },
  {
    name: 'first.pcap',
    type: 'pcap',
    contentType: 'application/vnd.tcpdump.pcap',
    bytes: Buffer.from('pcap'),
  },
]

const snapshotOf = (page: BrowserPage) => page.frames().filter((frame) => frame.url().includes('/snapshot/'))

t.test('the trace opens in the viewer, and shows what was done and how it looked', { skip }, async (t) => {
  const plane = await planeAtItsOwnAddress(t)
  const browser = await openBrowser(t)
  const server = await shop(t)
  const { link } = await failedRun(plane, {
    detail: scriptDetail(plane.app.clock.now()),
    files: filesOf(await recorded(t, server.origin)),
  })
  const before = server.connections()
  const context = await browser.newContext()
  const asked: string[] = []
  context.on('request', (request) => asked.push(request.url()))
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.goto(link)
  await page.evaluate('document.querySelector("img").scrollIntoView()')
  await until('the picture', () => page.evaluate('document.querySelector("img").naturalWidth === 900'))
  await page.getByText('Open the trace').click()
  await page.getByText('Fill').first().waitFor()
  t.match(page.url(), `${plane.url}/trace-viewer/index.html?trace=`)
  t.notMatch(page.url(), new URL(link).pathname, 'the viewer does not learn where it came from')
  await page.getByText('Fill').first().click()
  await until('the page as it was', async () => snapshotOf(page).length > 0, 200)
  const texts = async () =>
    Promise.all(snapshotOf(page).map((frame) => frame.evaluate<string>('document.body?.innerText ?? ""')))
  await until('its text', async () => (await texts()).some((text) => text.includes('3 pieces')), 200)
  const colours = await Promise.all(
    snapshotOf(page).map((frame) =>
      frame.evaluate<string>('getComputedStyle(document.querySelector("h1") ?? document.body).color'),
    ),
  )
  t.ok(colours.includes('rgb(1, 2, 3)'), 'with the style that the trace holds')
  t.equal(server.connections(), before, 'nothing is asked of the shop again')
  const elsewhere = asked.filter(
    (url) => /^https?:/.test(url) && !url.startsWith(plane.url) && !url.startsWith(server.origin),
  )
  t.same(elsewhere, [])
  t.same(
    complaints.filter((text) => /Content Security Policy/.test(text)),
    [],
    'the viewer needs no more than it may',
  )
})

t.test('a trace that was made to do harm does none', { skip }, async (t) => {
  const plane = await planeAtItsOwnAddress(t)
  const browser = await openBrowser(t)
  const server = await shop(t)
  const evil = await httpServer(t, (_, response) => response.end('evil'))
  const real = await recorded(t, server.origin)
  const { link } = await failedRun(plane, {
    detail: scriptDetail(plane.app.clock.now()),
    files: filesOf({ ...real, trace: poisoned(real.trace, evil.origin) }),
  })
  const context = await browser.newContext()
  const page = await context.newPage()
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  await page.goto(link)
  await page.getByText('Open the trace').click()
  await page.getByText('Fill').first().click()
  await until(
    'the page as it was',
    async () =>
      (
        await Promise.all(
          snapshotOf(page).map((frame) =>
            frame.evaluate<boolean>('document.body?.textContent.includes("poisoned")'),
          ),
        )
      ).includes(true),
    200,
  )
  await until(
    'its script to be refused',
    async () => refused.some((text) => /Content Security Policy/.test(text)),
    200,
  )
  for (const frame of page.frames()) t.equal(await frame.evaluate('window.owned'), undefined, frame.url())
  t.equal(evil.connections(), 0)
  t.match(page.url(), `${plane.url}/trace-viewer/`)
})

/** Every page of the trace begins with what an attacker would write. */
const poisoned = (trace: Buffer, evil: string): Buffer => {
  const nodes = [
    ['P', {}, 'poisoned'],
    ['SCRIPT', {}, 'window.owned = 1; top.owned = 1; fetch("/v1/checks")'],
    ['SCRIPT', { src: `${evil}/script.js` }],
    ['IMG', { src: `${evil}/picture.png`, onerror: 'top.owned = 2' }],
    ['IFRAME', { srcdoc: '<script>top.owned = 3</script>' }],
    ['OBJECT', { data: `${evil}/object` }],
    ['META', { 'http-equiv': 'refresh', content: `0;url=${evil}/refresh` }],
    ['LINK', { rel: 'preconnect', href: evil }],
    ['LINK', { rel: 'dns-prefetch stylesheet', href: evil }],
    [`link rel=preconnect href=${evil}`, {}],
    ['script>top.owned = 4</script', {}],
    ['STYLE', {}, `@import "${evil}/style.css"; body { background: url(${evil}/back.png) }`],
    ['svg', { onload: 'top.owned = 5' }],
  ]
  const doctype =
    'html><style>*,*::before,*::after { visibility: hidden }</style><script>top.owned = 6</script'
  const entries = readZip(trace, 1e9).map(({ name, bytes }) => {
    if (!name.endsWith('.trace')) return { name, bytes }
    const lines = bytes
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((line, index) => {
        const event = JSON.parse(line)
        if (event.type !== 'frame-snapshot') return line
        const html = ['HTML', {}, ['BODY', {}, ...nodes]]
        const own = index % 2 === 0 ? { doctype } : {}
        return JSON.stringify({ ...event, snapshot: { ...event.snapshot, html, ...own } })
      })
    return { name, bytes: Buffer.from(`${lines.join('\n')}\n`) }
  })
  return writeZip(entries)
}
