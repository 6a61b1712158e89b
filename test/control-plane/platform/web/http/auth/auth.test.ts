import t from 'tap'
import { testApp } from '../../../../../support/app.ts'
import { addPerson } from '../../../../../support/members.ts'

t.test('no key, a wrong key and a malformed header are 401 "Bad Token"', async (t) => {
  const { call, apiKey, agentKey } = await testApp(t)
  for (const authorization of [
    '',
    'Bearer',
    'Bearer wp_wrong',
    `Basic ${apiKey}`,
    `Bearer ${agentKey}`,
    `Bearer ${'x'.repeat(5000)}`,
  ]) {
    const answer = await call('GET', '/v1/checks', { key: null, headers: { authorization } })
    t.equal(answer.status, 401, authorization)
    t.match(answer.body, { statusCode: 401, error: 'Unauthorized', message: 'Bad Token', attributes: {} })
    t.match(answer.headers.get('www-authenticate'), /^Bearer/)
  }
  t.equal(
    (await call('GET', '/v1/checks', { key: null, headers: { authorization: `bearer ${apiKey}` } })).status,
    200,
  )
})

t.test('the account header: absent, right, not a UUID, another account', async (t) => {
  const { call, accountId, addKey } = await testApp(t)
  const other = await addKey()
  const withAccount = (account: string) =>
    call('GET', '/v1/checks', { headers: { 'x-service-account': account } })
  t.equal((await withAccount(accountId)).status, 200)
  t.equal((await withAccount(accountId.toUpperCase())).status, 200)
  t.equal((await withAccount('1')).status, 400)
  t.equal((await withAccount(other.accountId)).status, 403)
})

t.test('the account header is obeyed or refused under each name that clients have for it', async (t) => {
  const plane = await testApp(t)
  const { call, accountId, addKey } = plane
  const other = await addKey()
  const { apiKey: key } = await addPerson(plane, { email: 'ada@example.com', role: 'OWNER' })
  const accountWith = async (headers: Record<string, string>) => {
    const { status, body } = await call('GET', '/v1/accounts/me', { key, headers })
    return status === 200 ? body.id : status
  }
  t.equal(await accountWith({ 'X-Checkly-Account': accountId }), accountId)
  t.equal(await accountWith({ 'x-watchpost-account': other.accountId }), 403, 'not an account of the key')
  t.equal(await accountWith({ 'x-checkly-account': '1' }), 400, 'not an id')
  t.equal(await accountWith({ 'x-checkly-account': '' }), 400, 'nothing')
  const agreeing = { 'x-checkly-account': accountId, 'x-service-account': accountId.toUpperCase() }
  t.equal(await accountWith(agreeing), accountId)
  const split = { 'x-checkly-account': accountId, 'x-service-account': other.accountId }
  t.equal(await accountWith(split), 400, 'two accounts')
  const ofGateways = {
    'x-gateway-account': '1',
    'x-amzn-account': other.accountId,
    'x-checkly-accounts': '1',
  }
  t.equal(await accountWith(ofGateways), accountId, 'headers that others add are not ours')
})

t.test('a role may do what weaker roles may, and no more', async (t) => {
  const { call, accountId, addKey } = await testApp(t)
  const body = { name: 'x', request: { url: 'https://example.com/' } }
  for (const [role, mayWrite] of [
    ['READ_ONLY', false],
    ['READ_RUN', false],
    ['READ_WRITE', true],
    ['ADMIN', true],
  ] as const) {
    const { apiKey: key } = await addKey({ accountId, role })
    t.equal((await call('GET', '/v1/checks', { key })).status, 200, role)
    const written = await call('POST', '/v1/checks/url', { key, body })
    t.equal(written.status, mayWrite ? 201 : 403, role)
    if (!mayWrite) t.match(written.body, { error: 'Forbidden', message: 'Forbidden' })
  }
})

t.test('a revoked key stops working within five seconds', async (t) => {
  const { call, advance, app, accountId, addKey } = await testApp(t)
  const { apiKey: key } = await addKey({ accountId })
  t.equal((await call('GET', '/v1/checks', { key })).status, 200)
  await app.db.execute((k) => k.updateTable('api_keys').set({ revoked_at: app.clock.now() }))
  advance(5000)
  t.equal((await call('GET', '/v1/checks', { key })).status, 401)
})

t.test('the last use of a key is recorded at most once a minute', async (t) => {
  const { call, advance, app } = await testApp(t)
  const lastUse = async () => {
    const [row] = await app.db.select((k) => k.selectFrom('api_keys').select('last_used_at'))
    return row?.last_used_at
  }
  const start = app.clock.now()
  await call('GET', '/v1/checks')
  t.equal(await lastUse(), start)
  advance(30_000)
  await call('GET', '/v1/checks')
  t.equal(await lastUse(), start)
  advance(30_000)
  await call('GET', '/v1/checks')
  t.equal(await lastUse(), start + 60_000)
})

t.test('agents have keys of their own, which open nothing else', async (t) => {
  const { call, agentKey, apiKey } = await testApp(t)
  const body = { agentId: 'a', leases: [] }
  t.equal((await call('POST', '/agent/v1/renew', { key: agentKey, body })).status, 200)
  t.equal((await call('POST', '/agent/v1/renew', { key: apiKey, body })).status, 401)
  t.equal((await call('GET', '/v1/checks', { key: agentKey })).status, 401)
})
