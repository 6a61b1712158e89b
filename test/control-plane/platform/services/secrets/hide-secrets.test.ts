/** What receivers and providers answer may hold what they were sent: the channel's secrets and the operator's. */
import t, { type Test } from 'tap'
import { analysisTick } from '../../../../../control-plane/insight/root-cause-analyses/analysis-tick.ts'
import { mailTemplate } from '../../../../../control-plane/platform/services/mail/mail-template.ts'
import { mailTick } from '../../../../../control-plane/platform/services/mail/mail-tick.ts'
import { queueMail } from '../../../../../control-plane/platform/services/mail/queue-mail.ts'
import { hideSecrets } from '../../../../../control-plane/platform/services/secrets/hide-secrets.ts'
import { addChannel, alertEvent, dispatch, loopbackEnv, queueEvent } from '../../../../support/alerting.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { type Canaries, createCanaries } from '../../../../support/canaries.ts'
import { type Answering, type Received, receiver } from '../../../../support/receiver.ts'
import { storeCheck, storeFailure } from '../../../../support/stored-results.ts'
import { tellingServer } from '../../../../support/telling-server.ts'

t.test('a secret is taken out in every form, and nothing else is', async (t) => {
  const canaries = createCanaries()
  const secret = `p&ss/w"rd+${canaries.plant('it')}`
  canaries.add('all of it', secret)
  const forms = [
    secret,
    JSON.stringify({ a: secret }),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('hex').toUpperCase(),
    ...['', 'x', 'xy', 'user:'].flatMap((before) => [
      Buffer.from(`${before}${secret} and more`).toString('base64'),
      Buffer.from(`${before}${secret} and more`).toString('base64url'),
    ]),
  ]
  for (const form of forms) {
    const hidden = hideSecrets(`said ${form} to us`, [secret])
    t.strictSame(canaries.find(Buffer.from(hidden)), [], form)
    t.match(hidden, /^said .*\*\*\*.* to us$/, form)
  }
  t.equal(hideSecrets('a plain text', [secret, '', 'a']), 'a plain text')
})

t.test('of an address with a password, what is sent is hidden too', async (t) => {
  const url = 'https://ada:s%2Fcret-one@hooks.example/in/long-segment-2?token=query-value-3'
  const sent = `Basic ${Buffer.from('ada:s/cret-one').toString('base64')}`
  const answer = `${sent} s/cret-one s%2Fcret-one /in/long-segment-2 query-value-3`
  t.notMatch(hideSecrets(answer, [url]), /cret|long-segment|query-value|YWRh/)
})

const echoed = ({ method, path, headers, text }: Received): string =>
  `${method} ${path} ${JSON.stringify(headers)} ${text}`

/** Long before the echo, so that what is kept ends in the middle of it. */
const padded = (received: Received, at: number): string => {
  const echo = echoed(received)
  return `${'.'.repeat(Math.max(0, at - echo.indexOf('authorization')))}${echo}`
}

/** Everything that is stored, logged or shown. */
const leftBehind = async ({ app, call, logged }: TestApp): Promise<string> => {
  const rows = [
    await app.db.select((k) => k.selectFrom('alert_notifications').selectAll()),
    await app.db.select((k) => k.selectFrom('mails').selectAll()),
    await app.db.select((k) => k.selectFrom('root_cause_analyses').selectAll()),
  ]
  const { text } = await call('GET', '/v1/alert-notifications')
  return JSON.stringify([rows, logged, text, await app.metrics.metrics()])
}

const mailOnItsWay = async ({ app, accountId }: TestApp): Promise<void> => {
  const content = mailTemplate({ lang: 'en', subject: 'News', heading: 'News', parts: ['It works again.'] })
  const mail = { kind: 'LOCATION', accountId, to: 'ada@example.com', content, now: app.clock.now() } as const
  await app.db.transaction((trx) => queueMail(trx, app, mail))
  await mailTick(app)
}

const analysed = async (plane: TestApp): Promise<void> => {
  const checkId = await storeCheck(plane)
  const at = plane.app.clock.now()
  const groupId = await storeFailure(plane, { checkId, at, message: 'The connection was refused' })
  await plane.call('POST', `/v1/root-cause-analyses/error-groups/${groupId}`)
  await analysisTick(plane.app)
}

const planted = async (t: Test, canaries: Canaries, answer: (received: Received) => Answering) => {
  const provider = await receiver(t, answer)
  const password = canaries.plant('password of SMTP_URL')
  return testApp(t, {
    env: {
      ...loopbackEnv,
      SMTP_URL: `smtp://ada:${password}@127.0.0.1:${await tellingServer(t)}?tls=optional`,
      MAIL_FROM: 'watchpost@example.com',
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: canaries.plant('TWILIO_AUTH_TOKEN'),
      TWILIO_FROM: '+14155550100',
      TWILIO_BASE_URL: provider.origin,
      SLACK_APP_TOKEN: canaries.plant('SLACK_APP_TOKEN'),
      SLACK_BASE_URL: provider.origin,
      RCA_BASE_URL: `${provider.origin}/v1`,
      RCA_MODEL: 'm',
      RCA_API_KEY: canaries.plant('RCA_API_KEY'),
    },
  })
}

t.test('the operator’s credentials are in nothing that is stored, logged or shown', async (t) => {
  const answers: Array<[string, (received: Received) => Answering]> = [
    ['an echo', (received) => ({ status: 500, body: echoed(received) })],
    ['an echo that says yes', (received) => ({ body: echoed(received) })],
    ['an error in JSON', (received) => ({ body: JSON.stringify({ error: echoed(received) }) })],
    ...[500, 490, 470, 450].map((at): [string, (received: Received) => Answering] => [
      `an echo that is cut after ${at}`,
      (received) => ({ status: 400, body: padded(received, at) }),
    ]),
  ]
  for (const [name, answer] of answers) {
    const canaries = createCanaries()
    const plane = await planted(t, canaries, answer)
    const { app, accountId, call } = plane
    for (const { label, value } of [...canaries.planted])
      canaries.add(`start of ${label}`, value.slice(0, 12))
    const channels = [
      await addChannel(plane, 'SMS', { name: 'sms', number: '+14155550101' }),
      await addChannel(plane, 'CALL', { name: 'call', number: '+14155550101' }),
      await addChannel(plane, 'SLACK_APP', { slackChannels: ['#ops'] }),
      await addChannel(plane, 'EMAIL', { address: 'ada@example.com' }),
    ]
    await queueEvent(app, alertEvent({ accountId }), channels)
    await dispatch(app)
    for (const id of channels) {
      const tested = await call('POST', `/v1/alert-channels/${id}/test`)
      t.strictSame(canaries.find(Buffer.from(tested.text)), [], `${name}: test of ${id}`)
    }
    await mailOnItsWay(plane)
    await analysed(plane)
    const text = await leftBehind(plane)
    t.match(text, /refused after AUTH PLAIN \*\*\*/, 'the rest of the answer is kept')
    t.strictSame(canaries.find(Buffer.from(text)), [], name)
  }
})
