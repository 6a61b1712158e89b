import { writeFileSync } from 'node:fs'
import t from 'tap'
import { testApp } from './support/app.ts'
import { checkWith, sessionOf, signedIn, visitPage } from './support/dashboard.ts'
import { openBrowser } from './support/result-browser.ts'
t.test('x', async (t) => {
  const plane = await testApp(t)
  const { checkId, resultId } = await checkWith(plane, { name: 'Checkout', state: 'failing', error: 'connect ECONNREFUSED 203.0.113.7:443', doc: { tags: ['shop', 'production'] } })
  await checkWith(plane, { name: 'Search of the shop, from all places', state: 'degraded' })
  for (let i = 0; i < 14; i++) await checkWith(plane, { name: `Service ${i}`, state: i % 5 ? 'passing' : 'unknown', doc: { tags: ['internal'] } })
  const svc = (await plane.call('POST', '/v1/status-pages/services', { body: { name: 'Checkout' } })).body
  const inc = (await plane.call('POST', '/v1/status-pages/incidents', { body: { name: 'Checkout is slow', severity: 'MAJOR', services: [{ id: svc.id }], incidentUpdates: [{ description: 'We look into it.', status: 'INVESTIGATING' }] } })).body
  const ch = (await plane.call('POST', '/v1/alert-channels', { body: { type: 'EMAIL', config: { address: 'on-call@example.com' } } })).body
  await plane.call('POST', '/v1/variables', { body: { key: 'TOKEN', value: 'abc', secret: true } })
  await plane.call('POST', '/v1/maintenance-windows', { body: { name: 'Database', startsAt: '2026-01-03T00:00:00Z', endsAt: '2026-01-03T02:00:00Z' } })
  const sp = (await plane.call('POST', '/v1/status-pages', { body: { name: 'Shop', url: 'shop', cards: [{ name: 'Web', services: [{ id: svc.id }] }] } })).body
  const cookie = await sessionOf(plane)
  const paths = (process.env.PATHS ?? '/app /app/checks /app/checks/new /app/checks/ID /app/runs/ID/RID /app/do/post/v1/checks/url /app/do/put/v1/checks/url/ID /app/sessions /app/groups /app/errors /app/incidents /app/incidents/INC /app/maintenance /app/status-pages /app/status-pages/SP /app/channels /app/channels/CH /app/locations /app/locations/LOC /app/variables /app/snippets /app/certificates /app/bundles /app/members /app/keys /app/account /app/data /app/do/post/v1/alert-channels /app/do/post/v1/alert-channels?type=WEBHOOK /app/do/post/v1/status-pages/incidents /app/do/post/v1/status-pages /app/do/delete/v1/checks/ID /app/do/post/v1/maintenance-windows').split(' ').map((p) => p.replace('RID', resultId).replace('ID', checkId).replace('INC', inc.id).replace('SP', sp.id).replace('CH', ch.id).replace('LOC', plane.locationId))
  const { gzipSync } = await import('node:zlib')
  const browser = await openBrowser(t)
  const axe = await import('node:fs').then((fs) => fs.readFileSync('node_modules/axe-core/axe.min.js', 'utf8'))
  for (const width of (process.env.WIDTHS ?? '1280 360').split(' ').map(Number)) {
    const context = await signedIn(t, browser, { plane, options: { viewport: { width, height: 800 }, bypassCSP: true, colorScheme: process.env.SCHEME ?? 'light' } })
    const page: any = await context.newPage()
    page.on('console', (m: any) => { if (m.type() === 'error') console.error('CONSOLE', m.text()) })
    for (const path of paths) {
      if (width === 1280) { const a = await visitPage(plane, cookie, path); console.error(a.status, path, a.text.length, gzipSync(a.text).length, a.status === 200 ? '' : a.text.slice(a.text.indexOf('<main'), a.text.indexOf('<main')+400), plane.logged.filter((l: any) => l.level >= 50).map((l: any) => l.err?.stack ?? l.violations).slice(-1)); }
      await page.goto(plane.url + path)
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      if (wide > width) console.error('WIDE', path, wide)
      await page.screenshot({ path: `/tmp/w/h-dash-shots/${path.replace(/[^a-z]+/gi, '_').slice(0,60)}-${width}.png`, fullPage: true })
      if (width === 1280 || process.env.AXE) { await page.evaluate(axe); const r: any = await page.evaluate('axe.run()'); for (const v of r.violations) console.error('AXE', path, v.id, v.nodes.slice(0, 2).map((n: any) => n.html.slice(0, 160)).join(' || ')) }
    }
  }
})
