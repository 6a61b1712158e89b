// Runs on both engines in test:all: its statements run in no other file.
import { findPage } from '../../../../control-plane/communication/stored-pages/queries.ts'
import { readModel } from '../../../../control-plane/pages/status/read-model.ts'
import { eachEngine, type TestApp } from '../../../support/app.ts'

const all = '/v3/status-pages'
const missing = '00000000-0000-4000-8000-000000000000'

const makePage = async ({ call }: TestApp, url: string, names: readonly string[]) => {
  const page = await call('POST', all, { body: { name: url, url } })
  const ids: string[] = []
  for (const name of names) {
    const { body } = await call('POST', `${all}/${page.body.id}/components`, { body: { name } })
    ids.push(body.id)
  }
  return { pageId: page.body.id as string, ids, path: `${all}/${page.body.id}/incidents` }
}

const first = { description: 'We look into it.', status: 'INVESTIGATING' }

const statesOf = async ({ app, accountId }: TestApp, id: string): Promise<string[]> => {
  const row = await app.db.get(findPage, { id, accountId })
  if (row === undefined) throw new Error('no such page')
  const { model } = await readModel(app, row)
  return model.cards.flatMap(({ services }) => services.map(({ name, state }) => `${name} ${state}`))
}

eachEngine('an incident hits each component as it says, until it says otherwise', async (t, plane) => {
  const { call, advance, addKey } = plane
  const { pageId, ids, path } = await makePage(plane, 'acme', ['api', 'web', 'mail'])
  const [api = '', web = '', mail = ''] = ids
  const componentImpacts = [
    { componentId: api, impact: 'MAJOR_OUTAGE' },
    { componentId: web, impact: 'DEGRADED_PERFORMANCE' },
    { componentId: mail, impact: 'UNDER_MAINTENANCE' },
  ]
  const created = await call('POST', path, {
    body: { name: 'Down', incidentUpdates: [first], componentImpacts },
  })
  t.equal(created.status, 201, created.text)
  t.match(created.body, {
    name: 'Down',
    status: 'INVESTIGATING',
    impact: 'MAJOR_OUTAGE',
    statusPageId: pageId,
  })
  t.strictSame((await statesOf(plane, pageId)).sort(), ['api major', 'mail maintenance', 'web degraded'])
  const { id } = created.body
  const older = await call('GET', `/v1/status-pages/incidents/${id}`)
  t.match(older.body, { severity: 'CRITICAL', services: [{ id: api }, { id: web }, { id: mail }] })

  advance(3_600_000)
  const posted = await call('POST', `${path}/${id}/incident-updates`, {
    body: {
      ...{ description: 'Better.', status: 'MONITORING' },
      componentImpacts: [
        { componentId: api, impact: 'PARTIAL_OUTAGE' },
        { componentId: web, impact: 'OPERATIONAL' },
      ],
    },
  })
  t.equal(posted.status, 201, posted.text)
  t.strictSame((await statesOf(plane, pageId)).sort(), ['api partial', 'mail maintenance', 'web unknown'])
  const now = (await call('GET', `${path}/${id}`)).body
  t.match(now, { impact: 'PARTIAL_OUTAGE', status: 'MONITORING' })
  t.strictSame(
    now.componentImpacts.map((each: { componentId: string; impact: string; endedAt: string | null }) => [
      ids.indexOf(each.componentId),
      each.impact,
      each.endedAt,
    ]),
    [
      [0, 'MAJOR_OUTAGE', '2026-01-01T01:00:00.000Z'],
      [1, 'DEGRADED_PERFORMANCE', '2026-01-01T01:00:00.000Z'],
      [2, 'UNDER_MAINTENANCE', null],
      [0, 'PARTIAL_OUTAGE', null],
    ],
  )
  advance(3_600_000)
  await call('POST', `${path}/${id}/incident-updates`, { body: { description: 'Over.', status: 'RESOLVED' } })
  const over = (await call('GET', `${path}/${id}`)).body
  t.match(over, { status: 'RESOLVED', impact: null, resolvedAt: '2026-01-01T02:00:00.000Z' })
  t.match(over.componentImpacts[3], { endedAt: '2026-01-01T02:00:00.000Z' })
  t.strictSame((await statesOf(plane, pageId)).sort(), ['api unknown', 'mail unknown', 'web unknown'])
  t.equal((await call('GET', `${path}/${id}/incident-updates`)).body.length, 3)

  const renamed = await call('PUT', `${path}/${id}`, { body: { name: 'It was down' } })
  t.match(renamed.body, { name: 'It was down', componentImpacts: over.componentImpacts })
  const update = `${path}/${id}/incident-updates/${posted.body.id}`
  t.match((await call('PUT', update, { body: { description: 'A little better.' } })).body, {
    description: 'A little better.',
    status: 'MONITORING',
  })
  t.equal((await call('DELETE', update)).status, 204)
  t.equal((await call('GET', update)).status, 404)
  const { apiKey: key } = await addKey()
  for (const method of ['GET', 'DELETE']) t.equal((await call(method, `${path}/${id}`, { key })).status, 404)
  t.equal((await call('DELETE', `${path}/${id}`)).status, 204)
  t.equal((await call('GET', `${path}/${id}`)).status, 404)
})

eachEngine('the timeline of impacts is replaced, also of the past, and uptime follows', async (t, plane) => {
  const { call, advance } = plane
  const { pageId, ids, path } = await makePage(plane, 'acme', ['api'])
  const [componentId = ''] = ids
  const made = await call('POST', path, {
    body: { name: 'Down', incidentUpdates: [first], componentImpacts: [{ componentId }] },
  })
  advance(10 * 3_600_000)
  await call('POST', `${path}/${made.body.id}/incident-updates`, {
    body: { description: 'Over.', status: 'RESOLVED' },
  })
  advance(14 * 3_600_000)
  const uptime = async () => {
    const row = await plane.app.db.get(findPage, { id: pageId, accountId: plane.accountId })
    const { model } = await readModel(plane.app, row ?? (undefined as never))
    return model.cards[0]?.services[0]?.days.at(-2)?.uptime
  }
  t.equal(await uptime(), 14 / 24)
  const replace = (componentImpacts: object[]) =>
    call('PUT', `${path}/${made.body.id}/component-impacts`, { body: { componentImpacts } })
  const startedAt = '2026-01-01T00:00:00.000Z'
  const replaced = await replace([
    { componentId, impact: 'MAJOR_OUTAGE', startedAt, endedAt: '2026-01-01T06:00:00.000Z' },
    { componentId, impact: 'UNDER_MAINTENANCE', startedAt: '2026-01-01T06:00:00.000Z' },
  ])
  t.equal(replaced.status, 200, replaced.text)
  t.equal(await uptime(), 18 / 24, 'what was work took nothing')
  for (const [impact, field] of [
    [{ componentId: missing, startedAt }, /componentId/],
    [{ componentId, startedAt, endedAt: startedAt }, /endedAt/],
    [{ componentId, startedAt: '2026-02-31T00:00:00Z' }, /startedAt/],
  ] as const) {
    const refused = await replace([impact])
    t.equal(refused.status, 400, refused.text)
    t.match(refused.body.message, field)
  }
  const twice = await call('POST', path, {
    body: { name: 'x', incidentUpdates: [first], componentImpacts: [{ componentId }, { componentId }] },
  })
  t.match(twice.body.message, /named twice/)
})

eachEngine('both versions show the same incidents; one of a page stays on it', async (t, plane) => {
  const { call } = plane
  const one = await makePage(plane, 'one', ['api'])
  const [api = ''] = one.ids
  const other = await call('POST', '/v1/status-pages', {
    body: { name: 'Two', url: 'two', cards: [{ name: 'All', services: [{ id: api }] }] },
  })
  const shared = await call('POST', '/v1/status-pages/incidents', {
    body: { name: 'Everywhere', severity: 'MAJOR', services: [{ id: api }], incidentUpdates: [first] },
  })
  plane.advance(1000)
  const own = await call('POST', one.path, {
    body: { name: 'Here alone', incidentUpdates: [first], componentImpacts: [{ componentId: api }] },
  })
  const names = async (pageId: string) =>
    (await call('GET', `${all}/${pageId}/incidents`)).body.entries.map(({ name }: { name: string }) => name)
  t.strictSame(await names(one.pageId), ['Here alone', 'Everywhere'])
  t.strictSame(await names(other.body.id), ['Everywhere'])
  const older = (await call('GET', `/v1/status-pages/${other.body.id}`)).body
  t.strictSame(
    older.incidents.map(({ name }: { name: string }) => name),
    ['Everywhere'],
  )
  t.match((await call('GET', `${one.path}/${shared.body.id}`)).body, {
    impact: 'PARTIAL_OUTAGE',
    componentImpacts: [{ componentId: api, impact: 'PARTIAL_OUTAGE', endedAt: null }],
  })
  t.equal((await call('GET', `${all}/${other.body.id}/incidents/${own.body.id}`)).status, 404)
  t.match(await statesOf(plane, other.body.id), ['api partial'], 'it is no worse there')
  const page = await call('GET', `${one.path}?limit=1`)
  t.equal(page.body.length, 1)
  t.equal(
    (await call('GET', `${one.path}?limit=1&nextId=${page.body.nextId}`)).body.entries[0].name,
    'Everywhere',
  )
  const said = await call('PUT', `/v1/status-pages/incidents/${own.body.id}`, { body: { severity: 'MINOR' } })
  t.equal(said.status, 200)
  t.match((await call('GET', `${one.path}/${own.body.id}`)).body.impact, 'DEGRADED_PERFORMANCE')
})
