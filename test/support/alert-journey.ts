/**
 * From a target that fails to everybody knowing, and back: a check, a retry, an alert on every type of channel, a reminder,
 * the recovery, an incident with its mails. The same on any clock: the room says what waiting means.
 */
import type { Test } from 'tap'
import { channels } from '../../control-plane/alerting/channels/index.ts'
import type { EveryChannel } from './every-channel.ts'
import { headerOf } from './mailbox.ts'
import { httpServer } from './servers.ts'

export type JourneyRoom = {
  every: EveryChannel
  /** `key` null: as anybody. */
  call(
    method: string,
    path: string,
    options?: { body?: object; key?: null },
    // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  ): Promise<{ status: number; body: any }>
  /** Lets time pass until it is so. */
  until(what: string, done: () => boolean): Promise<void>
  /** Of the check, beside what every journey has. */
  check: object
  /** Runs between the check's creation and its first run. */
  beforeFirstRun?(checkId: string): Promise<void>
}

export type Journey = {
  /** After the set-up of channels, page and subscriber; `workedMs`: CPU time of this process. */
  tookMs: number
  workedMs: number
  /** Subjects of what the subscriber was told, in order. */
  news: string[]
}

const subscriber = 'ada@example.com'

export const alertJourney = async (t: Test, room: JourneyRoom): Promise<Journey> => {
  const { every, call, until } = room
  const { heard, onceEach } = every
  const target = await recoveringTarget(t)
  const made = async (path: string, body: object, options: { key?: null } = {}) => {
    const answer = await call('POST', path, { body, ...options })
    t.ok(answer.status >= 200 && answer.status < 300, `POST ${path}`, { answer })
    return answer.body
  }
  const news = () => every.box.mails.filter(({ to }) => to?.some(({ address }) => address === subscriber))
  const subjects = () => news().map(({ subject }) => subject ?? '')

  t.strictSame(
    every.bodies.map(({ type }) => type).sort(),
    Object.keys(channels).sort(),
    'no type is left out',
  )
  for (const body of every.bodies) await made('/v1/alert-channels', body)
  const service = await made('/v1/status-pages/services', { name: 'Shop' })
  const card = { name: 'All', services: [{ id: service.id }] }
  await made('/v1/status-pages', { name: 'Acme status', url: 'acme', cards: [card] })
  await made('/v1/public/status-pages/acme/subscriptions', { address: subscriber }, { key: null })
  await until('the mail to confirm', () => news().length === 1)
  const { pathname } = new URL(/http\S+\/verify/.exec(news()[0]?.text ?? '')?.[0] ?? '')
  t.equal((await call('POST', pathname, { key: null })).status, 200, 'the subscriber is verified')

  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const { id } = await made('/v1/checks/url', {
    name: 'Home page',
    request: { url: target.origin },
    privateLocations: ['local'],
    useGlobalAlertSettings: false,
    alertSettings: { reminders: { amount: 1, interval: 1 } },
    triggerIncident: {
      serviceId: service.id,
      name: 'Shop is down',
      description: 'We are on it',
      severity: 'MAJOR',
      notifySubscribers: true,
    },
    ...room.check,
  })
  await room.beforeFirstRun?.(id)
  await until('the alert', () => heard().length >= every.bodies.length)
  t.strictSame(heard(), onceEach('failure'), 'every type of channel was told of the failure once')
  // Of the first run: on the real clock the next one may have ended, too.
  const results = (await call('GET', `/v2/check-results/${id}?resultType=ALL`)).body.entries.slice(-2)
  const [final, attempt] = results
  t.match(results, [
    { resultType: 'FINAL', hasFailures: true, attempts: 1, sequenceId: attempt.sequenceId },
    { resultType: 'ATTEMPT', hasFailures: true },
  ])
  const [alert] = (await call('GET', `/v1/check-alerts/${id}`)).body
  t.match(
    alert,
    { alertType: 'ALERT_FAILURE', startedAt: final.startedAt },
    'not of the attempt before the retry',
  )
  const incidents = async () => (await call('GET', '/v1/status-pages/incidents')).body.entries
  t.match(await incidents(), [{ name: 'Shop is down', lastUpdateStatus: 'INVESTIGATING' }])

  await until('the reminder', () => heard().length >= 2 * every.bodies.length)
  t.strictSame(heard(), onceEach('failure', 'reminder'), 'and reminded of it once')

  target.recover()
  await until('the recovery', () => heard().length >= 3 * every.bodies.length)
  t.match(await incidents(), [{ name: 'Shop is down', lastUpdateStatus: 'RESOLVED' }])
  await until('the last mail', () => subjects().at(-1) === '[Acme status] Resolved: Shop is down')
  t.ok(
    news()
      .slice(1)
      .some(({ text }) => text?.includes('We are on it')),
    'subscribers were told what happened',
  )
  t.ok(
    news()
      .slice(1)
      .every((mail) => headerOf(mail, 'list-unsubscribe')),
  )

  const tookMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  t.strictSame(heard(), onceEach('failure', 'reminder', 'recovery'), 'once each, and nothing else')
  const sent = (await call('GET', '/v1/alert-notifications?limit=100')).body as { status: string }[]
  t.equal(sent.length, 3 * every.bodies.length)
  t.strictSame(new Set(sent.map(({ status }) => status)), new Set(['SUCCESS']))
  const alerts = (await call('GET', `/v1/check-alerts/${id}`)).body as { alertType: string }[]
  t.strictSame(
    alerts.map(({ alertType }) => alertType),
    ['ALERT_RECOVERY', 'ALERT_FAILURE_REMAIN', 'ALERT_FAILURE'],
  )
  return { tookMs, workedMs: (user + system) / 1000, news: subjects().slice(1) }
}

/** Answers with an error until it is told to recover. */
const recoveringTarget = async (t: Test) => {
  let failing = true
  const { origin } = await httpServer(t, (_request, response) => {
    response.statusCode = failing ? 503 : 200
    response.end('page')
  })
  return {
    origin,
    recover: () => {
      failing = false
    },
  }
}
