// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'

const url = { url: 'https://example.com/' }

for (const engine of engineNames) {
  t.test(`a group lives: created, read, listed, changed, deleted (${engine})`, async (t) => {
    const { call, advance } = await testApp(t, { engine })
    const created = await call('POST', '/v1/check-groups', { body: { name: 'shop' } })
    t.equal(created.status, 201, created.text)
    t.equal(created.headers.get('deprecation'), 'true', 'v1 writes are superseded')
    t.match(created.body, {
      name: 'shop',
      activated: true,
      muted: false,
      tags: [],
      locations: [],
      privateLocations: [],
      concurrency: 3,
      apiCheckDefaults: { url: '', headers: [], queryParameters: [], assertions: [], basicAuth: null },
      browserCheckDefaults: '',
      runtimeId: null,
      environmentVariables: [],
      doubleCheck: true,
      useGlobalAlertSettings: true,
      alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 1 } },
      alertChannelSubscriptions: [],
      setupSnippetId: null,
      tearDownSnippetId: null,
      localSetupScript: null,
      localTearDownScript: null,
      runParallel: false,
      retryStrategy: 'FALLBACK',
      updated_at: null,
    })
    const { id } = created.body
    t.equal(typeof id, 'number')
    t.strictSame((await call('GET', `/v1/check-groups/${id}`)).body, created.body)
    advance(1000)
    const changed = await call('PUT', `/v2/check-groups/${id}`, {
      body: { name: 'shop', runParallel: null, retryStrategy: { type: 'LINEAR' } },
    })
    t.equal(changed.status, 200, changed.text)
    t.notOk(changed.headers.get('deprecation'))
    t.match(changed.body, {
      runParallel: null,
      retryStrategy: { type: 'LINEAR', maxRetries: 2 },
      useGlobalAlertSettings: true,
      updated_at: '2026-01-01T00:00:01.000Z',
    })
    const list = await call('GET', '/v1/check-groups')
    t.strictSame(list.body, [changed.body])
    t.equal(list.headers.get('content-range'), '0-0/1')
    t.equal((await call('DELETE', `/v1/check-groups/${id}`)).status, 204)
    for (const method of ['GET', 'DELETE'])
      t.equal((await call(method, `/v1/check-groups/${id}`)).status, 404)
    for (const version of ['v1', 'v2'])
      t.equal((await call('PUT', `/${version}/check-groups/${id}`, { body: { name: 'x' } })).status, 404)
  })

  t.test(`a group that holds checks is kept; another account's group is not there (${engine})`, async (t) => {
    const { call, addKey } = await testApp(t, { engine })
    const { id } = (await call('POST', '/v2/check-groups', { body: { name: 'a' } })).body
    const body = { name: 'x', request: url, groupId: id }
    const check = (await call('POST', '/v1/checks/url', { body })).body
    const refused = await call('DELETE', `/v1/check-groups/${id}`)
    t.equal(refused.status, 409)
    t.strictSame(refused.body.attributes, { checkIds: [check.id] })
    const { apiKey: key } = await addKey()
    t.equal((await call('GET', `/v1/check-groups/${id}`, { key })).status, 404)
    t.equal((await call('GET', `/v1/check-groups/${id}/checks`, { key })).status, 404)
    t.equal((await call('GET', `/v1/check-groups/${id}/checks/${check.id}`, { key })).status, 404)
    t.equal((await call('PUT', `/v2/check-groups/${id}`, { key, body: { name: 'y' } })).status, 404)
    t.equal((await call('DELETE', `/v1/check-groups/${id}`, { key })).status, 404)
    t.equal((await call('POST', '/v1/checks/url', { key, body })).status, 400, 'nor for its checks')
    await call('PUT', `/v1/checks/url/${check.id}`, { body: { groupId: null } })
    t.equal((await call('DELETE', `/v1/check-groups/${id}`)).status, 204)
  })

  t.test(`of two clients that change one version one notices; fields are not lost (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const created = await call('POST', '/v2/check-groups', { body: { name: 'a' } })
    const path = `/v2/check-groups/${created.body.id}`
    const headers = { 'if-match': created.headers.get('etag') ?? '' }
    const both = await Promise.all(['b', 'c'].map((name) => call('PUT', path, { headers, body: { name } })))
    t.strictSame(both.map(({ status }) => status).sort(), [200, 412])
    const changes = [{ muted: true }, { tags: ['a'] }, { concurrency: 9 }]
    await Promise.all(changes.map((more) => call('PATCH', path, { body: { name: 'd', ...more } })))
    t.match((await call('GET', `/v1/check-groups/${created.body.id}`)).body, Object.assign({}, ...changes))
  })

  t.test(`its checks are listed and read with its settings applied (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const { id } = (
      await call('POST', '/v2/check-groups', {
        body: { name: 'a', tags: ['g'], locations: ['us-east-1'], muted: true, runParallel: true },
      })
    ).body
    const body = { name: 'x', request: url, locations: ['eu-west-1'], tags: ['c'] }
    const check = (await call('POST', '/v1/checks/url', { body: { ...body, groupId: id } })).body
    const other = (await call('POST', '/v1/checks/url', { body })).body
    const applied = {
      id: check.id,
      locations: ['us-east-1'],
      tags: ['c', 'g'],
      muted: true,
      runParallel: true,
    }
    for (const version of ['v1', 'v2']) {
      const list = await call('GET', `/${version}/check-groups/${id}/checks`)
      t.match(list.body, [applied])
      t.equal(list.headers.get('content-range'), '0-0/1')
      t.match((await call('GET', `/${version}/check-groups/${id}/checks/${check.id}`)).body, applied)
      t.equal((await call('GET', `/${version}/check-groups/${id}/checks/${other.id}`)).status, 404)
      t.match((await call('GET', `/${version}/checks/${check.id}?applyGroupSettings=true`)).body, applied)
      t.match((await call('GET', `/${version}/checks?applyGroupSettings=true&limit=1`)).body, [applied])
    }
    t.match((await call('GET', `/v1/checks/${check.id}`)).body, { locations: ['eu-west-1'], muted: false })
  })
}

t.test('v2 leaves to the checks what v1 decides for them', async (t) => {
  const { call } = await testApp(t)
  const { body } = await call('POST', '/v2/check-groups', { body: { name: 'a' } })
  t.match(body, {
    useGlobalAlertSettings: null,
    alertSettings: null,
    runParallel: null,
    retryStrategy: 'FALLBACK',
    doubleCheck: false,
  })
})

t.test('lists are filtered by tags and exact names, each repeatable', async (t) => {
  const { call } = await testApp(t)
  for (const [name, tags] of [
    ['a', ['x']],
    ['b', ['y', 'z']],
    ['c', []],
  ] as const)
    await call('POST', '/v2/check-groups', { body: { name, tags } })
  const names = async (query: string) =>
    (await call('GET', `/v1/check-groups?${query}`)).body.map(({ name }: { name: string }) => name)
  t.strictSame(await names('tag=x'), ['a'])
  t.strictSame(await names('tag=x&tag=z'), ['a', 'b'])
  t.strictSame(await names('name=b&name=c&name=nobody'), ['b', 'c'])
  t.strictSame(await names('name=b&tag=x'), [])
  t.strictSame(await names('limit=1&page=3'), ['c'])
})

t.test('every rule of the contract’s table that a group can break', async (t) => {
  const { call } = await testApp(t)
  const refused: Array<[string, Record<string, unknown>, string]> = [
    ['v1', { name: undefined }, 'name required'],
    ['v2', { name: '' }, 'name minLength'],
    ['v2', { concurrency: 0 }, 'concurrency minimum'],
    ['v2', { locations: ['mars-1'] }, 'locations.0 enum'],
    ['v2', { privateLocations: ['nowhere'] }, 'privateLocations exists'],
    ['v2', { runtimeId: '2021.01' }, 'runtimeId enum'],
    ['v2', { retryStrategy: 'NEVER' }, 'retryStrategy pattern'],
    ['v2', { retryStrategy: { maxRetries: 11 } }, 'retryStrategy.maxRetries maximum'],
    ['v1', { runParallel: null }, 'runParallel type'],
    ['v1', { useGlobalAlertSettings: null }, 'useGlobalAlertSettings type'],
    ['v2', { setupSnippetId: 7 }, 'setupSnippetId exists'],
    [
      'v2',
      { alertChannelSubscriptions: [{ alertChannelId: 7 }] },
      'alertChannelSubscriptions.0.alertChannelId exists',
    ],
    ['v2', { apiCheckDefaults: { headers: [{ value: 'x' }] } }, 'apiCheckDefaults.headers.0.key required'],
    ['v2', { apiCheckDefaults: { method: 'GET' } }, 'apiCheckDefaults.method additionalProperties'],
    [
      'v2',
      { environmentVariables: ['A', 'A'].map((key) => ({ key, value: '' })) },
      'environmentVariables.1.key unique',
    ],
    ['v2', { frequency: 5 }, 'frequency additionalProperties'],
  ]
  for (const [version, fields, expected] of refused) {
    const answer = await call('POST', `/${version}/check-groups`, { body: { name: 'x', ...fields } })
    t.equal(answer.status, 400, `${expected}: ${answer.text}`)
    const broken = answer.body.attributes.violations.map(
      ({ path, rule }: { path: string; rule: string }) => `${path} ${rule}`,
    )
    t.ok(broken.includes(expected), `${expected} in ${broken}`)
  }
  t.equal((await call('GET', '/v1/check-groups/abc')).status, 400, 'an id that is no number')
  t.strictSame((await call('GET', '/v1/check-groups')).body, [], 'nothing was created')
})

t.test('READ_WRITE and above write groups, everybody reads them', async (t) => {
  const { call, addKey, accountId } = await testApp(t)
  for (const [role, status] of [
    ['READ_ONLY', 403],
    ['READ_RUN', 403],
    ['READ_WRITE', 201],
  ] as const) {
    const { apiKey: key } = await addKey({ accountId, role })
    t.equal((await call('POST', '/v2/check-groups', { key, body: { name: 'a' } })).status, status, role)
    t.equal((await call('GET', '/v1/check-groups', { key })).status, 200)
  }
})
