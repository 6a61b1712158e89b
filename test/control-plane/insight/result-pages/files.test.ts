/** Files of a result by its page's address, and the short-lived address of one of them. */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { resultLink } from '../../../../control-plane/alerting/messages/result-link.ts'
import { fileLink, fileLinkMs } from '../../../../control-plane/insight/result-pages/file-token.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { failedRun, type ResultFile, scriptDetail } from '../../../support/result-browser.ts'
import { temporaryFolder } from '../../../support/test-agent.ts'

const dayMs = 86_400_000
const browser = { accept: 'text/html' }
const file = (name: string, type: string, contentType: string): ResultFile => ({
  ...{ name, type, contentType },
  bytes: Buffer.from(`bytes of ${name}`),
})
const files = [
  file('page.png', 'screenshot', 'image/png'),
  file('photo.jpg', 'screenshot', 'image/jpeg'),
  file('film.webm', 'video', 'video/webm'),
  file('trace.zip', 'trace', 'application/zip'),
  file('page.html', 'file', 'text/html'),
  file('drawing.svg', 'screenshot', 'image/svg+xml'),
  file('x"; \r\nx: y.har', 'file', 'application/json'),
  file('first.pcap', 'pcap', 'application/vnd.tcpdump.pcap'),
]

const get = (plane: TestApp, url: string, headers: Record<string, string> = {}) =>
  plane.call('GET', url.replace(plane.app.config.baseUrl, ''), { key: null, headers })

/** Not followed: it leads to the installation's own address. */
const redirected = (plane: TestApp, url: string): Promise<Response> =>
  fetch(url.replace(plane.app.config.baseUrl, plane.url), { headers: browser, redirect: 'manual' })

const stored = async (plane: TestApp) =>
  failedRun(plane, { detail: scriptDetail(plane.app.clock.now()), files })

/** Changes the last letter, whose lowest bits all count. */
const altered = (url: string): string => url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))

t.test('pictures and videos have types that we know, all else is for keeping', async (t) => {
  const plane = await testApp(t)
  const { link } = await stored(plane)
  const shown = ['image/png', 'image/jpeg', 'video/webm', null, null, null, null, null]
  for (const [position, type] of shown.entries()) {
    const { status, text, headers } = await get(plane, `${link}/files/${position}`)
    t.equal(status, 200)
    t.equal(text, `bytes of ${files[position]?.name}`)
    t.equal(headers.get('content-type'), type ?? 'application/octet-stream')
    t.match(headers.get('content-disposition') ?? '', type === null ? /^attachment; filename="/ : /^$/)
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
    t.equal(headers.get('x'), null)
  }
  const part = await get(plane, `${link}/files/2`, { range: 'bytes=0-4' })
  t.match(part, { status: 206, text: 'bytes' })
  t.equal(part.headers.get('content-type'), 'video/webm')
})

t.test('an address that is not ours, too old, or of something else, opens no file', async (t) => {
  const plane = await testApp(t)
  const { app, advance, call } = plane
  const { link, checkId, resultId } = await stored(plane)
  const newest = resultLink(app, { checkId, resultId: null, expiresAt: app.clock.now() + dayMs })
  for (const kind of ['files', 'traces']) {
    for (const url of [`${altered(link)}/${kind}/3`, `${link}/${kind}/99`, `${newest}/${kind}/3`]) {
      t.match(await get(plane, url), { status: 404, body: { statusCode: 404 } }, url)
      const page = await get(plane, url, browser)
      t.match(page, { status: 404, text: /<h1>(This link does not work|There is no such file)</ })
      t.match(page.headers.get('content-type'), 'text/html')
    }
    t.equal((await get(plane, `${link}/${kind}/x`)).status, 400)
  }
  t.match(await get(plane, `${link}/traces/0`), { status: 404 }, 'a picture is no trace')
  t.equal(
    (await get(await testApp(t), `${link}/files/0`)).status,
    404,
    'another installation has another key',
  )
  advance(dayMs)
  t.match(await get(plane, `${link}/files/0`), { status: 410 })
  t.match(await get(plane, `${link}/traces/3`, browser), { status: 410, text: /has expired/ })
  const again = resultLink(app, { checkId, resultId, expiresAt: app.clock.now() + dayMs })
  t.equal((await get(plane, `${again}/files/0`)).status, 200)
  await call('DELETE', `/v1/checks/${checkId}`)
  t.equal((await get(plane, `${again}/files/0`)).status, 410)
})

t.test('an address of a trace is made when somebody asks, for that trace alone, and ends soon', async (t) => {
  const plane = await testApp(t)
  const { app, advance } = plane
  const { link, resultId } = await stored(plane)
  t.notMatch((await get(plane, link, browser)).text, 'result-files', 'the page has none')
  const { status, headers } = await redirected(plane, `${link}/traces/3`)
  t.equal(status, 303)
  t.equal(headers.get('cache-control'), 'private, no-store')
  t.equal(headers.get('referrer-policy'), 'no-referrer')
  const viewer = new URL(headers.get('location') ?? '')
  t.equal(viewer.origin + viewer.pathname, `${app.config.baseUrl}/trace-viewer/index.html`)
  const address = viewer.searchParams.get('trace') ?? ''
  t.notMatch(viewer.href, new URL(link).pathname)
  t.match(await get(plane, address), { status: 200, text: 'bytes of trace.zip' })
  t.match((await get(plane, address)).headers.get('content-disposition'), /^attachment/)
  const missing = fileLink(app, { resultId, position: 50, expiresAt: app.clock.now() + 1000 })
  for (const url of [altered(address), missing, `${app.config.baseUrl}/result-files/x`])
    t.equal((await get(plane, url)).status, 404)
  t.equal((await get(await testApp(t), address)).status, 404)
  advance(fileLinkMs - 1)
  t.equal((await get(plane, address)).status, 200)
  advance(1)
  t.match(await get(plane, address), { status: 410, body: { message: /expired/ } })
})

t.test('an address of a trace does not outlive the page that it came from', async (t) => {
  const plane = await testApp(t)
  const { link } = await stored(plane)
  plane.advance(dayMs - 60_000)
  const { headers } = await redirected(plane, `${link}/traces/3`)
  const address = new URL(headers.get('location') ?? '').searchParams.get('trace') ?? ''
  t.equal((await get(plane, address)).status, 200)
  plane.advance(60_000)
  t.equal((await get(plane, address)).status, 410)
})

t.test('the viewer is the files of its folder and nothing else', async (t) => {
  const folder = temporaryFolder(t)
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<script>1</script><script src="x.js"></script>')
  await writeFile(join(folder, 'sw.bundle.js'), '// of Playwright')
  await writeFile(join(folder, 'assets', 'code-a1b2c3d4.js'), '// code')
  await writeFile(join(folder, 'secret.txt'), 'nobody asked for it')
  const plane = await testApp(t, { env: { TRACE_VIEWER_DIR: folder } })
  const { baseUrl } = plane.app.config
  const page = await get(plane, '/trace-viewer/index.html')
  t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  const own = `${baseUrl}/trace-viewer/`
  const policy = page.headers.get('content-security-policy') ?? ''
  const inline = `'sha256-${createHash('sha256').update('1').digest('base64')}'`
  for (const rule of [`script-src ${own} ${inline}`, `connect-src ${own}`, "frame-ancestors 'none'"])
    t.ok(policy.split('; ').includes(rule), rule)
  const worker = await get(plane, '/trace-viewer/sw.bundle.js')
  t.match(worker.text, 'FetchEvent.prototype.respondWith = ')
  t.match(worker.headers.get('content-security-policy'), `connect-src ${own} ${baseUrl}/result-files/`)
  t.equal((await get(plane, '/trace-viewer/playwright-worker.js')).text, '// of Playwright')
  const code = await get(plane, '/trace-viewer/assets/code-a1b2c3d4.js')
  t.equal(code.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  for (const name of [
    'secret.txt',
    '..%2fpackage.json',
    'assets/..%2fsecret.txt',
    'none.js',
    'assets/index.html',
  ])
    t.equal((await get(plane, `/trace-viewer/${name}`)).status, 404, name)
})

t.test('without the viewer the page says what to do', async (t) => {
  const without = await testApp(t, { env: { TRACE_VIEWER_DIR: '/nowhere' } })
  const { link } = await stored(without)
  const { text } = await get(without, link, browser)
  t.match(
    text,
    /<a class="action" href="[^"]+\/files\/3">Download the trace<\/a>.*no viewer for it.*npx playwright show-trace/s,
  )
  t.notMatch(text, '/traces/')
  t.equal((await get(without, '/trace-viewer/index.html')).status, 404)
  const insecure = await testApp(t, { env: { BASE_URL: 'http://watch.example' } })
  t.match(
    (await get(insecure, (await stored(insecure)).link, browser)).text,
    'Download the trace',
    'a worker runs at secure addresses',
  )
})
