// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { insertCheck } from '../../../../control-plane/monitoring/definitions/checks/queries.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const addCheck = async ({ app }: TestApp, accountId: string): Promise<string> => {
  const id = app.newId()
  await app.db.run(insertCheck, {
    id,
    account_id: accountId,
    type: 'URL',
    name: 'check',
    activated: false,
    group_id: null,
    created_at: 1,
    doc: '{}',
  })
  return id
}

const emailBody = { type: 'EMAIL', config: { address: 'a@example.com' } }

for (const engine of engineNames) {
  t.test(
    `a channel lives: created with its defaults, read, listed, changed, deleted (${engine})`,
    async (t) => {
      const { call, advance } = await testApp(t, { engine })
      const created = await call('POST', '/v1/alert-channels', { body: emailBody })
      t.equal(created.status, 201)
      t.strictSame(created.body, {
        id: created.body.id,
        ...emailBody,
        subscriptions: [],
        sendRecovery: true,
        sendFailure: true,
        sendDegraded: false,
        sslExpiry: false,
        sslExpiryThreshold: 30,
        autoSubscribe: false,
        locationAlerts: false,
        fallbackChannelId: null,
        hours: null,
        grouping: null,
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: null,
      })
      const path = `/v1/alert-channels/${created.body.id}`
      t.strictSame((await call('GET', path)).body, created.body)
      advance(1000)
      const changed = await call('PUT', path, {
        body: {
          type: 'EMAIL',
          config: { address: 'b@example.com' },
          sendDegraded: true,
          sslExpiryThreshold: 7,
        },
      })
      t.match(changed, { status: 200, body: { config: { address: 'b@example.com' }, sendDegraded: true } })
      const again = await call('PUT', path, { body: emailBody })
      t.match(again.body, { sendDegraded: true, sslExpiryThreshold: 7 }, 'flags that are left out stay')
      const list = await call('GET', '/v1/alert-channels')
      t.strictSame(list.body, [again.body])
      t.equal(list.headers.get('content-range'), '0-0/1')
      t.equal((await call('DELETE', path)).status, 204)
      t.equal((await call('GET', path)).status, 404)
      t.equal((await call('DELETE', path)).status, 404)
      t.equal((await call('PUT', path, { body: emailBody })).status, 404)
    },
  )

  t.test(`subscriptions name exactly one check or group of the account (${engine})`, async (t) => {
    const given = await testApp(t, { engine })
    const { call, addKey } = given
    const checkId = await addCheck(given, given.accountId)
    const foreign = await addCheck(given, (await addKey()).accountId)
    const body = { ...emailBody, subscriptions: [{ checkId, activated: true }] }
    const created = await call('POST', '/v1/alert-channels', { body })
    t.match(created, { status: 201, body: { subscriptions: [{ checkId, groupId: null, activated: true }] } })
    const path = `/v1/alert-channels/${created.body.id}/subscriptions`
    const wrong = [
      { activated: true },
      { checkId, groupId: 1, activated: true },
      { checkId: foreign, activated: true },
      { groupId: 99, activated: true },
      { checkId },
    ]
    for (const subscription of wrong) {
      t.equal((await call('PUT', path, { body: subscription })).status, 400, JSON.stringify(subscription))
      const refused = await call('POST', '/v1/alert-channels', {
        body: { ...emailBody, subscriptions: [subscription] },
      })
      t.equal(refused.status, 400)
    }
    t.equal((await call('GET', '/v1/alert-channels')).body.length, 1, 'nothing of what was refused is left')
    const off = await call('PUT', path, { body: { checkId, activated: false } })
    t.strictSame(off.body, { id: created.body.subscriptions[0].id, checkId, groupId: null, activated: false })
    const second = await addCheck(given, given.accountId)
    await call('PUT', path, { body: { checkId: second, activated: true } })
    const channel = (await call('GET', `/v1/alert-channels/${created.body.id}`)).body
    t.equal(channel.subscriptions.length, 2)
    const replaced = await call('PUT', `/v1/alert-channels/${created.body.id}`, {
      body: { ...emailBody, subscriptions: [{ checkId: second, activated: true }] },
    })
    t.match(replaced.body.subscriptions, [{ checkId: second }])
    t.equal(replaced.body.subscriptions.length, 1, 'a list that is sent is the whole list')
    t.equal((await call('DELETE', `/v1/alert-channels/${created.body.id}`)).status, 204)
    const left = await given.app.db.select((k) => k.selectFrom('channel_subscriptions').selectAll())
    t.strictSame(left, [], 'subscriptions go with their channel')
    t.equal((await call('PUT', path, { body: { checkId, activated: true } })).status, 404)
  })

  t.test(`another account's channel is not there (${engine})`, async (t) => {
    const { call, addKey } = await testApp(t, { engine })
    const { apiKey: key } = await addKey()
    const { id } = (await call('POST', '/v1/alert-channels', { body: emailBody })).body
    const path = `/v1/alert-channels/${id}`
    t.equal((await call('GET', path, { key })).status, 404)
    t.equal((await call('PUT', path, { key, body: emailBody })).status, 404)
    t.equal((await call('DELETE', path, { key })).status, 404)
    t.strictSame((await call('GET', '/v1/alert-channels', { key })).body, [])
  })

  t.test(`of two clients that change one version of a channel one notices (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const created = await call('POST', '/v1/alert-channels', { body: emailBody })
    const headers = { 'if-match': created.headers.get('etag')! }
    const path = `/v1/alert-channels/${created.body.id}`
    const answers = await Promise.all([1, 2].map(() => call('PUT', path, { headers, body: emailBody })))
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 412])
  })
}

t.test(
  'sslExpiryThreshold is 1 to 30, type and config are required, unknown fields are refused',
  async (t) => {
    const { call } = await testApp(t)
    const post = async (body: unknown) => (await call('POST', '/v1/alert-channels', { body })).status
    for (const sslExpiryThreshold of [0, 31, 1.5])
      t.equal(await post({ ...emailBody, sslExpiryThreshold }), 400)
    for (const sslExpiryThreshold of [1, 30]) t.equal(await post({ ...emailBody, sslExpiryThreshold }), 201)
    t.equal(await post({ type: 'EMAIL' }), 400)
    t.equal(await post({ config: emailBody.config }), 400)
    t.equal(await post({ ...emailBody, type: 'FAX' }), 400)
    t.equal(await post({ ...emailBody, colour: 'red' }), 400)
    const { id } = (await call('POST', '/v1/alert-channels', { body: emailBody })).body
    t.equal((await call('PUT', `/v1/alert-channels/${id}`, { body: { sendFailure: false } })).status, 400)
  },
)

t.test('a config that breaks the rules of its type is named by field, and by nothing else', async (t) => {
  const { call } = await testApp(t)
  const answer = await call('POST', '/v1/alert-channels', {
    body: { type: 'EMAIL', config: { adress: 'x' } },
  })
  t.equal(answer.status, 400)
  t.strictSame(answer.body.attributes.violations.map(({ path }: { path: string }) => path).sort(), [
    'config.address',
    'config.adress',
  ])
})

t.test('READ_WRITE and above write channels, everybody reads them', async (t) => {
  const { call, addKey, accountId } = await testApp(t)
  for (const [role, status] of [
    ['READ_ONLY', 403],
    ['READ_RUN', 403],
    ['READ_WRITE', 201],
  ] as const) {
    const { apiKey: key } = await addKey({ accountId, role })
    t.equal((await call('POST', '/v1/alert-channels', { key, body: emailBody })).status, status, role)
    t.equal((await call('GET', '/v1/alert-channels', { key })).status, 200)
  }
})
