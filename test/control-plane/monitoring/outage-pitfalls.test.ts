// Runs on both engines: ranges of due times are locked and split, and results are counted into what was summed up.
/** What users of other systems met when their control plane came back. Those that are agents' are in test/agent/orders/outage-pitfalls.test.ts. */
import type { LateReport } from '../../../protocol/standing-order.ts'
import { eachEngine, type TestApp } from '../../support/app.ts'
import { emptyHttpDetail } from '../../support/engine-room.ts'
import { samples, scrape } from '../../support/exporter.ts'
import {
  alertEvents,
  bring,
  duesBetween,
  lateOf,
  passOutage,
  saysHello,
  settleAll,
  watchedCheck,
} from '../../support/outage.ts'
import { countAll } from '../../support/rollups.ts'

type Change = Parameters<typeof lateOf>[3]
type Dues = { checkId: string; dues: readonly number[] }

/** What an agent brings of all of these due times, as agents do: the newest first. */
const bringAll = (
  plane: TestApp,
  { checkId, dues }: Dues,
  change: (position: number) => Change = () => ({}),
): Promise<string[]> =>
  bring(plane, dues.map((due, position) => lateOf(plane, checkId, due, change(position))).toReversed())

const resultsOf = async (plane: TestApp, checkId: string) =>
  (await plane.call('GET', `/v2/check-results/${checkId}?limit=100`)).body.entries as {
    arrivedLate: boolean
    checkVersion: number | null
    hasFailures: boolean
    isDegraded: boolean
    attempts: number
  }[]

const certificate = {
  ...{ subject: 'CN=shop.example', issuer: 'CN=a', validFrom: '2025-01-01T00:00:00.000Z' },
  ...{ fingerprint256: '', altNames: [], authorized: true, protocol: null, cipher: null },
}

const response = {
  ...{ href: 'https://shop.example/', status: 200, statusText: 'OK', httpVersion: '1.1', body: '' },
  ...{ bodyBytes: 0, truncated: false, headers: {}, remoteAddress: null, redirects: [] },
  timings: { socket: 1, lookup: 1, connect: 1, secureConnect: 1, response: 1, end: 1 },
  timingPhases: { wait: 1, dns: 1, tcp: 1, tls: 1, firstByte: 1, download: 1, total: 5 },
}

/** Of a host whose certificate ends in so many days. */
const withCertificate = (report: LateReport, daysRemaining: number): LateReport => {
  const validTo = new Date(report.startedAt + daysRemaining * 86_400_000).toISOString()
  const seen = { ...response, certificate: { ...certificate, validTo, daysRemaining } }
  if (report.outcome.kind === 'observed')
    report.outcome.observation.detail = {
      ...emptyHttpDetail,
      request: { ...emptyHttpDetail.request, url: seen.href },
      response: seen,
    }
  return report
}

eachEngine('pitfall 1, alerts out of the past: each check tells one thing, about now', async (t, plane) => {
  const ended = await watchedCheck(plane, { name: 'ended' })
  const lasting = await watchedCheck(plane, { name: 'lasting' })
  const flapping = await watchedCheck(plane, { name: 'flapping' })
  const span = await passOutage(plane)
  const fails: Record<string, (position: number) => boolean> = {
    [ended]: (position) => position > 3 && position < 20,
    [lasting]: (position) => position > 10,
    [flapping]: (position) => position % 2 === 0 && position < 25,
  }
  for (const [checkId, isBad] of Object.entries(fails)) {
    const dues = await duesBetween(plane, checkId, span)
    await bringAll(plane, { checkId, dues }, (n) => ({ fails: isBad(n) }))
  }
  t.strictSame(await alertEvents(plane), [], 'nobody is told before all is known')
  await settleAll(plane)
  const dues = await duesBetween(plane, lasting, span)
  const told = { alertType: 'ALERT_FAILURE_REMAIN', checkName: 'lasting', toldLate: true }
  t.match(await alertEvents(plane), [{ ...told, failingSince: (dues[11] as number) + 7 }])
  await settleAll(plane)
  t.equal((await alertEvents(plane)).length, 1, 'once')
})

eachEngine(
  'pitfall 1, alerts out of the past: a certificate that was renewed meanwhile',
  async (t, plane) => {
    const renewed = await watchedCheck(plane, { name: 'renewed' })
    const ending = await watchedCheck(plane, { name: 'ending' })
    const span = await passOutage(plane, { minutes: 10 })
    for (const checkId of [renewed, ending]) {
      const dues = await duesBetween(plane, checkId, span)
      const reports = dues.map((due) => lateOf(plane, checkId, due))
      const [last, ...earlier] = reports.toReversed() as [LateReport]
      await bring(plane, [withCertificate(last, checkId === renewed ? 89 : 3)])
      await bring(
        plane,
        earlier.map((one) => withCertificate(one, 3)),
      )
    }
    await settleAll(plane)
    t.match(await alertEvents(plane), [{ alertType: 'ALERT_SSL', checkName: 'ending' }])
    t.equal((await alertEvents(plane)).length, 1)
  },
)

eachEngine('pitfall 3, history with holes: hours that were counted are counted again', async (t, plane) => {
  const checkId = await watchedCheck(plane)
  const { from, to } = await passOutage(plane, { minutes: 300 })
  await countAll(plane.app)
  const hour = 3_600_000
  const hours = [1, 2, 3].map((n) => Math.floor(from / hour) * hour + n * hour)
  const [first = 0] = hours
  const query = new URLSearchParams({
    from: `${first / 1000}`,
    to: `${(first + 3 * hour) / 1000}`,
    aggregationInterval: '60',
    metrics: 'availability,responseTime_p95',
  })
  const asked = async () =>
    (await plane.call('GET', `/v1/analytics/url-monitors/${checkId}?${query}`)).body.series[0].data as {
      timestamp: string
      availability: number | null
      responseTime_p95: number | null
    }[]
  t.ok((await asked()).every(({ availability }) => availability === null))
  const dues = await duesBetween(plane, checkId, { from, to })
  const outcomes = await bringAll(plane, { checkId, dues }, (n) => ({
    fails: (dues[n] as number) >= first + hour && (dues[n] as number) < first + 1.5 * hour,
  }))
  t.ok(outcomes.every((outcome) => outcome === 'accepted'))
  await settleAll(plane)
  await countAll(plane.app)
  const rows = (await asked()).toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
  t.strictSame(
    rows.map(({ availability, responseTime_p95 }) => [availability, responseTime_p95]),
    [
      [100, 5],
      [50, 5],
      [100, 5],
    ],
  )
  const { body: groups } = await plane.call('GET', `/v1/error-groups/checks/${checkId}`)
  const failed = dues.filter((due) => due >= first + hour && due < first + 1.5 * hour)
  t.equal(Date.parse(groups[0].firstSeen), (failed[0] as number) + 2, 'since when it is known')
  t.equal(Date.parse(groups[0].lastSeen), (failed.at(-1) as number) + 2)
  t.ok((await resultsOf(plane, checkId)).slice(1, 50).every(({ arrivedLate }) => arrivedLate))
})

eachEngine('pitfall 4, clocks: a result of the future is refused, and blocks nothing', async (t, plane) => {
  const checkId = await watchedCheck(plane)
  const span = await passOutage(plane, { minutes: 10 })
  const dues = await duesBetween(plane, checkId, span)
  const day = 86_400_000
  const ahead = (dues.at(-1) as number) + day
  const shifted = lateOf(plane, checkId, dues[4] as number)
  const bad = [
    lateOf(plane, checkId, ahead),
    lateOf(plane, checkId, (dues[0] as number) - 400 * day),
    { ...shifted, startedAt: shifted.startedAt + day, stoppedAt: shifted.stoppedAt + day },
    { ...shifted, startedAt: shifted.startedAt - day },
  ]
  t.strictSame(
    await bring(plane, bad),
    bad.map(() => 'refused'),
  )
  t.ok((await bringAll(plane, { checkId, dues })).every((outcome) => outcome === 'accepted'))
  await settleAll(plane)
  const { body } = await plane.call('GET', `/v1/check-statuses/${checkId}`)
  t.equal(body.hasFailures, false)
})

eachEngine(
  'pitfall 5, old orders: what was muted, changed, stopped or deleted meanwhile',
  async (t, plane) => {
    const names = ['muted', 'changed', 'stopped', 'deleted'] as const
    const ids = new Map<string, string>()
    for (const name of names) ids.set(name, await watchedCheck(plane, { name }))
    const id = (name: (typeof names)[number]) => ids.get(name) as string
    const put = (name: (typeof names)[number], body: object) =>
      plane.call('PUT', `/v1/checks/url/${id(name)}`, { body })
    const known = new Map<string, number[]>()
    const span = await passOutage(plane, {
      minutes: 10,
      meanwhile: async () => {
        const whole = { from: plane.app.clock.now() - 600_000, to: plane.app.clock.now() }
        for (const name of names) known.set(name, await duesBetween(plane, id(name), whole))
        await put('muted', { muted: true })
        await put('changed', { degradedResponseTime: 1, maxResponseTime: 2 })
        await put('stopped', { activated: false })
        await plane.call('DELETE', `/v1/checks/${id('deleted')}`)
      },
    })
    t.ok(span.to > span.from)
    for (const name of names) {
      const dues = known.get(name) ?? []
      const outcomes = await bringAll(plane, { checkId: id(name), dues }, () => ({
        fails: name !== 'changed',
      }))
      const expected = name === 'deleted' ? 'stale' : 'accepted'
      t.ok(
        outcomes.every((outcome) => outcome === expected),
        `${name}: ${outcomes}`,
      )
    }
    await settleAll(plane)
    t.strictSame(await alertEvents(plane), [], 'nobody is told of what is muted, stopped or gone')
    const changed = (await resultsOf(plane, id('changed'))).filter(({ arrivedLate }) => arrivedLate)
    t.ok(
      changed.length > 0 &&
        changed.every((one) => one.checkVersion === 1 && !one.hasFailures && !one.isDegraded),
      'judged as what they were, and marked',
    )
  },
)

eachEngine('pitfall 5, old orders: maintenance that was known travels with them', async (t, plane) => {
  const checkId = await watchedCheck(plane, { tags: ['shop'] })
  const at = plane.app.clock.now()
  const window = { startsAt: new Date(at + 180_000), endsAt: new Date(at + 360_000) }
  const made = await plane.call('POST', '/v1/maintenance-windows', {
    body: { name: 'works', tags: ['shop'], repeatInterval: null, ...window },
  })
  t.equal(made.status, 201, made.text)
  const { body } = await plane.call('POST', '/agent/v1/orders', {
    key: plane.agentKey,
    body: { agentId: 'agent-1', checkTypes: ['URL'], runtimeIds: [], after: null },
  })
  t.match(body.orders, [{ slots: { pauses: [{ from: at + 180_000, to: at + 360_000 }] } }])
  const span = await passOutage(plane, { minutes: 10 })
  const dues = await duesBetween(plane, checkId, span)
  const isPaused = (due: number) => due >= at + 180_000 && due < at + 360_000
  const outcomes = await bringAll(plane, { checkId, dues }, () => ({}))
  t.strictSame(
    outcomes,
    dues.map((due) => (isPaused(due) ? 'stale' : 'accepted')).toReversed(),
    'what was due in maintenance is no due time',
  )
})

eachEngine('pitfall 6, secrets: what an agent reports whose key was revoked is refused', async (t, plane) => {
  const checkId = await watchedCheck(plane)
  const span = await passOutage(plane, { minutes: 10 })
  const dues = await duesBetween(plane, checkId, span)
  const path = `/v1/private-locations/${plane.locationId}`
  const other = await plane.call('POST', '/v1/private-locations', {
    body: { name: 'elsewhere', slugName: 'elsewhere' },
  })
  const { body: foreign } = await plane.call('POST', `/v1/private-locations/${other.body.id}/keys`, {})
  const reports = dues.map((due) => lateOf(plane, checkId, due))
  t.ok(
    (await bring(plane, reports, { key: foreign.rawKey })).every((outcome) => outcome === 'refused'),
    'of another location',
  )
  const { body } = await plane.call('GET', path)
  for (const { id } of body.keys) await plane.call('DELETE', `${path}/keys/${id}`)
  t.equal(await saysHello(plane), 401)
  t.strictSame(await bring(plane, reports), ['401'])
  t.equal((await resultsOf(plane, checkId)).filter(({ arrivedLate }) => arrivedLate).length, 0)
})

eachEngine(
  'pitfall 7, two agents of one location: a due time that both ran is one result',
  async (t, plane) => {
    const checkId = await watchedCheck(plane)
    const agents = ['agent-1', 'agent-2']
    const span = await passOutage(plane, { minutes: 10, agents })
    const dues = await duesBetween(plane, checkId, span)
    const reports = dues.map((due) => lateOf(plane, checkId, due))
    const both = await Promise.all(
      agents.map((agentId) =>
        bring(plane, agentId === 'agent-1' ? reports : reports.toReversed(), { agentId }),
      ),
    )
    const [first = [], second = []] = [both[0], both[1]?.toReversed()]
    for (const [index, outcome] of first.entries())
      t.strictSame([outcome, second[index]].toSorted(), ['accepted', 'duplicate'])
    t.equal((await resultsOf(plane, checkId)).filter(({ arrivedLate }) => arrivedLate).length, dues.length)
  },
)

eachEngine('pitfall 8, parallel rounds: one is judged when its locations have reported', async (t, plane) => {
  const { body: there } = await plane.call('POST', '/v1/private-locations', {
    body: { name: 'there', slugName: 'there' },
  })
  const { body: key } = await plane.call('POST', `/v1/private-locations/${there.id}/keys`, {})
  const inBoth = {
    privateLocations: ['local', 'there'],
    runParallel: true,
    alertSettings: {
      escalationType: 'RUN_BASED',
      runBasedEscalation: { failedRunThreshold: 1 },
      parallelRunFailureThreshold: { enabled: true, percentage: 100 },
    },
    useGlobalAlertSettings: false,
  }
  const half = await watchedCheck(plane, { ...inBoth, name: 'half' })
  const whole = await watchedCheck(plane, { ...inBoth, name: 'whole' })
  const elsewhere = { agentId: 'agent-2', key: key.rawKey }
  await saysHello(plane, elsewhere)
  const span = await passOutage(plane, { minutes: 10 })
  const reportsOf = async (checkId: string, location: string, fails: boolean) =>
    (await duesBetween(plane, checkId, span)).map((due) => lateOf(plane, checkId, due, { location, fails }))
  for (const checkId of [half, whole]) await bring(plane, await reportsOf(checkId, plane.locationId, true))
  await settleAll(plane)
  t.strictSame(await alertEvents(plane), [], 'the other location has not reported yet')
  for (const checkId of [half, whole])
    await bring(plane, await reportsOf(checkId, there.id, checkId === whole), elsewhere)
  await saysHello(plane, elsewhere)
  await settleAll(plane)
  t.match(await alertEvents(plane), [{ checkName: 'whole' }])
  t.equal((await alertEvents(plane)).length, 1)
})

eachEngine('pitfall 8, retries are decided by the agent alone, and stored as attempts', async (t, plane) => {
  const checkId = await watchedCheck(plane)
  const span = await passOutage(plane, { minutes: 5 })
  const [due = 0] = await duesBetween(plane, checkId, span)
  const attempts = [
    lateOf(plane, checkId, due, { fails: true, retried: true }),
    lateOf(plane, checkId, due, { attempt: 2 }),
  ]
  t.strictSame(await bring(plane, attempts.toReversed()), ['accepted', 'accepted'])
  const late = (await resultsOf(plane, checkId)).filter(({ arrivedLate }) => arrivedLate)
  t.match(late, [{ attempts: 1, hasFailures: false }])
  const jobs = await plane.app.db.select((k) =>
    k.selectFrom('jobs').select('attempt').where('due_at', '=', due),
  )
  t.strictSame(jobs, [], 'nobody repeats it once more')
})

eachEngine('pitfall 9, telling somebody at all: what an agent told is not told again', async (t, plane) => {
  const checkId = await watchedCheck(plane)
  const span = await passOutage(plane, { minutes: 10 })
  const dues = await duesBetween(plane, checkId, span)
  const told = [{ checkId, state: 'failing' as const, at: dues[2] as number }]
  await bring(
    plane,
    dues.map((due) => lateOf(plane, checkId, due, { fails: true })),
    { told },
  )
  await settleAll(plane)
  t.strictSame(await alertEvents(plane), [])
})

eachEngine(
  'pitfall 10, short windows: late samples are counted, and not as what happens now',
  async (t, plane) => {
    const checkId = await watchedCheck(plane)
    await scrape(plane)
    const span = await passOutage(plane)
    const dues = await duesBetween(plane, checkId, span)
    const reports = dues.map((due, n) => lateOf(plane, checkId, due, { fails: n < 20 }))
    const seen = reports.map((one, n) => withCertificate(one, n === reports.length - 1 ? 89 : 3))
    await bring(plane, seen.toReversed())
    await settleAll(plane)
    plane.advance(6000)
    const { text } = await scrape(plane)
    const values = (name: string) =>
      Object.fromEntries(
        samples(text, name).map((line) => [/status="(\w+)"/.exec(line)?.[1], Number(line.split(' ').at(-1))]),
      )
    t.strictSame(values('watchpost_check_late_result_total'), {
      passing: dues.length - 20,
      failing: 20,
      degraded: 0,
    })
    t.equal(
      values('watchpost_check_result_total')['failing'],
      0,
      'a rate over five minutes is about these five',
    )
    t.strictSame(values('watchpost_check_status'), { passing: 1, failing: 0, degraded: 0 })
    t.match(samples(text, 'probe_success')[0], / 1$/)
    const left = Number(samples(text, 'watchpost_time_to_ssl_expiry_seconds')[0]?.split(' ').at(-1))
    t.ok(left > 80 * 86_400, 'of the certificate that is there now')
    t.strictSame(
      samples(text, 'watchpost_private_location_queue_duration_ms').filter((line) => !/ 0$/.test(line)),
      [],
    )
  },
)
