// Runs on both engines in test:all: its statements run in no other file.
import { eachEngine, type TestApp } from '../../../support/app.ts'

const all = '/v1/incidents'
const first = { status: 'INVESTIGATING', description: 'We look into it.' }

const dashboard = async ({ call }: TestApp): Promise<{ id: number; dashboardId: string }> =>
  (await call('POST', '/v1/dashboards', { body: { header: 'Shop' } })).body

eachEngine('an incident of a dashboard through its whole life', async (t, plane) => {
  const { call, advance, addKey } = plane
  const { id: dashboardId } = await dashboard(plane)
  const created = await call('POST', all, {
    body: { name: 'Down', impact: 'MAJOR', dashboardId, incidentUpdates: [first] },
  })
  t.equal(created.status, 201, created.text)
  const { id } = created.body
  t.match(created.body, { name: 'Down', impact: 'MAJOR', dashboardId, startedAt: null, updated_at: null })
  t.match(created.body.incidentUpdates, [{ ...first, incidentId: id, updated_at: null }])
  const one = `${all}/${id}`
  advance(1000)
  const posted = await call('POST', `${one}/updates`, { body: { status: 'RESOLVED', description: 'Over.' } })
  t.equal(posted.status, 201, posted.text)
  t.match((await call('GET', one)).body.incidentUpdates, [{ status: 'RESOLVED' }], 'the latest one')
  const whole = await call('GET', `${one}?includeAllIncidentUpdates=true`)
  t.strictSame(
    whole.body.incidentUpdates.map(({ status }: { status: string }) => status),
    ['RESOLVED', 'INVESTIGATING'],
  )
  const edited = await call('PUT', `${one}/updates/${posted.body.id}`, {
    body: { description: 'It is over.' },
  })
  t.match(edited.body, { status: 'RESOLVED', description: 'It is over.', updated_at: /2026/ })
  const dates = { startedAt: '2026-01-01T00:00:00.000Z', stoppedAt: '2026-01-01T01:00:00.000Z' }
  t.match((await call('PUT', one, { body: { name: 'Down', impact: 'MINOR', ...dates } })).body, {
    impact: 'MINOR',
    ...dates,
  })
  t.match((await call('GET', all)).body, { length: 1, entries: [{ id }], nextId: null })
  t.equal((await call('DELETE', `${one}/updates/${posted.body.id}`)).status, 204)
  const last = whole.body.incidentUpdates[1].id
  t.equal((await call('DELETE', `${one}/updates/${last}`)).status, 409, 'one stays')
  t.equal((await call('DELETE', `${one}/updates/${posted.body.id}`)).status, 404)
  t.equal((await call('PUT', `${one}/updates/${posted.body.id}`, { body: {} })).status, 404)
  const { apiKey: key } = await addKey()
  for (const method of ['GET', 'DELETE']) t.equal((await call(method, one, { key })).status, 404)
  t.equal((await call('DELETE', one)).status, 204)
  t.equal((await call('GET', one)).status, 404)
})

eachEngine('what does not fit is refused; it ends with its dashboard', async (t, plane) => {
  const { call } = plane
  const { id: dashboardId, dashboardId: address } = await dashboard(plane)
  const body = { name: 'Down', dashboardId, incidentUpdates: [first] }
  const refused = async (more: object, field: RegExp) => {
    const answer = await call('POST', all, { body: { ...body, ...more } })
    t.equal(answer.status, 400, answer.text)
    t.match(answer.body.message, field)
  }
  await refused({ dashboardId: 99 }, /"dashboardId" is not the id/)
  await refused({ incidentUpdates: [] }, /incidentUpdates/)
  await refused({ impact: 'HUGE' }, /impact/)
  await refused({ startedAt: '2026-01-02T00:00:00Z', stoppedAt: '2026-01-01T00:00:00Z' }, /"stoppedAt"/)
  await refused({ startedAt: '2026-02-31T00:00:00Z' }, /startedAt/)
  const { body: made } = await call('POST', all, { body })
  t.equal(made.impact, 'MINOR')
  for (let at = 1; at < 100; at += 1)
    await call('POST', `${all}/${made.id}/updates`, { body: { status: 'MONITORING', description: `${at}` } })
  const tooMany = await call('POST', `${all}/${made.id}/updates`, { body: first })
  t.equal(tooMany.status, 409)
  await call('DELETE', `/v1/dashboards/${address}`)
  t.equal((await call('GET', `${all}/${made.id}`)).status, 404)
})
