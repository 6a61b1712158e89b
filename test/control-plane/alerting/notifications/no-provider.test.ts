// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import {
  addChannel,
  alertEvent,
  dispatch,
  loopbackEnv,
  queueEvent,
  storedNotifications,
} from '../../../support/alerting.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { receiver } from '../../../support/receiver.ts'

const number = '+4915112345678'
const kinds = [
  { type: 'SMS', config: { number }, setting: 'TWILIO_ACCOUNT_SID' },
  { type: 'CALL', config: { number }, setting: 'TWILIO_ACCOUNT_SID' },
  { type: 'SLACK_APP', config: { slackChannels: ['#ops'] }, setting: 'SLACK_APP_TOKEN' },
]

t.test(
  'a channel without a provider is written, and the answer says that nothing will be sent',
  async (t) => {
    const { call } = await testApp(t)
    for (const { type, config, setting } of kinds) {
      const warnings = [
        { message: `${setting} is not set: until the operator sets it, nothing is sent to this channel.` },
      ]
      const created = await call('POST', '/v1/alert-channels', { body: { type, config } })
      t.equal(created.status, 201)
      t.strictSame(created.body.warnings, warnings)
      t.equal(created.headers.get('watchpost-warning'), `"${warnings[0]?.message}"`)
      const path = `/v1/alert-channels/${created.body.id}`
      const changed = await call('PUT', path, { body: { type, config } })
      t.strictSame(changed.body.warnings, warnings)
      t.ok(changed.headers.get('etag'), 'beside the other headers')
      const back = await call('PUT', path, { body: created.body })
      t.equal(back.status, 200, 'what a write answers can be sent back')
      const read = await call('GET', path)
      t.notOk('warnings' in read.body, 'only where it is written')
      t.equal(read.headers.get('watchpost-warning'), null)
    }
    const mail = await call('POST', '/v1/alert-channels', {
      body: { type: 'EMAIL', config: { address: 'a@example.com' } },
    })
    t.notOk('warnings' in mail.body)
  },
)

t.test('with its provider it warns of nothing', async (t) => {
  const { call } = await testApp(t, {
    env: {
      SLACK_APP_TOKEN: 'xoxb-1',
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: 'token',
      TWILIO_FROM: '+14155550100',
    },
  })
  for (const { type, config } of kinds) {
    const created = await call('POST', '/v1/alert-channels', { body: { type, config } })
    t.notOk('warnings' in created.body)
    t.equal(created.headers.get('watchpost-warning'), null)
  }
})

for (const engine of engineNames)
  t.test(`many alerts to a channel without a provider are one dead letter (${engine})`, async (t) => {
    const plane = await testApp(t, { engine, env: loopbackEnv })
    const { app, accountId, call } = plane
    const hook = await receiver(t, () => ({ status: 302 }))
    const channels = [await addChannel(plane, 'WEBHOOK', { name: 'w', url: hook.origin })]
    for (const { type, config } of kinds) channels.push(await addChannel(plane, type, config))
    // Of many checks at the same moment, and then of one after the other.
    const alert = (n: number) =>
      alertEvent({ accountId, checkId: app.newId(), checkAlertId: app.newId(), checkName: `check ${n}` })
    await Promise.all(Array.from({ length: 12 }, (_, n) => queueEvent(app, alert(n), channels)))
    await dispatch(app)
    const letters = async () =>
      (await storedNotifications(app)).filter(({ result }) => /is not set/.test(result))
    t.equal((await letters()).length, kinds.length, 'one a channel')
    for (let n = 12; n < 15; n++) {
      plane.advance(1000)
      await queueEvent(app, alert(n), channels)
      await dispatch(app)
    }
    const left = await letters()
    t.strictSame(
      left.map(({ status, due_at }) => ({ status, due_at })),
      kinds.map(() => ({ status: 'FAILURE', due_at: null })),
    )
    t.equal((await storedNotifications(app)).length, kinds.length + 15, 'what failed otherwise is all there')
    const { body: shown } = await call('GET', '/v1/alert-notifications?hasFailures=true&limit=100')
    const visible = shown.filter(({ type }: { type: string }) => type !== 'WEBHOOK')
    t.strictSame(visible.map(({ type }: { type: string }) => type).toSorted(), ['CALL', 'SLACK_APP', 'SMS'])
    t.ok(
      visible.every(
        ({ timestamp }: { timestamp: string }) => timestamp === new Date(app.clock.now()).toISOString(),
      ),
      'the latest',
    )
    t.match(
      (await call('POST', `/v1/alert-notifications/${left[0]?.id}/resend`)).status,
      202,
      'can be sent again',
    )
    await dispatch(app)
    t.equal((await letters()).length, kinds.length)
  })
