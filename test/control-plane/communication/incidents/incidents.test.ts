import t from 'tap'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const incidents = '/v1/status-pages/incidents'
const missing = '00000000-0000-4000-8000-000000000000'

const addService = async ({ call }: TestApp): Promise<string> =>
  (await call('POST', '/v1/status-pages/services', { body: { name: 'shop' } })).body.id

const newIncident = (service: string, more: object = {}) => ({
  name: 'Down',
  severity: 'MAJOR',
  services: [{ id: service }],
  incidentUpdates: [{ description: 'looking' }],
  ...more,
})

for (const engine of engineNames) {
  t.test(`an incident through its whole life (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call, advance } = app
    const service = await addService(app)
    const created = await call('POST', incidents, { body: newIncident(service) })
    t.equal(created.status, 201, created.text)
    t.match(created.body, {
      name: 'Down',
      severity: 'MAJOR',
      services: [{ id: service, name: 'shop', accountId: app.accountId }],
      lastUpdateStatus: 'INVESTIGATING',
      duration: 0,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: null,
      incidentUpdates: [
        {
          description: 'looking',
          status: 'INVESTIGATING',
          publicIncidentUpdateDate: '2026-01-01T00:00:00.000Z',
          notifySubscribers: false,
          created_at: '2026-01-01T00:00:00.000Z',
        },
      ],
    })
    const one = `${incidents}/${created.body.id}`
    const { warnings, ...stored } = created.body
    t.match(warnings, [{ message: /^No status page has any of its services/ }], 'nobody sees it')
    t.strictSame((await call('GET', one)).body, stored)
    advance(90_000)
    t.equal((await call('GET', one)).body.duration, 90, 'open: until now, in seconds')

    const update = await call('POST', `${one}/incident-updates`, {
      body: { description: 'found', status: 'IDENTIFIED', notifySubscribers: true },
    })
    t.equal(update.status, 201, update.text)
    t.match(update.body, { status: 'IDENTIFIED', notifySubscribers: true })
    const note = await call('POST', `${one}/incident-updates`, { body: { description: 'working on it' } })
    t.equal(note.body.status, 'IDENTIFIED', 'without a status it keeps the one it has')

    advance(30_000)
    await call('POST', `${one}/incident-updates`, { body: { description: 'ok', status: 'RESOLVED' } })
    advance(1_000_000)
    const resolved = (await call('GET', one)).body
    t.match(resolved, { lastUpdateStatus: 'RESOLVED', duration: 120 })
    t.equal(resolved.incidentUpdates.length, 4)
    t.equal(resolved.incidentUpdates[0].description, 'ok', 'newest first')

    const put = await call('PUT', one, { body: { name: 'Was down' } })
    t.equal(put.status, 200)
    t.match(put.body, { name: 'Was down', severity: 'MAJOR', services: [{ id: service }] })
    const patched = await call('PATCH', one, { body: { severity: 'MINOR' } })
    t.match(patched.body, { name: 'Was down', severity: 'MINOR' }, 'only what is sent changes')

    t.equal((await call('DELETE', one)).status, 204)
    for (const path of [one, `${one}/incident-updates`, `${one}/incident-updates/${update.body.id}`])
      t.equal((await call('GET', path)).status, 404)
    t.equal((await call('DELETE', one)).status, 404)
    const rows = await app.app.db.select((k) => k.selectFrom('incident_updates').selectAll())
    t.strictSame(rows, [], 'its updates go with it')
  })

  t.test(`an incident shows on every page with one of its services on a card (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call, advance } = app
    const [first, second] = [await addService(app), await addService(app)]
    const page = async (url: string, services: string[]) => {
      const cards = [
        { name: 'c', services: services.map((id) => ({ id })) },
        { name: 'd', services: services.slice(0, 1).map((id) => ({ id })) },
      ]
      return (await call('POST', '/v1/status-pages', { body: { name: url, url, cards } })).body.id as string
    }
    const both = await page('both', [first, second])
    const other = await page('other', [second])
    const none = await page('none', [])
    await call('POST', incidents, { body: newIncident(first, { name: 'one' }) })
    advance(1)
    await call('POST', incidents, {
      body: newIncident(second, { name: 'two', services: [{ id: second }, { id: first }] }),
    })
    const shown = async (id: string) =>
      (await call('GET', `/v1/status-pages/${id}`)).body.incidents.map(({ name }: { name: string }) => name)
    t.strictSame(await shown(both), ['two', 'one'], 'once each, newest first')
    t.strictSame(await shown(other), ['two'])
    t.strictSame(await shown(none), [])
    const { body } = await call('GET', '/v1/status-pages')
    t.strictSame(
      body.entries.map((entry: { incidents: unknown[] }) => entry.incidents.length),
      [2, 1, 0],
    )
  })

  t.test(
    `the list is newest first, 20 by default, and the newest 100 updates are shown (${engine})`,
    async (t) => {
      const app = await testApp(t, { engine })
      const { call, advance } = app
      const service = await addService(app)
      for (let index = 0; index < 22; index++) {
        await call('POST', incidents, { body: newIncident(service, { name: `i${index}` }) })
        advance(1)
      }
      const first = await call('GET', incidents)
      t.equal(first.body.length, 20)
      t.equal(first.body.entries[0].name, 'i21')
      const second = await call('GET', `${incidents}?nextId=${first.body.nextId}`)
      t.strictSame(
        second.body.entries.map(({ name }: { name: string }) => name),
        ['i1', 'i0'],
      )
      const { id } = first.body.entries[0]
      for (let index = 0; index < 104; index++) {
        advance(1)
        await call('POST', `${incidents}/${id}/incident-updates`, { body: { description: `u${index}` } })
      }
      const updates = (await call('GET', `${incidents}/${id}/incident-updates`)).body
      t.equal(updates.length, 100)
      t.equal(updates[0].description, 'u103')
    },
  )

  t.test(`another account's incident is a 404 (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call } = app
    const { apiKey: key } = await app.addKey()
    const service = await addService(app)
    const { body } = await call('POST', incidents, { body: newIncident(service) })
    const one = `${incidents}/${body.id}`
    const update = `${one}/incident-updates/${body.incidentUpdates[0].id}`
    t.equal((await call('GET', one, { key })).status, 404)
    t.equal((await call('PUT', one, { key, body: { name: 'x' } })).status, 404)
    t.equal((await call('DELETE', one, { key })).status, 404)
    t.equal((await call('GET', update, { key })).status, 404)
    t.equal((await call('PUT', update, { key, body: { description: 'x' } })).status, 404)
    t.equal((await call('POST', `${one}/incident-updates`, { key, body: { description: 'x' } })).status, 404)
    t.equal((await call('POST', incidents, { key, body: newIncident(service) })).status, 400)
  })
}

t.test("an incident's rules are refused by name", async (t) => {
  const app = await testApp(t)
  const service = await addService(app)
  const update = { description: 'd' }
  const cases: [object, string][] = [
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ severity: undefined }, 'severity'],
    [{ severity: 'HUGE' }, 'severity'],
    [{ services: [] }, 'services'],
    [{ services: [{ id: missing }] }, 'services.0.id'],
    [{ services: [{ id: service }, { id: service }] }, 'services.1.id'],
    [{ incidentUpdates: undefined }, 'incidentUpdates'],
    [{ incidentUpdates: [] }, 'incidentUpdates'],
    [{ incidentUpdates: [update, update] }, 'incidentUpdates'],
    [{ incidentUpdates: [{}] }, 'incidentUpdates.0.description'],
    [{ incidentUpdates: [{ ...update, status: 'DONE' }] }, 'incidentUpdates.0.status'],
    [
      { incidentUpdates: [{ ...update, publicIncidentUpdateDate: '2025-02-30T00:00:00Z' }] },
      'incidentUpdates.0.publicIncidentUpdateDate',
    ],
    [{ durations: 5 }, 'durations'],
  ]
  for (const [body, path] of cases) {
    const answer = await app.call('POST', incidents, { body: newIncident(service, body) })
    t.equal(answer.status, 400, JSON.stringify(body))
    const paths = answer.body.attributes.violations.map((violation: { path: string }) => violation.path)
    t.ok(paths.includes(path), `${path} in ${paths}`)
  }
  t.equal((await app.call('DELETE', `${incidents}/7`)).status, 400)
  t.equal((await app.call('DELETE', `${incidents}/${missing}`)).status, 404)
})
