// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { dashboardDomainTick } from '../../../../control-plane/communication/dashboards/dashboard-domain.ts'
import { eachEngine, testApp } from '../../../support/app.ts'

const all = '/v1/dashboards'
const missing = '00000000-0000-4000-8000-000000000000'

eachEngine('a dashboard through its whole life', async (t, { call, advance, addKey }) => {
  const created = await call('POST', all, {
    body: { header: 'Shop', customUrl: 'Shop-Wall', customDomain: 'Wall.Shop.example', tags: ['shop'] },
  })
  t.equal(created.status, 201, created.text)
  t.match(created.body, {
    id: 1,
    header: 'Shop',
    customUrl: 'shop-wall',
    customDomain: 'wall.shop.example',
    width: 'FULL',
    refreshRate: 60,
    paginate: true,
    paginationRate: 60,
    checksPerPage: 15,
    showHeader: true,
    showP95: true,
    hideTags: false,
    tags: ['shop'],
    keys: [],
    domain: { name: 'wall.shop.example', isProven: false, checkedAt: null },
    updated_at: null,
  })
  const { dashboardId } = created.body
  const one = `${all}/${dashboardId}`
  t.strictSame((await call('GET', one)).body, created.body)
  t.strictSame((await call('GET', all)).body, [created.body])
  t.equal((await call('GET', `${all}/SHOP-wall?type=customUrl`)).body.dashboardId, dashboardId)
  t.equal((await call('GET', `${all}/wall.shop.example?type=customDomain`)).body.dashboardId, dashboardId)
  t.equal((await call('GET', `${all}/elsewhere?type=customUrl`)).status, 404)

  advance(1000)
  const changed = await call('PUT', one, { body: { checksPerPage: null, sortByStatus: true } })
  t.match(changed.body, { header: 'Shop', checksPerPage: null, sortByStatus: true, tags: ['shop'] })
  t.equal(changed.body.updated_at, '2026-01-01T00:00:01.000Z')
  const whole = await call('PUT', one, { body: { header: 'Shop' } })
  t.strictSame(whole.body.tags, [], 'a whole body without its list empties it')
  const stale = await call('PUT', one, { body: {}, headers: { 'if-match': '"1"' } })
  t.equal(stale.status, 412)

  const stranger = await addKey()
  for (const [method, path] of [
    ['GET', one],
    ['PUT', one],
    ['DELETE', one],
    ['GET', `${all}/shop-wall?type=customUrl`],
  ] as const) {
    const body = method === 'PUT' ? { body: {} } : {}
    t.equal((await call(method, path, { key: stranger.apiKey, ...body })).status, 404, `${method} ${path}`)
  }
  t.equal((await call('DELETE', one)).status, 204)
  t.equal((await call('GET', one)).status, 404)
  t.equal((await call('GET', `${all}/${missing}`)).status, 404)
})

eachEngine('each address is one page’s', async (t, { call }) => {
  const first = await call('POST', all, {
    body: { header: 'a', customUrl: 'wall', customDomain: 'a.example' },
  })
  const taken = await call('POST', all, { body: { header: 'b', customUrl: 'WALL' } })
  t.equal(taken.status, 409)
  t.match(taken.body.message, /"customUrl"/)
  const page = { name: 'p', cards: [] }
  t.equal(
    (await call('POST', '/v1/status-pages', { body: { ...page, url: 'x', customDomain: 'a.example' } }))
      .status,
    409,
    'a domain is no status page’s, either',
  )
  t.equal((await call('POST', '/v1/status-pages', { body: { ...page, url: 'wall' } })).status, 201)
  const made = await call('POST', all, { body: { header: 'b' } })
  t.match(made.body.customUrl, /^[0-9a-f]{12}$/, 'one that names none gets one')
  const moved = await call('PUT', `${all}/${made.body.dashboardId}`, { body: { customUrl: 'wall' } })
  t.equal(moved.status, 409)
  await call('DELETE', `${all}/${first.body.dashboardId}`)
  const again = await call('PUT', `${all}/${made.body.dashboardId}`, {
    body: { customUrl: 'wall', customDomain: 'a.example' },
  })
  t.equal(again.status, 200, 'what is freed can be taken')
})

eachEngine('its key is shown once', async (t, { call }) => {
  const created = await call('POST', all, { body: { header: 'a', isPrivate: true } })
  const one = `${all}/${created.body.dashboardId}`
  const [key] = created.body.keys
  t.match(key, { rawKey: /^sp_[0-9a-f]{32}$/, maskedKey: `…${key.rawKey.slice(-4)}` })
  const read = await call('GET', one)
  t.equal(read.body.keys[0].rawKey, undefined)
  t.equal((await call('PUT', one, { body: { header: 'b' } })).body.keys[0].id, key.id, 'it stays')
  t.strictSame((await call('PUT', one, { body: { isPrivate: false } })).body.keys, [])
  const anew = await call('PUT', one, { body: { isPrivate: true } })
  t.not(anew.body.keys[0].rawKey, key.rawKey)
})

t.test('what it cannot be is refused, by name', async (t) => {
  const { call } = await testApp(t)
  for (const [field, value] of Object.entries({
    customUrl: 'no/slash',
    customDomain: 'nodot',
    width: 'WIDE',
    refreshRate: 1,
    checksPerPage: 21,
    logo: 'javascript:alert(1)',
    customCSS: '</style><script>',
  })) {
    const { status, body } = await call('POST', all, { body: { header: 'a', [field]: value } })
    t.equal(status, 400, field)
    t.match(body.message, field)
  }
  t.equal((await call('POST', all, { body: {} })).status, 400, 'a title is needed')
})

eachEngine('a proof of its domain is looked for, and ends', async (t, plane) => {
  const { call, app } = plane
  const { body } = await call('POST', all, { body: { header: 'a', customDomain: 'wall.example' } })
  const [txt] = body.domain.records
  const proven = async () => (await call('GET', `${all}/${body.dashboardId}`)).body.domain.isProven
  const look = (values: string[]) =>
    dashboardDomainTick({
      ...app,
      domainRecords: { txt: async (name) => (name === txt.name ? values : []), cname: async () => [] },
    })
  await look([])
  t.equal(await proven(), false)
  plane.advance(6 * 60_000)
  await look([txt.value])
  t.equal(await proven(), true)
  plane.advance(7 * 3_600_000)
  await look([])
  t.equal(await proven(), true, 'names fail now and then')
  plane.advance(8 * 86_400_000)
  await look([])
  t.equal(await proven(), false)
})
