// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const incidents = '/v1/status-pages/incidents'

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
  t.test(`updates are read, corrected and removed (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call, advance } = app
    const { body } = await call('POST', incidents, { body: newIncident(await addService(app)) })
    const updates = `${incidents}/${body.id}/incident-updates`
    advance(60_000)
    const second = await call('POST', updates, { body: { description: 'ok', status: 'RESOLVED' } })
    const one = `${updates}/${second.body.id}`
    t.strictSame((await call('GET', one)).body, second.body)
    const edited = await call('PUT', one, { body: { status: 'MONITORING' } })
    t.match(edited.body, { description: 'ok', status: 'MONITORING' })
    t.equal((await call('GET', `${incidents}/${body.id}`)).body.lastUpdateStatus, 'MONITORING')
    t.strictSame(
      (await call('GET', updates)).body.map(({ description }: { description: string }) => description),
      ['ok', 'looking'],
    )
    t.equal((await call('DELETE', one)).status, 204)
    t.equal((await call('GET', one)).status, 404)
    t.equal((await call('PUT', one, { body: { description: 'x' } })).status, 404)
    t.equal((await call('GET', `${incidents}/${body.id}`)).body.lastUpdateStatus, 'INVESTIGATING')
    const only = `${updates}/${body.incidentUpdates[0].id}`
    t.equal((await call('DELETE', only)).status, 409, 'an incident keeps at least one update')
    t.equal((await call('GET', only)).status, 200)
  })

  t.test(`publicIncidentUpdateDate back-dates, and fills in incidents of the past (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call } = app
    const service = await addService(app)
    const past = (time: string, status: string) => ({
      description: 'then',
      status,
      publicIncidentUpdateDate: `2025-12-24T${time}:00Z`,
    })
    const filled = await call('POST', incidents, {
      body: newIncident(service, { incidentUpdates: [past('10:30', 'RESOLVED')] }),
    })
    t.match(filled.body, { lastUpdateStatus: 'RESOLVED', duration: null })
    const updates = `${incidents}/${filled.body.id}/incident-updates`
    await call('POST', updates, { body: past('10:00', 'INVESTIGATING') })
    t.match((await call('GET', `${incidents}/${filled.body.id}`)).body, {
      lastUpdateStatus: 'RESOLVED',
      duration: 1800,
    })
    const refused = await call('POST', updates, {
      body: { description: 'x', publicIncidentUpdateDate: '2026-01-02T00:00:00Z' },
    })
    t.equal(refused.status, 400)
    t.match(refused.body.message, '"publicIncidentUpdateDate" must not be in the future')
  })

  t.test(`two who post at once both count, whichever comes last (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call, advance } = app
    const { body } = await call('POST', incidents, { body: newIncident(await addService(app)) })
    const updates = `${incidents}/${body.id}/incident-updates`
    advance(10_000)
    const post = (publicIncidentUpdateDate: string, status: string) =>
      call('POST', updates, { body: { description: 'x', status, publicIncidentUpdateDate } })
    await Promise.all([
      post('2026-01-01T00:00:09Z', 'RESOLVED'),
      post('2026-01-01T00:00:05Z', 'IDENTIFIED'),
      post('2026-01-01T00:00:07Z', 'MONITORING'),
    ])
    const read = (await call('GET', `${incidents}/${body.id}`)).body
    t.match(read, { lastUpdateStatus: 'RESOLVED', duration: 9 })
    t.equal(read.incidentUpdates.length, 4)
  })
}
