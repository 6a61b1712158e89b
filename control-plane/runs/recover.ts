import type { App } from '../app.ts'
import { query } from '../database/query.ts'
import { forgiveDowntime } from '../heartbeats/heartbeat-tick.ts'
import { forgetUnnoticedAbsences } from '../private-locations/absence-queries.ts'
import { extendLeases, takeExpiredJobs } from './job-queries.ts'
import { leaseMs } from './queue.ts'
import { missed } from './sweep.ts'

const readAlive = query('read-alive', (k, _: Record<string, never>) =>
  k.selectFrom('liveness').select('alive_at').where('id', '=', 1),
)

const writeAlive = query('write-alive', (k, p: { now: number }) =>
  k
    .insertInto('liveness')
    .values({ id: 1, alive_at: p.now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ alive_at: p.now })),
)

/** Longer than this without a sign of life and no control plane was running. */
const downAfterMs = 3000

/** Says that a control plane is running. */
export const aliveTick = async (app: App): Promise<void> => {
  await app.db.run(writeAlive, { now: app.clock.now() })
}

/**
 * Before the loops start: when no control plane was running for a while, leases that could not be renewed are given
 * back their full length, heartbeats that could not ping us their grace, and jobs that nobody could claim in that time are missed for that reason. Returns the length
 * of the downtime in milliseconds, 0 if there was none.
 */
export const recover = async (app: App): Promise<number> => {
  const now = app.clock.now()
  const last = await app.db.get(readAlive, {})
  const downMs = last === undefined ? 0 : now - last.alive_at
  if (downMs > downAfterMs)
    await app.db.transaction(async (trx) => {
      await trx.run(extendLeases, { leaseExpiresAt: now + leaseMs })
      await forgiveDowntime(trx, { downSince: now - downMs, now })
      await trx.run(forgetUnnoticedAbsences, {})
      for (const job of await trx.all(takeExpiredJobs, { now }))
        await missed(trx, app, job, {
          why: {
            reason: 'CONTROL_PLANE_DOWN',
            detail: 'The control plane was not running while this run waited for an agent.',
          },
          now,
        })
    })
  await aliveTick(app)
  return downMs > downAfterMs ? downMs : 0
}
