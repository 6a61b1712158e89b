// Runs on both engines in test:all: rows are locked.
import t from 'tap'
import { type Answer, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

for (const engine of engineNames)
  t.test(`nothing keeps naming a service that was deleted meanwhile (${engine})`, async (t) => {
    const { call, app, logged } = await testApp(t, { engine })
    const addService = async (): Promise<string> =>
      (await call('POST', '/v1/status-pages/services', { body: { name: 's' } })).body.id
    const page = (await call('POST', '/v1/status-pages', { body: { name: 'a', url: 'a', cards: [] } })).body
      .id
    const window = (
      await call('POST', '/v1/maintenance-windows', {
        body: { name: 'w', startsAt: '2026-02-01', endsAt: '2026-02-02' },
      })
    ).body.id
    const answers: Answer[] = []
    for (let round = 0; round < 10; round++) {
      const [first, second] = [await addService(), await addService()]
      const services = [{ id: second }, { id: first }]
      const body = { name: 'a', url: 'a', cards: [{ name: 'c', services }] }
      if (round % 2 === 0) await call('PUT', `/v1/status-pages/${page}`, { body })
      answers.push(
        ...(await Promise.all([
          call('PUT', `/v1/status-pages/${page}`, { body }),
          call('DELETE', `/v1/status-pages/services/${first}`),
          call('POST', '/v1/status-pages/incidents', {
            body: { name: 'i', severity: 'MINOR', services, incidentUpdates: [{ description: 'd' }] },
          }),
          call('PUT', `/v1/maintenance-windows/${window}`, {
            body: { statusPageVisibility: { statusPageIds: [page], serviceIds: [first] } },
          }),
          call('DELETE', `/v1/status-pages/services/${second}`),
        ])),
      )
    }
    const statuses = [...new Set(answers.map(({ status }) => status))].sort()
    t.strictSame(
      statuses.filter((status) => ![200, 201, 204, 400].includes(status)),
      [],
    )
    t.strictSame(
      logged.filter(({ level }) => Number(level) >= 50),
      [],
    )
    t.strictSame(await app.db.select((k) => k.selectFrom('status_page_card_services').selectAll()), [])
    t.strictSame(await app.db.select((k) => k.selectFrom('incident_services').selectAll()), [])
    const { body } = await call('GET', `/v1/maintenance-windows/${window}`)
    t.strictSame(body.statusPageVisibility.serviceIds, [])
  })
