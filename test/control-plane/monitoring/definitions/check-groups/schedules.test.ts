import t from 'tap'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'

const request = { url: 'https://example.com/' }

const schedules = async ({ app }: TestApp) =>
  (
    await app.db.select((k) =>
      k
        .selectFrom('schedules')
        .select(['check_id', 'locations', 'parallel', 'runtime_id'])
        .orderBy('check_id'),
    )
  ).map((row) => ({
    ...row,
    locations: (JSON.parse(row.locations) as Array<{ name: string }>).map(({ name }) => name),
  }))

for (const engine of engineNames)
  t.test(`a group’s settings and their changes reach the schedules of its checks (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call } = app
    const { id: groupId } = (await call('POST', '/v2/check-groups', { body: { name: 'g' } })).body
    const put = async (body: object) => {
      const answer = await call('PUT', `/v2/check-groups/${groupId}`, { body: { name: 'g', ...body } })
      t.equal(answer.status, 200, answer.text)
    }
    const body = { name: 'x', request, groupId, privateLocations: ['local'] }
    const { id } = (await call('POST', '/v1/checks/url', { body })).body
    const own = { check_id: id, locations: ['local'], parallel: false, runtime_id: null }
    t.strictSame(await schedules(app), [own])

    await put({ locations: ['us-east-1', 'us-west-1'], runParallel: true })
    const applied = { ...own, locations: ['us-east-1', 'us-west-1'], parallel: true }
    t.strictSame(await schedules(app), [applied])

    const other = (await call('POST', '/v1/checks/url', { body: { ...body, groupId: null } })).body
    t.equal((await schedules(app)).length, 2)
    await call('PUT', `/v1/checks/url/${other.id}`, { body: { groupId } })
    t.match(
      await schedules(app),
      [applied, { ...applied, check_id: other.id }],
      'moving a check in applies them',
    )

    await put({ activated: false })
    t.strictSame(await schedules(app), [], 'an inactive group runs nothing')
    const late = await call('POST', '/v1/checks/url', { body })
    t.strictSame(await schedules(app), [], 'a new check of it neither')
    await call('PUT', `/v1/checks/url/${other.id}`, { body: { groupId: null } })
    t.match(
      await schedules(app),
      [{ check_id: other.id, locations: ['local'], parallel: false }],
      'moved out, it runs',
    )

    await put({ activated: true, locations: [], runParallel: null })
    t.strictSame(
      (await schedules(app)).map((row) => [row.check_id, row.locations, row.parallel]),
      [id, other.id, late.body.id].sort().map((each) => [each, ['local'], false]),
      'back to their own settings',
    )
  })

t.test('a change that says nothing about runs leaves the schedules alone', async (t) => {
  const { call, app, advance } = await testApp(t)
  const { id: groupId } = (await call('POST', '/v2/check-groups', { body: { name: 'g' } })).body
  await call('POST', '/v1/checks/url', { body: { name: 'x', request, groupId, privateLocations: ['local'] } })
  const before = await app.db.select((k) => k.selectFrom('schedules').selectAll())
  advance(86_400_000)
  await call('PUT', `/v2/check-groups/${groupId}`, { body: { name: 'renamed', tags: ['a'], muted: true } })
  t.strictSame(await app.db.select((k) => k.selectFrom('schedules').selectAll()), before)
})

t.test('a heartbeat of an inactive group expects nothing', async (t) => {
  const { call, app } = await testApp(t)
  const { id: groupId } = (await call('POST', '/v2/check-groups', { body: { name: 'g' } })).body
  await call('POST', '/v1/checks/heartbeat', {
    body: { name: 'x', script: '', heartbeat: { period: 30, grace: 0 }, groupId },
  })
  const active = () => app.db.select((k) => k.selectFrom('heartbeats').select('activated'))
  t.strictSame(await active(), [{ activated: true }])
  await call('PUT', `/v1/check-groups/${groupId}`, { body: { activated: false } })
  t.strictSame(await active(), [{ activated: false }])
})

t.test('checks and their group may be written at the same time', async (t) => {
  const app = await testApp(t, { engine: 'postgres' })
  const { call } = app
  const { id: groupId } = (await call('POST', '/v2/check-groups', { body: { name: 'g' } })).body
  const created = await Promise.all(
    Array.from({ length: 4 }, (_, i) =>
      call('POST', '/v1/checks/url', {
        body: { name: `${i}`, request, groupId, privateLocations: ['local'] },
      }),
    ),
  )
  const writes = created.flatMap(({ body: { id } }, i) => [
    call('PUT', `/v1/checks/url/${id}`, { body: { frequency: 5, groupId: i % 2 === 0 ? groupId : null } }),
    call('PUT', `/v2/check-groups/${groupId}`, {
      body: { name: 'g', locations: i < 3 ? ['us-east-1'] : [], runParallel: true },
    }),
    ...(i === 0 ? [call('DELETE', `/v1/checks/${id}`)] : []),
  ])
  for (const { status, text } of await Promise.all(writes)) t.ok(status < 300 || status === 404, text)
  const group = (await call('GET', `/v1/check-groups/${groupId}`)).body
  const inGroup = group.locations.length > 0 ? group.locations : ['local']
  const left = created.slice(1)
  t.strictSame(
    (await schedules(app)).map((row) => [row.check_id, row.locations, row.parallel]).sort(),
    left.map(({ body: { id } }, i) => (i % 2 === 1 ? [id, inGroup, true] : [id, ['local'], false])).sort(),
    'every schedule is that of the check and group as they are now, and none is left of the deleted check',
  )
})
