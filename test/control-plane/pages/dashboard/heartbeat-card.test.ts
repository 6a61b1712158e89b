// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { heartbeatTick } from '../../../../control-plane/monitoring/watches/heartbeats/heartbeat-tick.ts'
import { waysToPing } from '../../../../control-plane/pages/dashboard/ways-to-ping.ts'
import { eachEngine, type TestApp } from '../../../support/app.ts'
import { sessionOf, visitPage } from '../../../support/dashboard.ts'

const token = '0b0a1c52-6d65-4a5c-8f0c-1d2e3f405162'
const hourMs = 3_600_000

const addHeartbeat = async ({ call }: TestApp): Promise<string> => {
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 10, graceUnit: 'minutes', pingToken: token }
  return (await call('POST', '/v1/checks/heartbeat', { body: { name: 'Nightly backup', heartbeat } })).body.id
}

const ping = (plane: TestApp) =>
  plane.call('GET', `/ping/${token}`, { key: null, headers: { 'user-agent': 'backup/1.0' } })

/** The cards by their ids, as text. */
const cardOf = (text: string, id: string): string =>
  (new RegExp(`<section class="card" id="${id}".*?</section>`, 's').exec(text)?.[0] ?? '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

eachEngine('the page of a heartbeat shows its timer, its pings and how to send them', async (t, plane) => {
  const cookie = await sessionOf(plane)
  const checkId = await addHeartbeat(plane)
  const look = async (more = '') => (await visitPage(plane, cookie, `/app/checks/${checkId}${more}`)).text
  const timer = async () => (await plane.call('GET', `/v1/checks/heartbeats/${checkId}/timer`)).body

  const before = await look()
  t.match(cardOf(before, 'heartbeat'), /No ping has come yet.*Period every hour Grace 10 minutes/)
  t.match(cardOf(before, 'heartbeat'), /Last ping never Next ping due none is expected/)
  t.match(await timer(), { state: 'waiting', lastPingAt: null, expectedAt: null, deadlineAt: null })
  t.match(cardOf(before, 'pings'), 'No pings yet.')
  t.match(cardOf(before, 'ways'), `/ping/${token}`)
  for (const way of ['curl -fsS', '0 * * * * your-job', 'ExecStartPost=', 'kind: CronJob'])
    t.match(cardOf(before, 'ways'), way)
  for (const other of ['Response time', 'Latest runs', '90 days', 'How often', 'By location'])
    t.notMatch(before, other, 'nothing of checks that are run')

  await ping(plane)
  const at = plane.app.clock.now()
  const pinged = await look()
  t.match(cardOf(pinged, 'heartbeat'), /Last ping just now .* Next ping due in 60 minutes/)
  t.match(cardOf(pinged, 'pings'), /On time just now .* backup\/1\.0/)
  t.strictSame(await timer(), {
    state: 'running',
    lastPingAt: new Date(at).toISOString(),
    expectedAt: new Date(at + hourMs).toISOString(),
    deadlineAt: new Date(at + hourMs + 600_000).toISOString(),
  })

  plane.advance(hourMs + 60_000)
  t.match(cardOf(await look(), 'heartbeat'), /A ping is due.*Fails without a ping in 9 minutes/)
  plane.advance(hourMs)
  await heartbeatTick(plane.app)
  const missed = await look()
  t.match(cardOf(missed, 'heartbeat'), /No ping came in time.*Last ping 2 hours ago.*in 24 hours 50 %/)
  t.match(cardOf(missed, 'pings'), /No ping came just now/)

  for (let more = 0; more < 10; more++) {
    plane.advance(hourMs)
    await ping(plane)
  }
  const [, older = ''] = /href="[^"]*(\?before=[^"#]*)/.exec(await look()) ?? []
  t.match(cardOf(await look(older), 'pings'), /No ping came .* On time/, 'the oldest are a page further')
  t.equal((await visitPage(plane, cookie, `/app/checks/${checkId}?before=x`)).status, 200)
  await plane.call('PUT', `/v1/checks/${checkId}`, { body: { activated: false } })
  t.match(cardOf(await look(), 'heartbeat'), /It is paused.*Next ping due none is expected/)
})

t.test('no way to ping is slower than the period', async (t) => {
  const names = (seconds: number) => waysToPing('https://w.example/ping/x', seconds).map(({ name }) => name)
  t.strictSame(names(30), ['curl', 'systemd'])
  t.strictSame(names(60), ['curl', 'cron', 'systemd', 'Kubernetes'])
  const cron = (seconds: number) => waysToPing('https://w.example/%41', seconds)[1]?.text ?? ''
  t.match(cron(86_399), /^0 \*\/12 \* \* \* /)
  t.match(cron(30 * 86_400), /^0 3 \* \* 1 /)
  t.match(cron(86_400), "'https://w.example/\\%41'", 'a percent sign ends a line of crontab')
})
