// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

for (const engine of engineNames) {
  t.test(`a variable lives: created, read, listed, changed, deleted (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const created = await call('POST', '/v1/variables', { body: { key: 'A.b-1', value: 'x' } })
    t.equal(created.status, 201)
    t.match(created.body, { key: 'A.b-1', value: 'x', locked: false, secret: false, updated_at: null })
    t.strictSame((await call('GET', '/v1/variables/A.b-1')).body, created.body)
    const changed = await call('PUT', '/v1/variables/A.b-1', { body: { value: 'y' } })
    t.match(changed, { status: 200, body: { value: 'y', locked: false } })
    t.strictSame((await call('GET', '/v1/variables')).body, [changed.body])
    t.equal((await call('DELETE', '/v1/variables/A.b-1')).status, 204)
    t.equal((await call('GET', '/v1/variables/A.b-1')).status, 404)
    t.equal((await call('DELETE', '/v1/variables/A.b-1')).status, 404)
    t.equal((await call('PUT', '/v1/variables/A.b-1', { body: { value: 'z' } })).status, 404)
  })

  t.test(`a key that exists in the account is 409, in another account it is free (${engine})`, async (t) => {
    const { call, addKey } = await testApp(t, { engine })
    const { apiKey: other } = await addKey()
    const body = { key: 'A', value: 'first' }
    t.equal((await call('POST', '/v1/variables', { body })).status, 201)
    t.equal((await call('POST', '/v1/variables', { body: { key: 'A', value: 'second' } })).status, 409)
    t.equal((await call('GET', '/v1/variables/A')).body.value, 'first')
    t.equal((await call('GET', '/v1/variables/A', { key: other })).status, 404)
    t.equal((await call('POST', '/v1/variables', { key: other, body })).status, 201)
    t.equal((await call('DELETE', '/v1/variables/A', { key: other })).status, 204)
    t.equal((await call('GET', '/v1/variables/A')).status, 200)
  })

  t.test(`a secret value is echoed once, never read again, and stays secret (${engine})`, async (t) => {
    const { app, call, logged } = await testApp(t, { engine })
    const canary = 'canary-7f3a91'
    const created = await call('POST', '/v1/variables', { body: { key: 'S', value: canary, secret: true } })
    t.equal(created.body.value, canary)
    t.equal((await call('GET', '/v1/variables/S')).body.value, null)
    t.notMatch((await call('GET', '/v1/variables')).text, canary)
    const changed = await call('PUT', '/v1/variables/S', { body: { value: `${canary}-2`, secret: false } })
    t.match(changed.body, { value: `${canary}-2`, secret: true })
    t.match((await call('GET', '/v1/variables/S')).body, { value: null, secret: true })
    const stored = await app.db.select((k) => k.selectFrom('variables').selectAll())
    t.notMatch(JSON.stringify(stored), canary, 'sealed at rest')
    t.notMatch(JSON.stringify(logged), canary)
  })

  t.test(`changes made at once to one variable are all seen by somebody (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const { headers } = await call('POST', '/v1/variables', { body: { key: 'A', value: '0' } })
    const put = (value: string, more = {}) => call('PUT', '/v1/variables/A', { body: { value }, ...more })
    const guarded = { headers: { 'if-match': headers.get('etag')! } }
    const answers = await Promise.all([put('1', guarded), put('2', guarded), put('3', guarded)])
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 412, 412])
    const winner = answers.find(({ status }) => status === 200)
    t.equal((await call('GET', '/v1/variables/A')).body.value, winner?.body.value)
  })
}

t.test('no value is stored in clear, and a sealed one opens only in its row', async (t) => {
  const { app, call } = await testApp(t)
  for (const key of ['A', 'B']) await call('POST', '/v1/variables', { body: { key, value: `plain-${key}` } })
  const rows = await app.db.select((k) => k.selectFrom('variables').selectAll().orderBy('key'))
  t.notMatch(JSON.stringify(rows), 'plain-')
  t.throws(() => app.cipher.decrypt(rows[0]!.value, `variable ${rows[0]!.account_id} B`))
})

t.test('a locked value is shown to READ_WRITE and above only', async (t) => {
  const { call, addKey, accountId } = await testApp(t)
  await call('POST', '/v1/variables', { body: { key: 'L', value: 'v', locked: true } })
  const seen = { READ_ONLY: null, READ_RUN: null, READ_WRITE: 'v', ADMIN: 'v', OWNER: 'v' } as const
  for (const [role, value] of Object.entries(seen)) {
    const { apiKey: key } = await addKey({ accountId, role: role as keyof typeof seen })
    t.equal((await call('GET', '/v1/variables/L', { key })).body.value, value, role)
    t.equal((await call('GET', '/v1/variables', { key })).body[0].value, value, role)
  }
  const unlocked = await call('PUT', '/v1/variables/L', { body: { value: 'v', locked: false } })
  t.equal(unlocked.body.locked, false)
})

t.test('the rules of a variable: key, value, unknown fields, role', async (t) => {
  const { call, addKey, accountId } = await testApp(t)
  const post = (body: unknown) => call('POST', '/v1/variables', { body })
  for (const key of ['', 'a b', 'a=b', 'a/b', '{{a}}', '..', 'x'.repeat(256)])
    t.equal((await post({ key, value: 'v' })).status, 400, `key ${key.slice(0, 9)}`)
  t.equal((await post({ key: 'A' })).status, 400, 'value is required')
  t.equal((await post({ key: 'A', value: 5 })).status, 400, 'value is a string')
  t.equal((await post({ key: 'A', value: 'x', hidden: true })).status, 400, 'unknown field')
  t.equal((await post({ key: 'A', value: '' })).status, 201, 'an empty value may be created')
  t.equal((await call('PUT', '/v1/variables/A', { body: { value: '' } })).status, 200, 'and stay empty')
  t.equal((await call('PUT', '/v1/variables/A', { body: { value: 'x' } })).status, 200)
  t.equal((await call('PUT', '/v1/variables/A', { body: { value: '' } })).status, 400, 'on PUT min 1')
  t.equal(
    (await call('PUT', '/v1/variables/A', { body: { key: 'B', value: 'x' } })).status,
    400,
    'key is fixed',
  )
  const { apiKey: key } = await addKey({ accountId, role: 'READ_RUN' })
  t.equal((await call('POST', '/v1/variables', { key, body: { key: 'C', value: 'x' } })).status, 403)
})
