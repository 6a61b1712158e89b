import t from 'tap'
import { roles } from '../../../../control-plane/platform/words/shapes/roles.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const canary = 'canary0123456789'
/** What is shown to who may write the channel, and to nobody else. */
const address = 'address0123456789'

type Kind = { type: string; config: Record<string, unknown> }

const webhook = (url: string, more: object = {}): Kind => ({
  type: 'WEBHOOK',
  config: { name: 'w', url, method: 'POST', headers: [], queryParameters: [], ...more },
})

const kinds: Kind[] = [
  { type: 'EMAIL', config: { address: 'ops@example.com' } },
  { type: 'SLACK', config: { url: `https://hooks.slack.com/services/T0/B0/${address}`, channel: '#ops' } },
  { type: 'SLACK_APP', config: { slackChannels: ['#ops'] } },
  { type: 'SMS', config: { name: 'Ada', number: '+4915112345678' } },
  { type: 'CALL', config: { number: '+4915112345678' } },
  { type: 'PAGERDUTY', config: { serviceKey: canary } },
  { type: 'OPSGENIE', config: { name: 'o', apiKey: canary, region: 'EU', priority: 'P1' } },
  webhook(`https://hooks.example/in/${address}`),
  webhook(`https://hooks.example/${address}/{{CHECK_ID}}?team={{GROUP_NAME}}`),
  webhook(`{{BASE}}/${address}`),
  webhook(`{{#if CHECK_ID}}https://hooks.example/${address}{{/if}}`),
  webhook(`https://user:${address}@hooks.example/${address}?token=${address}#${address}`, {
    webhookSecret: canary,
    headers: [
      { key: 'x-locked', value: canary, locked: true },
      { key: 'Authorization', value: `Bearer ${canary}`, locked: false },
    ],
    queryParameters: [{ key: 'k', value: canary, locked: true }],
  }),
  webhook(`https://api.telegram.org/bot1:${address}/sendMessage`, { webhookType: 'WEBHOOK_TELEGRAM' }),
  webhook(`https://discord.com/api/webhooks/1/${address}`, { webhookType: 'WEBHOOK_DISCORD' }),
  webhook(`https://x.webhook.office.com/webhookb2/${address}`, { webhookType: 'WEBHOOK_MSTEAMS' }),
]

const keysByRole = async ({ addKey, accountId }: TestApp) => {
  const keys = new Map<string, string>()
  for (const role of roles) keys.set(role, (await addKey({ accountId, role })).apiKey)
  return keys
}

const writers: readonly string[] = ['READ_WRITE', 'ADMIN', 'OWNER']

for (const engine of engineNames)
  t.test(`who may write a channel reads its address, and nobody another secret (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { app, call, logged } = plane
    await call('POST', '/v1/variables', { body: { key: 'BASE', value: 'https://hooks.example' } })
    const keys = await keysByRole(plane)
    for (const { type, config } of kinds) {
      const of = `${type} ${config['url'] ?? ''}`
      const created = await call('POST', '/v1/alert-channels', { body: { type, config } })
      t.equal(created.status, 201, created.text)
      const path = `/v1/alert-channels/${created.body.id}`
      const stored = async () => {
        const [row] = await app.db.select((k) =>
          k.selectFrom('alert_channels').selectAll().where('id', '=', created.body.id),
        )
        t.notMatch(JSON.stringify(row), /canary|address0/, `${of}: nothing is stored in clear`)
        return JSON.parse(app.cipher.decrypt(row!.sealed_config, `alert-channel ${row!.id}`))
      }
      t.strictSame(await stored(), config)
      const put = (sent: unknown) => call('PUT', path, { body: { type, config: sent } })
      for (const [role, key] of keys) {
        const one = await call('GET', path, { key })
        t.notMatch(one.text, canary, `${of} as ${role}`)
        const list = (await call('GET', '/v1/alert-channels?limit=100', { key })).body
        t.strictSame(list.at(-1), one.body, `${of} as ${role}: the list says the same`)
        if (writers.includes(role)) t.equal(one.body.config.url, config['url'], `${of} as ${role}`)
        else t.notMatch(one.text, /address0/, `${of} as ${role}`)
        const back = await put(one.body.config)
        t.equal(back.status, 200, back.text)
        t.equal(back.body.config.url, config['url'], 'a change answers who made it')
        t.strictSame(await stored(), config, `${of}: what ${role} read can be sent back`)
      }
      if (config['url'] === undefined) continue
      for (const url of [
        'https://hooks.example/***',
        'https://hooks.example/***wxyz',
        'https://***wxyz',
        'https://a.example/?token=***',
      ]) {
        const refused = await put({ ...config, url })
        t.equal(refused.status, 400, `${of}: ${url} stands for nothing`)
        t.match(refused.body.attributes.violations, [{ path: 'config.url', rule: 'masked' }])
      }
      t.strictSame(await stored(), config, `${of}: nothing was overwritten by a mask`)
    }
    t.notMatch(JSON.stringify(logged), /canary|address0/)
  })

const usualNames = [
  ...['x-api-key', 'x-auth-token', 'x-access-token', 'api-key', 'apikey', 'token', 'cookie', 'x-token'],
  ...[
    'private-token',
    'x-gitlab-token',
    'x-webhook-secret',
    'x-signature',
    'authorization',
    'proxy-authorization',
  ],
  ...[
    'x-routing-key',
    'dd-api-key',
    'x-vault-token',
    'circle-token',
    'x-shared-secret',
    'ocp-apim-subscription-key',
  ],
]

t.test('values of headers and parameters are secrets unless they are marked plain', async (t) => {
  const { call, app } = await testApp(t)
  const hidden = usualNames.map((name) => ({ key: name, value: `${canary}${name}`, locked: false }))
  const shown = [
    { key: 'x-environment', value: 'production-eu', locked: false, plain: true },
    { key: 'Content-Type', value: 'application/json', locked: false },
  ]
  const config = {
    name: 'w',
    url: 'https://hooks.example/in',
    headers: [...hidden, ...shown],
    queryParameters: [
      { key: 'access_token', value: canary },
      { key: 'team', value: 'operations-team', plain: true },
    ],
  }
  const made = await call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config } })
  t.equal(made.status, 201, made.text)
  const path = `/v1/alert-channels/${made.body.id}`
  const check = await call('POST', '/v1/checks/url', {
    body: {
      ...{ name: 'c', request: { url: 'https://shop.example/' } },
      alertChannelSubscriptions: [{ alertChannelId: made.body.id, activated: true }],
    },
  })
  t.equal(check.status, 201, check.text)
  const texts = [made, await call('GET', path), await call('GET', '/v1/alert-channels?limit=100'), check]
  for (const { text } of texts) t.notMatch(text, canary)
  for (const word of ['production-eu', 'application/json', 'operations-team']) t.match(made.text, word)
  t.match(check.text, 'x-environment', 'the check tells of its channels')
  t.equal((await call('PUT', path, { body: { type: 'WEBHOOK', config: made.body.config } })).status, 200)
  const [row] = await app.db.select((k) => k.selectFrom('alert_channels').selectAll())
  t.notMatch(row?.doc, canary, 'nor does the log of notifications')
  t.strictSame(
    JSON.parse(app.cipher.decrypt(row?.sealed_config ?? '', `alert-channel ${row?.id}`)).headers,
    config.headers,
  )
  t.comment(`${usualNames.length} of ${usualNames.length} usual names hidden`)
})

t.test('a secret value is shown only by sending it, and a mask needs its secret', async (t) => {
  const { call } = await testApp(t)
  const config = {
    name: 'w',
    url: 'https://example.com',
    headers: [{ key: 'x-key', value: 'secret-value-1234', locked: true }],
  }
  const { body } = await call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config } })
  t.strictSame(body.config.headers, [{ key: 'x-key', value: '***1234', locked: true }])
  const put = (headers: unknown) =>
    call('PUT', `/v1/alert-channels/${body.id}`, {
      body: { type: 'WEBHOOK', config: { ...config, headers } },
    })
  t.equal((await put([{ key: 'x-key', value: '***1234', plain: true }])).status, 400)
  t.equal((await put([{ key: 'x-key', value: '***1234', locked: false }])).status, 200, 'it stays one')
  t.equal((await put([{ key: 'x-other', value: '***1234', locked: true }])).status, 400)
  const moved = await put([
    { key: 'a', value: 'b' },
    { key: 'X-Key', value: '***1234', locked: true },
  ])
  t.equal(moved.status, 200, 'a header keeps its secret wherever it stands')
  const open = await put([{ key: 'x-key', value: 'secret-value-1234', locked: false, plain: true }])
  t.strictSame(open.body.config.headers, [
    { key: 'x-key', value: 'secret-value-1234', locked: false, plain: true },
  ])
})
