import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import type { Loop } from '../../platform/doors/clock/run-loops.ts'
import type { HasSteadyClock } from '../../platform/doors/clock/steady-clock.ts'
import { query } from '../../platform/store/database/query.ts'
import { forgetUnnoticedAbsences } from '../locations/absence-queries.ts'
import type { FinalResult, HasConsequences } from '../outcomes/consequences.ts'
import type { HasRunExport } from '../outcomes/run-export.ts'
import { forgiveDowntime } from '../schedule/heartbeat.ts'
import { extendLeases } from '../schedule/job-queries.ts'
import { startedAt, whyNoControlPlane } from '../schedule/why-no-control-plane.ts'
import { leaseMs } from './leases.ts'
import { missed } from './sweep.ts'
import { allDue, takeExpiredJobs } from './waiting-jobs.ts'

const readAlive = query('read-alive', (k, _: Record<string, never>) =>
  k.selectFrom('liveness').select('alive_at').where('id', '=', 1),
)

const writeAlive = query('write-alive', (k, p: { now: number }) =>
  k
    .insertInto('liveness')
    .values({ id: 1, alive_at: p.now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ alive_at: p.now })),
)

/** Stores are shared by machines whose clocks differ by less. */
const worthSayingMs = 2000

/** Longer than this without a sign of life and no control plane was running. */
const downAfterMs = 3000

/** A running control plane that has given no sign for so long could not reach its store, or was stopped. Leases last longer. */
const outAfterMs = 5000

/**
 * Says that a control plane is running. If none could say so for a while, because the store was away or the process was
 * stopped, that is forgiven like any other downtime.
 */
export const aliveTick = async (app: App & HasMetrics & HasRunExport & HasConsequences): Promise<void> => {
  const now = app.clock.now()
  const outMs = await silentMs(app, now)
  if (outMs > outAfterMs) {
    app.log.warn({ outSeconds: Math.round(outMs / 1000) }, 'The control plane could not work for a while')
    await forgive(app, { downSince: now - outMs, now })
  }
  await app.db.run(writeAlive, { now })
}

const silentMs = async (app: App, now: number): Promise<number> => {
  const last = await app.db.get(readAlive, {})
  return last === undefined ? 0 : now - last.alive_at
}

/** For loops that draw conclusions from time that has passed: they wait until what nobody could help is forgiven. */
export const onceForgiven =
  <A extends App>(tick: Loop<A>['tick']): Loop<A>['tick'] =>
  async (app, signal) => {
    if ((await silentMs(app, app.clock.now())) <= outAfterMs) await tick(app, signal)
  }

/**
 * Before the loops start: when no control plane was running for a while, leases that could not be renewed are given
 * back their full length, heartbeats that could not ping us their grace, and jobs that nobody could claim in that time are missed for that reason. Returns the length
 * of the downtime in milliseconds, 0 if there was none.
 */
export const recover = async (
  app: App & HasSteadyClock & HasMetrics & HasRunExport & HasConsequences,
): Promise<number> => {
  startedAt(app)
  const last = await app.db.get(readAlive, {})
  // A clock that was set back while nobody ran: what has been, has been.
  if (last !== undefined) app.steadyClock.notBefore(last.alive_at)
  const behindMs = app.steadyClock.behindMs()
  if (behindMs > worthSayingMs)
    app.log.warn(
      { behindSeconds: Math.round(behindMs / 1000) },
      "The machine's clock is behind the store's: time goes on from there, a hundredth slower until they meet",
    )
  const now = app.clock.now()
  const downMs = last === undefined ? 0 : now - last.alive_at
  if (downMs > downAfterMs) await forgive(app, { downSince: now - downMs, now })
  await app.db.run(writeAlive, { now })
  return downMs > downAfterMs ? downMs : 0
}

/** Nobody is to suffer from a time in which no control plane was running, which has ended `now`. */
export const forgive = async (
  app: App & HasMetrics & HasRunExport & HasConsequences,
  { downSince, now }: { downSince: number; now: number },
): Promise<void> => {
  const { finals, missedRuns } = await app.db.transaction(async (trx) => {
    const finals: FinalResult[] = []
    let missedRuns = 0
    await trx.run(extendLeases, { now, leaseExpiresAt: now + leaseMs })
    await forgiveDowntime(trx, { downSince, now })
    await trx.run(forgetUnnoticedAbsences, {})
    // All of them at once: what is forgiven belongs together.
    for (const job of await trx.all(takeExpiredJobs, { ...allDue(now), now, limit: 1_000_000 })) {
      const given = await missed(trx, app, job, {
        why: { reason: down, detail: whyNoControlPlane(app, { from: downSince, to: now }) },
        now,
      })
      finals.push(...given.finals)
      if (given.missed !== null) missedRuns += 1
    }
    return { finals, missedRuns }
  })
  if (missedRuns > 0) app.metrics.missedRuns.inc({ reason: down }, missedRuns)
  app.runExport.take(finals)
}

const down = 'CONTROL_PLANE_DOWN'
