// Runs on both engines: rows are locked.
import t from 'tap'
import { claimJobs } from '../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { forgiveTick } from '../../../../control-plane/monitoring/runs/forgive.ts'
import { leaseMs } from '../../../../control-plane/monitoring/runs/leases.ts'
import { outageOf } from '../../../../control-plane/monitoring/runs/outages.ts'
import { aliveTick, onceForgiven } from '../../../../control-plane/monitoring/runs/recover.ts'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { insertJobs } from '../../../../control-plane/monitoring/schedule/job-queries.ts'
import { newJob, scheduled } from '../../../../control-plane/monitoring/schedule/new-job.ts'
import { heartbeatTick } from '../../../../control-plane/monitoring/watches/heartbeats/heartbeat-tick.ts'
import type { Database } from '../../../../control-plane/platform/store/database/db.ts'
import type { WholeApp } from '../../../../control-plane/whole-app.ts'
import { allResults } from '../../../support/all-results.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames, freshDatabase } from '../../../support/databases.ts'
import { claimRequest, passingReport } from '../../../support/engine-room.ts'
import { byLength } from '../../../support/length.ts'

const token = '0b0a1c52-6d65-4a5c-8f0c-1d2e3f405162'

for (const engine of engineNames)
  t.test(`a store that was away for minutes costs no lease and raises no alarm (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { app, locationId } = plane
    const never = new AbortController().signal
    const tick = async (): Promise<void> => {
      await onceForgiven(heartbeatTick)(app, never)
      await onceForgiven(sweepTick)(app, never)
    }
    const alarms = async (): Promise<number> =>
      (await allResults(app.db)).filter((row) => row.check_type === 'HEARTBEAT' && row.has_failures).length
    const heartbeat = {
      period: 60,
      periodUnit: 'seconds',
      grace: 30,
      graceUnit: 'seconds',
      pingToken: token,
    }
    const site = {
      name: 'site',
      request: { url: 'http://127.0.0.1/' },
      privateLocations: ['local'],
      locations: [],
    }
    await plane.call('POST', '/v1/checks/heartbeat', { body: { name: 'Backup', script: '', heartbeat } })
    await plane.call('POST', '/v1/checks/url', { body: site })
    await plane.call('GET', `/ping/${token}`, { key: null })
    await aliveTick(app)
    const [job] = await claimJobs(app, { location: locationId, agent: claimRequest() })
    if (job === undefined) throw new Error('there is no job')

    plane.advance(5 * 60_000)
    await tick()
    t.equal(await alarms(), 0, 'nobody judges before it is forgiven')
    await aliveTick(app)
    await tick()
    t.equal(await alarms(), 0, 'nor before it is forgiven to the end')
    await forgiveTick(app)
    await tick()
    t.equal(await alarms(), 0)
    plane.advance(leaseMs - 1000)
    await aliveTick(app)
    await forgiveTick(app)
    const body = { agentId: 'agent-1', reports: [passingReport(job, app.clock.now())] }
    const { body: answer } = await plane.call('POST', '/agent/v1/report', { key: plane.agentKey, body })
    t.match(answer.outcomes, [{ outcome: 'accepted' }])

    for (let second = 0; second < 90; second++) {
      plane.advance(1000)
      await aliveTick(app)
    }
    await tick()
    t.equal(await alarms(), 1, 'whoever stays away after that is missed')
  })

const minuteMs = 60_000
const waiting = byLength({ short: 600, all: 3000, long: 12_000 })

const insertWaiting = (app: WholeApp, count: number, dueAt: number): Promise<void> =>
  app.db.transaction((trx) =>
    insertJobs(
      trx,
      Array.from({ length: count }, (_, n) => {
        const id = app.newId()
        const check = {
          id: `check-${n}`,
          accountId: 'account',
          type: 'URL',
          runtimeId: null,
          periodMs: minuteMs,
        } as const
        const planned = {
          dueAt,
          expiresAt: dueAt + minuteMs,
          location: { id: 'location', name: 'somewhere' },
        }
        return newJob(check, planned, { id, sequenceId: id, now: dueAt, origin: scheduled })
      }),
    ),
  )

/** The same database, with the time that each of its transactions took. */
const timed = (db: Database, tookMs: number[]): Database => ({
  ...db,
  transaction: async (work, options) => {
    const from = performance.now()
    try {
      return await db.transaction(work, options)
    } finally {
      tookMs.push(performance.now() - from)
    }
  },
})

const reasonsOf = (db: Database): Promise<{ reason: string; n: number }[]> =>
  db.select((k) =>
    k
      .selectFrom('missed_runs')
      .select((at) => ['reason', at.fn.countAll<number>().as('n')])
      .groupBy('reason')
      .orderBy('reason'),
  )

for (const engine of engineNames)
  t.test(
    `a process that is stopped between the look and the work concludes nothing (${engine})`,
    async (t) => {
      const plane = await testApp(t, { engine })
      const { app, locationId } = plane
      const heartbeat = {
        period: 60,
        periodUnit: 'seconds',
        grace: 30,
        graceUnit: 'seconds',
        pingToken: token,
      }
      const site = { name: 'site', request: { url: 'http://127.0.0.1/' }, privateLocations: ['local'] }
      await plane.call('POST', '/v1/checks/heartbeat', { body: { name: 'Backup', heartbeat } })
      await plane.call('POST', '/v1/checks/url', { body: site })
      await plane.call('GET', `/ping/${token}`, { key: null })
      await aliveTick(app)
      const [job] = await claimJobs(app, { location: locationId, agent: claimRequest() })
      if (job === undefined) throw new Error('there is no job')
      const never = new AbortController().signal
      const stopped =
        (tick: (app: WholeApp, signal: AbortSignal, knownUntil: number) => Promise<void>, ms: number) =>
        async (of: WholeApp, signal: AbortSignal, knownUntil: number): Promise<void> => {
          plane.advance(ms)
          await tick(of, signal, knownUntil)
        }
      await onceForgiven(stopped(sweepTick, 5 * 3_600_000))(app, never)
      await onceForgiven(stopped(heartbeatTick, 0))(app, never)
      plane.advance(-5 * 3_600_000)
      await onceForgiven(stopped(heartbeatTick, 5 * 3_600_000))(app, never)
      t.strictSame(
        (await allResults(app.db)).filter((row) => row.has_failures),
        [],
        'no alarm',
      )
      await aliveTick(app)
      await forgiveTick(app)
      const body = { agentId: 'agent-1', reports: [passingReport(job, app.clock.now())] }
      const { body: answer } = await plane.call('POST', '/agent/v1/report', { key: plane.agentKey, body })
      t.match(answer.outcomes, [{ outcome: 'accepted' }], 'the lease is as it was')
    },
  )

for (const engine of engineNames)
  t.test(`two control planes share what an outage left, in short pieces (${engine})`, async (t) => {
    const tookMs: number[] = []
    const db = timed(await freshDatabase(t, engine), tookMs)
    const one = await testApp(t, { parts: { db } })
    const other = await testApp(t, { parts: { db } })
    const advance = (ms: number): void => {
      one.advance(ms)
      other.advance(ms)
    }
    await aliveTick(one.app)
    await insertWaiting(one.app, waiting, one.app.clock.now())
    advance(5 * minuteMs)
    await Promise.all([one, other].map(({ app }) => aliveTick(app)))
    t.equal(said(one) + said(other), 1, 'an outage is said once, by one of them')

    tookMs.length = 0
    const swept = onceForgiven(sweepTick)
    const from = performance.now()
    let turns = 0
    while ((await reasonsOf(db)).reduce((sum, { n }) => sum + n, 0) < waiting && turns++ < 100)
      await Promise.all(
        [one, other].map(async ({ app }) => {
          await forgiveTick(app)
          await swept(app, new AbortController().signal)
        }),
      )
    const tookAllMs = performance.now() - from
    t.strictSame(
      await reasonsOf(db),
      [{ reason: 'CONTROL_PLANE_DOWN', n: waiting }],
      'each once, for that reason',
    )
    t.ok(tookMs.length >= waiting / 200, `in ${tookMs.length} pieces`)
    t.comment(
      `${waiting} waiting jobs: ${Math.round(tookAllMs)} ms, longest transaction ${Math.round(Math.max(...tookMs))} ms`,
    )
    advance(1000)
    await Promise.all([one, other].map(({ app }) => aliveTick(app)))
    t.equal(said(one) + said(other), 1, 'what took time to forgive is no outage of its own')
  })

const said = ({ logged }: TestApp): number =>
  logged.filter(({ msg }) => msg === 'The control plane could not work for a while').length

for (const engine of engineNames)
  t.test(`a store that comes and goes is one episode (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    await aliveTick(plane.app)
    for (let times = 0; times < 5; times++) {
      plane.advance(20_000)
      await aliveTick(plane.app)
    }
    t.equal(said(plane), 1)
    for (let second = 0; second < 120; second += 5) {
      plane.advance(5000)
      await aliveTick(plane.app)
    }
    plane.advance(20_000)
    await aliveTick(plane.app)
    t.equal(said(plane), 2, 'after a while without errors it is another one')
  })

t.test(
  'a run fell victim to the outage in which it was due or ended, if agents cannot have come back in time',
  (t) => {
    const outage = { since: 100_000, ended_at: 200_000, forgiven_at: 201_000 }
    const isVictim = (dueAt: number, expiresAt: number) => outageOf([outage], { dueAt, expiresAt }) === outage
    t.ok(isVictim(50_000, 150_000), 'waited when it began, and had to be given up meanwhile')
    t.ok(isVictim(150_000, 160_000), 'was due and given up meanwhile')
    t.ok(isVictim(195_000, 205_000), 'was due meanwhile, and agents had five seconds to come back')
    t.notOk(isVictim(195_000, 255_000), 'was due meanwhile, and agents had a minute')
    t.notOk(isVictim(201_000, 211_000), 'was due afterwards')
    t.notOk(isVictim(80_000, 90_000), 'was over before')
    t.end()
  },
)
