// Runs in test:all only: it lets days pass.
// Runs on both engines in test:all: its statements run in no other file.
/**
 * What a control plane promises holds when the clock of its machine is set: every due time once, no lease lost, no false
 * alarm, no flood of reminders. The time of the machine and the time that passes are the test's; everything else is real.
 */
import t, { type Test } from 'tap'
import { claimJobs } from '../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { clockJumpTick } from '../../../../control-plane/monitoring/runs/clock-jump-tick.ts'
import { forgiveTick } from '../../../../control-plane/monitoring/runs/forgive.ts'
import { intakeReports } from '../../../../control-plane/monitoring/runs/intake.ts'
import { renewLeases } from '../../../../control-plane/monitoring/runs/leases.ts'
import { aliveTick, recover } from '../../../../control-plane/monitoring/runs/recover.ts'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import { alertStatesTick } from '../../../../control-plane/monitoring/watches/alert-states/alert-states-tick.ts'
import { heartbeatTick } from '../../../../control-plane/monitoring/watches/heartbeats/heartbeat-tick.ts'
import {
  createSteadyClock,
  type SteadyClock,
} from '../../../../control-plane/platform/services/clock/steady-clock.ts'
import type { Engine } from '../../../../control-plane/platform/store/database/engines.ts'
import type { Job } from '../../../../protocol/job.ts'
import { allResults } from '../../../support/all-results.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { claimRequest, passingReport } from '../../../support/engine-room.ts'
import { readLedger } from '../../../support/ledger.ts'

const hour = 3_600_000
const token = '0b0a1c52-6d65-4a5c-8f0c-1d2e3f405162'
/** The runs of one check take this long: the clock is set while one executes. */
const slowMs = 4000

/** An account with checks of several kinds, an agent that runs them, and a machine whose clock can be set. */
const machine = async (t: Test, engine: Engine['name'] = 'sqlite') => {
  const time = { wall: Date.UTC(2026, 0, 1), monotonic: 0 }
  const clocks = { wall: () => time.wall, monotonic: () => time.monotonic }
  const current: { steady: SteadyClock } = { steady: createSteadyClock(clocks) }
  const steadyClock: SteadyClock = {
    now: () => current.steady.now(),
    leapMs: () => current.steady.leapMs(),
    catchUp: () => current.steady.catchUp(),
    behindMs: () => current.steady.behindMs(),
    notBefore: (instant) => current.steady.notBefore(instant),
  }
  const plane = await testApp(t, {
    engine,
    parts: {
      steadyClock,
      clock: { now: steadyClock.now, monotonic: clocks.monotonic, sleep: () => Promise.resolve() },
    },
  })
  const { app, locationId } = plane
  const make = async (path: string, body: object) => {
    const answer = await plane.call('POST', path, { body })
    if (answer.status !== 201) throw new Error(answer.text)
    return answer.body
  }
  const channel = await make('/v1/alert-channels', { type: 'EMAIL', config: { address: 'ops@example.com' } })
  const monitor = (name: string, more: object) =>
    make('/v1/checks/url', {
      name,
      request: { url: 'http://127.0.0.1/' },
      privateLocations: ['local'],
      locations: [],
      doubleCheck: false,
      frequency: 0,
      frequencyOffset: 10,
      ...more,
    })
  const slow = await monitor('slow', {})
  await monitor('every ten seconds', {})
  await monitor('every minute', { frequency: 1, frequencyOffset: 5 })
  const broken = await monitor('broken', {
    alertChannelSubscriptions: [{ alertChannelId: channel.id, activated: true }],
    useGlobalAlertSettings: false,
    alertSettings: {
      escalationType: 'RUN_BASED',
      runBasedEscalation: { failedRunThreshold: 1 },
      reminders: { amount: 100_000, interval: 5 },
    },
  })
  await make('/v1/checks/heartbeat', {
    name: 'Backup',
    script: '',
    heartbeat: { period: 60, periodUnit: 'seconds', grace: 30, graceUnit: 'seconds', pingToken: token },
  })
  await plane.call('GET', `/ping/${token}`, { key: null })

  const held = new Map<string, { job: Job; startedAt: number | null }>()
  const outcomes: Record<string, number> = {}
  const lost: string[] = []

  const agentTurn = async (): Promise<void> => {
    for (const job of await claimJobs(app, { location: locationId, agent: claimRequest() }))
      held.set(job.id, { job, startedAt: null })
    const leases = [...held.values()].map(({ job }) => ({ jobId: job.id, fence: job.fence }))
    lost.push(...(await renewLeases(app, { location: locationId, agentId: 'agent-1' }, leases)))
    const now = steadyClock.now()
    const done: Job[] = []
    for (const one of held.values()) {
      if (one.startedAt === null && one.job.runAt <= now) one.startedAt = time.monotonic
      const takesMs = one.job.checkId === slow.id ? slowMs : 0
      if (one.startedAt !== null && time.monotonic - one.startedAt >= takesMs) done.push(one.job)
    }
    if (done.length === 0) return
    const reports = done.map((job) => {
      const report = passingReport(job, now)
      if (job.checkId === broken.id && report.outcome.kind === 'observed')
        report.outcome.observation.failure = { code: 'ECONNREFUSED', message: 'refused', network: true }
      return report
    })
    for (const { jobId, outcome } of await intakeReports(app, locationId, reports)) {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      held.delete(jobId)
    }
  }

  const second = async (): Promise<void> => {
    time.wall += 1000
    time.monotonic += 1000
    // Heartbeats first: whoever is not prepared for the new time sees it.
    for (const tick of [heartbeatTick, clockJumpTick, aliveTick, scheduleTick, sweepTick, alertStatesTick])
      await tick(app)
    await agentTurn()
    if (time.monotonic % 30_000 === 0) await plane.call('GET', `/ping/${token}`, { key: null })
  }

  return {
    ...plane,
    time,
    steadyClock,
    run: async (seconds: number): Promise<void> => {
      for (let passed = 0; passed < seconds; passed++) await second()
    },
    untilSlowRuns: async (): Promise<void> => {
      const runs = () =>
        [...held.values()].some(({ job, startedAt }) => job.checkId === slow.id && startedAt !== null)
      while (!runs()) await second()
    },
    set: (byMs: number): void => {
      time.wall += byMs
    },
    restart: async (): Promise<number> => {
      current.steady = createSteadyClock(clocks)
      const downMs = await recover(app)
      await forgiveTick(app)
      return downMs
    },
    lost,
    outcomes,
    /** What has happened so far, but for what is on its way. */
    recount: async () => {
      const until = steadyClock.now() - slowMs - 2000
      const ledger = await readLedger(app.db, until)
      const alarms = (await allResults(app.db)).filter(
        ({ check_type, has_failures }) => check_type === 'HEARTBEAT' && has_failures,
      )
      const alerts = await app.db.select((k) => k.selectFrom('check_alerts').select('alert_type'))
      const of = (type: string): number => alerts.filter(({ alert_type }) => alert_type === type).length
      return {
        ...ledger,
        alarms: alarms.length,
        failures: of('ALERT_FAILURE'),
        recoveries: of('ALERT_RECOVERY'),
        reminders: of('ALERT_FAILURE_REMAIN'),
      }
    },
  }
}

type Machine = Awaited<ReturnType<typeof machine>>

/** Whatever happens to the clock. */
const keepsItsPromises = async (t: Test, { recount, lost, outcomes }: Machine) => {
  const counted = await recount()
  t.strictSame(counted.lost, [], 'every due time is accounted for')
  t.strictSame(counted.doubled, [], 'none is accounted for twice')
  // Heartbeats have no due times of their own: their results are pings.
  t.ok(counted.results > 0)
  t.strictSame(lost, [], 'no lease was lost')
  t.strictSame(Object.keys(outcomes), ['accepted'], 'every report was accepted')
  t.equal(counted.alarms, 0, 'no heartbeat was missed')
  t.match(counted, { failures: 1, recoveries: 0 })
  return counted
}

for (const engine of engineNames)
  t.test(`a clock that is set forward by hours counts as downtime (${engine})`, async (t) => {
    const one = await machine(t, engine)
    await one.run(65)
    await one.untilSlowRuns()
    const before = await one.recount()
    one.set(5 * hour)
    await one.run(95)
    const after = await keepsItsPromises(t, one)
    t.equal(one.steadyClock.now(), one.time.wall)
    t.ok(after.missed >= 3 * (5 * 360 - 2), 'what was due in between is missed')
    const { CONTROL_PLANE_DOWN: down = 0, OVERLAP: overlaps = 0 } = after.missedByReason
    t.equal(down + overlaps, after.missed, JSON.stringify(after.missedByReason))
    t.ok(overlaps <= 2 * 4, 'but for what waited behind runs that the agent held')
    t.ok(after.results - before.results <= 4 * 13 + 8, 'nothing is caught up on')
    t.ok(after.reminders - before.reminders <= 1, 'of the reminders that were due one is left')
    t.match(
      one.logged.filter(({ level }) => Number(level) >= 40),
      [{ leapSeconds: 5 * 3600 }],
    )
  })

t.test('a clock that is set back by hours stops nothing and repeats nothing', async (t) => {
  const one = await machine(t)
  await one.run(65)
  await one.untilSlowRuns()
  const before = await one.recount()
  one.set(-5 * hour)
  await one.run(95)
  const after = await keepsItsPromises(t, one)
  t.equal(after.missed, 0, 'nothing is missed')
  t.ok(after.results - before.results >= 3 * 8, 'and the checks go on')
  t.equal(await one.restart(), 0, 'a start afterwards is no downtime')
  await one.run(30)
  t.equal((await keepsItsPromises(t, one)).missed, 0)
  t.match(
    one.logged.filter(({ level }) => Number(level) >= 40),
    [{ behindSeconds: 5 * 3600 - 1 }],
  )
})

t.test('small corrections of the clock go unnoticed', async (t) => {
  const one = await machine(t)
  for (let turn = 0; turn < 12; turn++) {
    one.set(turn % 3 === 0 ? -700 : 350)
    await one.run(10)
  }
  t.equal((await keepsItsPromises(t, one)).missed, 0)
  t.strictSame(
    one.logged.filter(({ level }) => Number(level) >= 40),
    [],
  )
})

t.test('sessions end although the clock is set', async (t) => {
  const one = await machine(t)
  await one.run(20)
  for (const byMs of [3 * hour, -3 * hour]) {
    const { body } = await one.call('POST', '/v1/check-sessions/trigger', {
      body: { target: { matchTags: [] } },
    })
    await one.run(1)
    one.set(byMs)
    await one.run(20)
    for (const { checkSessionId } of body.sessions) {
      const session = await one.call('GET', `/v1/check-sessions/${checkSessionId}`)
      t.match(session.body.status, /^(PASSED|FAILED)$/)
    }
  }
})
