// Runs on both engines in test:all: two writes at once must not make a circle together.
/** What checks and groups say that they depend on: kept, shown, refused where it leads back, and gone with what it names. */
import { eachEngine } from '../../../../support/app.ts'

const url = { name: 'Shop', request: { url: 'http://127.0.0.1:9/' }, frequency: 1 }

eachEngine('it is kept and shown, by checks and groups, and can be sent back', async (t, { call }) => {
  const post = async (path: string, body: object) => {
    const answer = await call('POST', path, { body })
    t.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const router = await post('/v1/checks/tcp', {
    name: 'Router',
    request: { hostname: '127.0.0.1', port: 9 },
  })
  const routers = await post('/v2/check-groups', { name: 'Routers', dependsOn: [{ checkId: router.id }] })
  t.strictSame(routers.dependsOn, [{ checkId: router.id }])
  const dependsOn = [{ checkId: router.id }, { groupId: routers.id }]
  const shop = await post('/v1/checks/url', { ...url, dependsOn })
  t.strictSame(shop.dependsOn, dependsOn)
  t.strictSame(
    (await call('GET', '/v1/checks')).body.map((one: typeof shop) => one.dependsOn),
    [[], dependsOn],
  )
  const { id, checkType, created_at, updated_at, ...whole } = shop
  t.strictSame((await call('PUT', `/v1/checks/url/${id}`, { body: whole })).body.dependsOn, dependsOn)
  t.strictSame(
    (await call('PATCH', `/v1/checks/url/${id}`, { body: { name: 'Shop 2' } })).body.dependsOn,
    dependsOn,
  )
  t.match((await call('GET', `/v1/checks/${id}/alert-explanation`)).body, {
    dependsOn: [
      { checkId: router.id, groupId: null, name: 'Router' },
      { checkId: null, groupId: routers.id, name: 'Routers' },
    ],
    keptBackBy: null,
  })
  t.equal((await call('DELETE', `/v1/checks/${router.id}`)).status, 204)
  t.strictSame((await call('GET', `/v1/checks/${id}`)).body.dependsOn, [{ groupId: routers.id }])
  t.strictSame((await call('GET', `/v1/check-groups/${routers.id}`)).body.dependsOn, [])
  t.equal((await call('DELETE', `/v1/check-groups/${routers.id}`)).status, 204)
  t.strictSame((await call('GET', `/v1/checks/${id}`)).body.dependsOn, [])
})

type Body = { id: string & number; attributes: { violations: Array<{ path: string; message: string }> } }

eachEngine('what leads back is refused with its way, and changes nothing', async (t, { call }) => {
  const add = async (name: string, more: object = {}): Promise<string> =>
    (await call('POST', '/v1/checks/url', { body: { ...url, name, ...more } })).body.id
  const on = (checkId: string) => ({ dependsOn: [{ checkId }] })
  const refused = async (path: string, body: object, method = 'PATCH') => {
    const answer = await call(method, path, { body })
    t.equal(answer.status, 400, answer.text)
    return (answer.body as Body).attributes.violations.map((one) => one.message)
  }
  const a = await add('A')
  const b = await add('B', on(a))
  const c = await add('C', on(b))
  t.strictSame(await refused(`/v1/checks/url/${a}`, on(a)), ['"dependsOn.0" names itself'])
  t.strictSame(await refused(`/v1/checks/url/${a}`, on(c)), [
    '"dependsOn.0" makes a circle: it would depend on "C", which depends on "B", which depends on it',
  ])
  const group = (await call('POST', '/v2/check-groups', { body: { name: 'G', ...on(c) } })).body.id
  t.strictSame(await refused(`/v1/checks/url/${a}`, { groupId: group }), [
    '"groupId" makes a circle: it would depend on "C", which depends on "B", which depends on it',
  ])
  const inside = await add('Inside', { groupId: group })
  t.strictSame(await refused(`/v1/checks/url/${c}`, { dependsOn: [{ groupId: group }] }), [
    '"dependsOn.0" makes a circle: it would depend on "G", which depends on it',
  ])
  t.match(await refused(`/v2/check-groups/${group}`, on(inside)), [/makes a circle/])
  const unknown = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'
  t.strictSame(
    await refused(
      '/v1/checks/url',
      { ...url, dependsOn: [{ checkId: unknown }, { groupId: 99 }, {}] },
      'POST',
    ),
    [
      `"dependsOn.0.checkId" names a check that does not exist: ${unknown}`,
      '"dependsOn.1.groupId" names a check group that does not exist: 99',
      '"dependsOn.2.checkId" or "groupId": exactly one of them is needed',
    ],
  )
  t.strictSame((await call('GET', `/v1/checks/${a}`)).body.dependsOn, [])
  t.equal((await call('GET', `/v1/checks/${a}`)).body.groupId, null)
})

eachEngine('two writes that make a circle only together: one of them is refused', async (t, { call }) => {
  for (let round = 0; round < 5; round++) {
    const add = async (name: string) =>
      (await call('POST', '/v1/checks/url', { body: { ...url, name } })).body.id
    const [a, b] = [await add('A'), await add('B')]
    const on = (id: string, other: string) =>
      call('PATCH', `/v1/checks/url/${id}`, { body: { dependsOn: [{ checkId: other }] } })
    const answers = await Promise.all([on(a, b), on(b, a)])
    t.strictSame(answers.map(({ status }) => status).toSorted(), [200, 400])
  }
})
