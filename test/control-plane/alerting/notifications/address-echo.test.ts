// Runs on both engines in test:all: its statements run in no other file.
/** What a receiver says of the address that it was reached at, and whether anybody reads that later. */
import t from 'tap'
import { addChannel, alertEvent, dispatch, loopbackEnv, queueEvent } from '../../../support/alerting.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { type Answering, type Received, receiver } from '../../../support/receiver.ts'

const echo = ({ path }: Received, status: number): Answering => ({
  status,
  body: `Cannot POST ${path} (${decodeURIComponent(path)}) ${Buffer.from(path).toString('base64')} ${JSON.stringify({ path })}`,
})

const moved: Record<string, Answering> = {
  'to another path': {
    status: 302,
    headers: { location: '/moved-a1/moved-b2?k=moved-c3' },
    body: '<a href="/moved-a1/moved-b2?k=moved-c3">moved</a> or /moved-a1/moved-b2',
  },
  'to another host': {
    status: 308,
    headers: { location: 'https://ada:moved-p4@elsewhere.example/moved-a1?k=moved-c3' },
    body: 'Moved to https://ada:moved-p4@elsewhere.example/moved-a1?k=moved-c3, that is /moved-a1',
  },
}

const secretPart = /pa1h|par2|s3g|mo7ed|moved-[abcp]\d|long-segment|chat-value|locked-value/

for (const engine of engineNames)
  t.test(`an address that comes back is neither stored, logged nor shown (${engine})`, async (t) => {
    const plane = await testApp(t, { engine, env: loopbackEnv })
    const { app, accountId, call, logged } = plane
    let answer = (received: Received): Answering => echo(received, 500)
    const hook = await receiver(t, (received) => answer(received))
    for (const [key, value] of [
      ['HOOK', `${hook.origin}/in/pa1h-s3g?x=par2`],
      ['SEGMENT', 's3g é'],
      ['CHAT', 'chat-value'],
      ['LOCKED', 'locked-value'],
    ])
      await call('POST', '/v1/variables', { body: { key, value } })
    const webhook = (url: string, more: object = {}) =>
      addChannel(plane, 'WEBHOOK', { name: 'w', url, ...more })
    const channels = [
      await webhook(`${hook.origin}/in/long-segment-of-it/pa1h?token=par2`),
      // Shorter than any word that would be hidden by itself.
      await webhook(`${hook.origin}/pa1h`),
      await webhook(`${hook.origin}/?k=par2`),
      await webhook('{{HOOK}}'),
      await webhook(`${hook.origin}/{{SEGMENT}}/pa1h?check={{CHECK_NAME}}&k=par2`),
      await webhook(`${hook.origin}/pa1h`, {
        queryParameters: [
          { key: 'chat', value: '{{CHAT}}' },
          { key: 'k', value: '{{LOCKED}}', locked: true },
        ],
      }),
      await webhook(`${hook.origin}/pa1h/{{ANY}}`),
      await addChannel(plane, 'SLACK', { url: `${hook.origin}/services/pa1h/par2` }),
    ]
    const answers: Record<string, (received: Received) => Answering> = {
      'a failure': (received) => echo(received, 500),
      'a success': (received) => echo(received, 200),
      ...Object.fromEntries(Object.entries(moved).map(([where, one]) => [where, () => one])),
      'no answer': () => 'close',
    }
    for (const [name, given] of Object.entries(answers)) {
      answer = given
      await queueEvent(app, alertEvent({ accountId }), channels)
      const before = hook.received.length
      await dispatch(app)
      t.ok(hook.received.length - before >= channels.length, `${name}: every channel was sent to`)
      for (const id of channels) {
        const { status, text } = await call('POST', `/v1/alert-channels/${id}/test`)
        t.equal(status, 200, text)
        t.notMatch(text, secretPart, `${name}: test of ${id}`)
      }
      plane.advance(61_000)
    }
    const { text } = await call('GET', '/v1/alert-notifications?limit=100')
    t.match(text, /Cannot POST/, 'what else was said is kept')
    t.match(text, /redirects are not followed/)
    t.notMatch(text, secretPart, 'the list of notifications')
    const stored = await app.db.select((k) => k.selectFrom('alert_notifications').select(['doc', 'event']))
    t.notMatch(JSON.stringify(stored), secretPart, 'what is stored of them')
    t.notMatch(JSON.stringify(logged), secretPart, 'the log')
    t.notMatch(await app.metrics.metrics(), secretPart, 'the metrics')
  })
