// Runs on both engines in test:all: its statements run in no other file.
/** What visitors get from a status page, beside how it looks: state, caching, languages, feeds, hosts. */
import t from 'tap'
import {
  insertIncident,
  insertIncidentService,
} from '../../../../control-plane/communication/incidents/queries.ts'
import { findPage } from '../../../../control-plane/communication/stored-pages/queries.ts'
import { readModel } from '../../../../control-plane/pages/status/read-model.ts'
import { linkedChecks } from '../../../../control-plane/pages/status/service-checks.ts'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'
import { checkWith, setState } from '../../../support/dashboard.ts'
import { takeIn } from '../../../support/rollups.ts'
import { measured, shownPage, tell } from '../../../support/shown-page.ts'
import { hosted } from '../../../support/visitor.ts'

const open = (plane: TestApp, path = '', headers: Record<string, string> = {}) =>
  fetch(`${plane.url}/status/acme${path}`, { headers, redirect: 'manual' })

const html = async (plane: TestApp, path = '', headers = {}): Promise<string> =>
  (await open(plane, path, headers)).text()

eachEngine('the page says how things are, and says it anew within a second or two', async (t, plane) => {
  const { services } = await shownPage(plane, { isQuiet: true })
  const before = await open(plane)
  t.equal(before.status, 200)
  t.match(before.headers.get('content-type'), /^text\/html/)
  t.match(await before.text(), /All systems are operational/)
  const etag = before.headers.get('etag') ?? ''
  t.equal((await open(plane, '', { 'if-none-match': etag })).status, 304)
  const id = await tell(plane, {
    ...{ name: 'It burns', severity: 'CRITICAL', services: services.slice(0, 1), daysAgo: 0, hours: null },
    texts: ['We see <b>smoke</b>.'],
  })
  plane.advance(1500)
  const after = await html(plane)
  t.match(after, /There is a major outage/)
  t.match(after, /It burns/)
  t.match(after, /We see &lt;b&gt;smoke&lt;\/b&gt;\./)
  t.equal((await open(plane, '', { 'if-none-match': etag })).status, 200)
  t.match(await html(plane, `/incidents/${id}`), /It burns/)
  await plane.call('DELETE', `/v1/status-pages/incidents/${id}`)
  plane.advance(1500)
  t.match(await html(plane), /All systems are operational/)
  t.equal((await open(plane, `/incidents/${id}`)).status, 404)
})

eachEngine('maintenance is announced, begins by itself, and has a page', async (t, plane) => {
  const { windowId } = await shownPage(plane)
  t.match(await html(plane), /Maintenance in the next 7 days[\s\S]*Database upgrade/)
  plane.advance(2 * 86_400_000 + 60_000)
  t.match(await html(plane), /<h2>Maintenance<\/h2>[\s\S]*In progress/)
  const maintenances = await plane.call('GET', `/v1/maintenance-windows/${windowId}/maintenances`)
  const page = await open(plane, `/maintenance/${maintenances.body[0].id}`)
  t.equal(page.status, 200)
  t.match(await page.text(), /Reports may be a few minutes old/)
  plane.advance(3 * 3_600_000)
  t.notMatch(await html(plane), /Database upgrade/)
})

eachEngine('days have the colour of what was measured and of what happened', async (t, plane) => {
  const { services } = await shownPage(plane, { services: 2, isQuiet: true })
  await measured(plane, services[0] ?? '', [
    { daysAgo: 3, runs: 10, failed: 6 },
    { daysAgo: 2, runs: 100, failed: 2 },
    { daysAgo: 1, runs: 10, failed: 0 },
  ])
  // What is not counted at once is there a little later.
  for (let look = 0; look < 3; look += 1) {
    await html(plane)
    plane.advance(3000)
  }
  const [row = ''] = /<div class="bars"[\s\S]*?<\/div>/.exec(await html(plane)) ?? []
  const bars = [...row.matchAll(/<a href="#d(\d+)" tabindex="-1"(?: class="(\w+)")? title="([^"]*)">/g)]
  t.equal(bars.length, 90)
  t.same(
    bars.slice(-5).map(([, , mark]) => mark ?? 'u'),
    ['n', 'd', 'g', 'u', 'u'],
  )
  t.match(bars.at(-4)?.[3], /6 of 10 checks failed/)
})

eachEngine('feeds, the calendar, the badge and the state for programs', async (t, plane) => {
  await shownPage(plane)
  const status = await (await open(plane, '/api/status.json')).json()
  t.match(status, {
    page: { name: 'Acme' },
    status: { indicator: 'minor' },
    components: [{ name: 'Storefront', status: 'operational' }],
    incidents: [{ name: 'Card payments are declined', status: 'identified', impact: 'minor' }],
    scheduled_maintenances: [{ name: 'Database upgrade', status: 'scheduled' }],
  })
  t.match(
    await html(plane, '/feed.atom'),
    /<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom"[\s\S]*Card payments/,
  )
  t.match(await html(plane, '/feed.rss'), /<rss version="2\.0"[\s\S]*<item>/)
  const feed = JSON.parse(await html(plane, '/feed.json'))
  t.equal(feed.version, 'https://jsonfeed.org/version/1.1')
  t.ok(feed.items.length >= 6)
  const calendar = await html(plane, '/maintenance.ics')
  t.match(calendar, /^BEGIN:VCALENDAR\r\n[\s\S]*SUMMARY:Database upgrade\r\n[\s\S]*END:VCALENDAR\r\n$/)
  t.ok(calendar.split('\r\n').every((line) => Buffer.byteLength(line) <= 75))
  t.match(await html(plane, '/badge.svg'), /^<svg[\s\S]*Degraded/)
})

eachEngine('each visitor reads it in their language, packed or not', async (t, plane) => {
  await shownPage(plane, { isQuiet: true })
  t.match(await html(plane, '', { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.5' }), /<html lang="fr">/)
  t.match(await html(plane, '', { 'accept-language': 'ja' }), /すべてのシステム/)
  t.match(await html(plane, '', { 'accept-language': 'xx, de;q=0.3' }), /Alle Systeme/)
  t.match(await html(plane, '', { 'accept-language': 'xx' }), /<html lang="en">/)
  const packed = await open(plane, '', { 'accept-encoding': 'gzip' })
  t.equal(packed.headers.get('content-encoding'), 'gzip')
  t.match(packed.headers.get('vary'), /accept-language/)
  t.match(await html(plane, '', { 'accept-language': 'fa' }), /<html lang="fa" dir="rtl">/)
})

eachEngine(
  'a page has its languages and a default, and a visitor chooses without a script',
  async (t, plane) => {
    const { pageId } = await shownPage(plane, { isQuiet: true })
    t.match(await html(plane), /<option value="zh-TW" lang="zh-TW">/, 'all are offered')
    const path = `/v1/status-pages/${pageId}/publication`
    const saved = await plane.call('PUT', path, { body: { languages: ['pt-BR', 'en'] } })
    t.strictSame(saved.body.languages, ['pt-BR', 'en'])
    t.equal((await plane.call('PUT', path, { body: { languages: ['xx'] } })).status, 400)
    plane.advance(1500)
    t.match(await html(plane, '', { 'accept-language': 'de' }), /<html lang="pt-BR">/)
    t.match(await html(plane, '', { 'accept-language': 'en-GB' }), /<html lang="en">/)
    t.notMatch(await html(plane), /<option value="de"/)
    const chosen = await open(plane, '?lang=en')
    t.match(await chosen.text(), /<html lang="en">[\s\S]*<option value="en" lang="en" selected>/)
    const [set = ''] = chosen.headers.getSetCookie()
    t.match(set, /; Path=\/status\/acme;.*SameSite=Lax; HttpOnly/)
    const cookie = set.split(';')[0] ?? ''
    t.match(await html(plane, '/history', { cookie }), /<html lang="en">/, 'on the other pages of it, too')
    const unknown = await open(plane, '?lang=de')
    t.match(await unknown.text(), /<html lang="pt-BR">/)
    t.strictSame(unknown.headers.getSetCookie(), [], 'what is not offered is not kept')
  },
)

eachEngine(
  'a host that is none of ours has no page, one that has proven its domain has it at the root',
  async (t, plane) => {
    const { pageId } = await shownPage(plane, {
      isQuiet: true,
      more: { customDomain: 'status.acme.example' },
    })
    const visit = (path: string, host: string) => hosted(plane, path, host)
    t.equal((await visit('/status/acme', 'evil.example')).status, 404)
    t.equal((await visit('/', 'status.acme.example')).status, 404, 'pointing here proves nothing')
    const before = await plane.call('GET', `/v1/status-pages/${pageId}/publication`)
    t.match(before.body.domain, { name: 'status.acme.example', isProven: false })
    const [record] = before.body.domain.records
    answers.set(record.name, [record.value])
    const checked = await plane.call('POST', `/v1/status-pages/${pageId}/publication/domain-checks`)
    t.equal(checked.status, 201)
    t.equal(checked.body.domain.isProven, true)
    plane.advance(3000)
    const shown = await visit('/', 'status.acme.example')
    t.equal(shown.status, 200)
    t.match(shown.text, /href="\/history"/)
    t.equal((await visit('/history', 'Status.Acme.example:443')).status, 200)
    t.equal((await visit('/v1/status-pages', 'status.acme.example')).status, 404, 'and nothing else of ours')
    answers.delete(record.name)
    plane.advance(8 * 86_400_000)
    await plane.call('POST', `/v1/status-pages/${pageId}/publication/domain-checks`)
    t.equal((await visit('/', 'status.acme.example')).status, 404, 'a proof that is gone for a week is over')
  },
  { parts: { domainRecords: { txt: async (name) => answers.get(name) ?? [], cname: async () => [] } } },
)

const answers = new Map<string, string[]>()

t.test('when the store is away the last page is shown, with its age on it', async (t) => {
  const plane = await testApp(t)
  await shownPage(plane)
  t.equal((await open(plane)).status, 200)
  const away = { get: () => Promise.reject(new Error('away')), all: () => Promise.reject(new Error('away')) }
  Object.assign(plane.app, { db: { ...plane.app.db, ...away } })
  plane.advance(5 * 60_000)
  const shown = await open(plane)
  t.equal(shown.status, 200)
  t.equal(shown.headers.get('age'), '300')
  t.match(await shown.text(), /This is what was known 5 min ago[\s\S]*Storefront/)
  t.equal((await fetch(`${plane.url}/status/other`)).status, 500, 'one that nobody saw before is not there')
})

eachEngine('a service follows its checks, and says so where there are none', async (t, plane) => {
  const service = (await plane.call('POST', '/v1/status-pages/services', { body: { name: 'Shop' } })).body
  const cards = [{ name: 'All', services: [{ id: service.id }] }]
  await plane.call('POST', '/v1/status-pages', { body: { name: 'Acme', url: 'acme', cards } })
  const fresh = await html(plane)
  t.match(fresh, /<h1[^>]*>Nothing has been measured yet/)
  t.notMatch(fresh, /Operational<\/span>|% uptime/)
  t.match(await (await open(plane, '/api/status.json')).json(), {
    status: { indicator: 'unknown' },
    components: [{ status: 'unknown', uptime_90_days: null }],
  })
  const triggerIncident = { serviceId: service.id, name: 'Down', severity: 'CRITICAL' }
  const { checkId } = await checkWith(plane, { name: 'Shop', state: 'failing', doc: { triggerIncident } })
  plane.advance(61_000)
  const failing = await html(plane)
  t.match(failing, /There is a major outage/, 'it failed before it was linked')
  t.match(failing, /class="d" title="[^"]*"><\/a><\/div>/, 'and so is the bar of today')
  t.match(failing, /No incidents in the last 90 days\./)
  await setState(plane, checkId, 'passing')
  plane.advance(61_000)
  t.match(await html(plane), /All systems are operational/)
  await plane.call('POST', '/v1/status-pages/incidents', {
    body: {
      ...{ name: 'It burns', severity: 'MINOR', services: [{ id: service.id }] },
      incidentUpdates: [{ description: 'We look' }],
    },
  })
  plane.advance(1500)
  const told = await html(plane)
  t.match(told, /Some systems are degraded/)
  t.match(told, /No other incidents in the last 90 days\./)
})

t.test('so are incidents that nobody looked at and feeds, and it is said once', async (t) => {
  const plane = await testApp(t)
  const { incidents } = await shownPage(plane)
  t.equal((await open(plane)).status, 200)
  const away = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
  Object.assign(plane.app, { db: { ...plane.app.db, get: away, all: away } })
  plane.advance(5 * 60_000)
  for (const id of incidents) {
    const shown = await open(plane, `/incidents/${id}`)
    t.equal(shown.status, 200)
    t.equal(shown.headers.get('age'), '300')
    t.match(await shown.text(), /This is what was known 5 min ago[\s\S]*class="updates"><li>/)
  }
  for (const path of [
    '/feed.atom',
    '/feed.rss',
    '/feed.json',
    '/maintenance.ics',
    '/api/status.json',
    '/history',
  ]) {
    const shown = await open(plane, path)
    t.equal(shown.status, 200, path)
    t.equal(shown.headers.get('age'), '300', path)
  }
  t.equal((await open(plane, '/incidents/0c7d5a4e-2f1b-4a3c-9d8e-7b6a5c4d3e2f')).status, 404)
  for (let visit = 0; visit < 50; visit++) {
    plane.advance(1001)
    await open(plane)
  }
  const said = plane.logged.filter(({ level }) => Number(level) >= 40).map(({ msg }) => msg)
  t.strictSame(said, ['The store cannot be reached (DATABASE_URL): requests are refused until it is back'])
})

const daysOfFirst = async (plane: TestApp, pageId: string) => {
  const row = await plane.app.db.get(findPage, { id: pageId, accountId: plane.accountId })
  if (row === undefined) throw new Error('there is no page')
  const { model } = await readModel(plane.app, row)
  return model.cards[0]?.services[0]
}

eachEngine('today counts every run that was judged, and no other', async (t, plane) => {
  const { pageId, services } = await shownPage(plane, { services: 1, isQuiet: true })
  const [serviceId = ''] = services
  const [{ id: checkId } = { id: '' }] = (await linkedChecks(plane.app.db, [serviceId])).get(serviceId) ?? []
  const now = plane.app.clock.now()
  const runs = Array.from({ length: 2600 }, (_, n) => ({
    checkId,
    at: now - 2 * 3_600_000 + n * 1000,
    hasFailures: n % 100 === 0,
    hasErrors: n % 100 === 1,
    isCancelled: n % 100 === 2,
  }))
  await takeIn(plane, runs)
  plane.advance(61_000)
  const service = await daysOfFirst(plane, pageId)
  // With the run that every service of the page has.
  t.match(service?.days.at(-1), { runs: 2600 - 52 + 1, failed: 26 })
})

eachEngine('uptime knows every incident of its days', async (t, plane) => {
  const { pageId, services } = await shownPage(plane, { services: 1, isQuiet: true })
  const [serviceId = ''] = services
  const now = plane.app.clock.now()
  const dayMs = 86_400_000
  // The first one is the longest by far, and the oldest of more than a page shows.
  for (let n = 0; n < 520; n++) {
    const startedAt = now - 60 * dayMs + n * 3_600_000
    const id = plane.app.newId()
    await plane.app.db.run(insertIncident, {
      id,
      account_id: plane.accountId,
      name: `incident ${n}`,
      translations: '{}',
      severity: 'CRITICAL',
      status: 'RESOLVED',
      started_at: startedAt,
      resolved_at: startedAt + (n === 0 ? 3_600_000 : 1000),
      created_at: startedAt,
      updated_at: null,
      version: 1,
    })
    const link = { incidentId: id, serviceId, accountId: plane.accountId, position: 0 }
    await plane.app.db.run(insertIncidentService, link)
  }
  const service = await daysOfFirst(plane, pageId)
  const hit = service?.days.filter(({ incidents }) => incidents > 0) ?? []
  t.equal(
    hit.reduce((sum, { incidents }) => sum + incidents, 0),
    520,
  )
  const downMs = hit.reduce((sum, { uptime }) => sum + (1 - uptime) * dayMs, 0)
  t.equal(Math.round(downMs / 1000), 3600 + 519)
})
