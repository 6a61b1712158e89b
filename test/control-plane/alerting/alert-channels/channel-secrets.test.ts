import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

for (const engine of engineNames)
  t.test(`secrets are masked in answers and unreadable in the store (${engine})`, async (t) => {
    const { app, call, logged } = await testApp(t, { engine })
    const canary = 'canary0123456789'
    const bodies = [
      { type: 'SLACK', config: { url: `https://hooks.slack.com/services/T0/B0/${canary}` } },
      { type: 'PAGERDUTY', config: { serviceKey: canary } },
      { type: 'OPSGENIE', config: { name: 'o', apiKey: canary, region: 'EU', priority: 'P1' } },
      {
        type: 'WEBHOOK',
        config: {
          name: 'w',
          url: `https://user:${canary}@example.com/hook?token=${canary}`,
          webhookSecret: canary,
          headers: [
            { key: 'x-locked', value: canary, locked: true },
            { key: 'Authorization', value: `Bearer ${canary}` },
          ],
          queryParameters: [{ key: 'k', value: canary, locked: true }],
        },
      },
      {
        type: 'WEBHOOK',
        config: {
          name: 't',
          url: `https://api.telegram.org/bot1:${canary}/sendMessage`,
          webhookType: 'WEBHOOK_TELEGRAM',
        },
      },
    ]
    for (const body of bodies) {
      const created = await call('POST', '/v1/alert-channels', { body })
      t.equal(created.status, 201, created.text)
      t.notMatch(created.text, canary)
      const back = await call('PUT', `/v1/alert-channels/${created.body.id}`, {
        body: { type: body.type, config: created.body.config },
      })
      t.equal(back.status, 200, back.text)
      t.notMatch(back.text, canary)
      const [row] = await app.db.select((k) =>
        k.selectFrom('alert_channels').selectAll().where('id', '=', created.body.id),
      )
      t.notMatch(JSON.stringify(row), canary)
      const config = JSON.parse(app.cipher.decrypt(row!.sealed_config, `alert-channel ${row!.id}`))
      t.match(config, body.config, 'masks that came back kept the secrets')
    }
    t.notMatch((await call('GET', '/v1/alert-channels')).text, canary)
    t.notMatch(JSON.stringify(logged), canary)
  })

t.test('a locked value is unlocked only by sending it, and a mask needs its secret', async (t) => {
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
  t.equal((await put([{ key: 'x-key', value: '***1234', locked: false }])).status, 400)
  t.equal((await put([{ key: 'x-other', value: '***1234', locked: true }])).status, 400)
  const moved = await put([
    { key: 'a', value: 'b' },
    { key: 'X-Key', value: '***1234', locked: true },
  ])
  t.equal(moved.status, 200, 'a header keeps its secret wherever it stands')
  const open = await put([{ key: 'x-key', value: 'secret-value-1234', locked: false }])
  t.strictSame(open.body.config.headers, [{ key: 'x-key', value: 'secret-value-1234', locked: false }])
})
