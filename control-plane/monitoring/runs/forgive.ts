/**
 * Forgiving an outage (outages.ts): leases that could not be renewed get their full length again, heartbeats that could not
 * ping us their grace, and locations that nobody could see begin to be absent anew. Jobs that expired meanwhile are the sweep's,
 * which knows the reason from the outage.
 *
 * In short pieces, each of which may be done twice: control planes can share them, and one that is stopped in between
 * costs nothing. Signs of life go on meanwhile, so that an outage which takes long to forgive does not make the next.
 */
import type { App } from '../../platform/app/app.ts'
import { forgetUnnoticedProblems } from '../locations/problem-queries.ts'
import { forgiveDowntime } from '../schedule/heartbeat.ts'
import { extendLeases, heldSince } from '../schedule/job-queries.ts'
import { leaseMs } from './leases.ts'
import { markForgiven, rememberedOutages } from './outages.ts'

/** What one statement changes, and may make others wait for. */
const leasesAtOnce = 500

export const forgiveTick = async (app: App, signal?: AbortSignal): Promise<void> => {
  for (const { since, ended_at: endedAt, forgiven_at } of await app.db.all(rememberedOutages, {}))
    if (forgiven_at === null && !signal?.aborted) await forgive(app, { since, endedAt })
}

type Ended = { since: number; endedAt: number }

const forgive = async (app: App, { since, endedAt }: Ended): Promise<void> => {
  if (!(await giveLeasesBack(app, endedAt))) return
  await forgiveDowntime(app.db, { downSince: since, now: endedAt })
  const forgivenAt = app.clock.now()
  await app.db.transaction(async (trx) => {
    if ((await trx.run(markForgiven, { since, endedAt, now: forgivenAt })) > 0)
      await trx.run(forgetUnnoticedProblems, {})
  })
}

/** False: some are held by somebody else, and come with the next turn. */
const giveLeasesBack = async ({ db, clock }: App, endedAt: number): Promise<boolean> => {
  let extended: number
  do {
    // Before the machine's clock is followed, the outage ends later than now.
    const now = Math.max(clock.now(), endedAt)
    extended = await db.run(extendLeases, {
      now,
      leaseExpiresAt: now + leaseMs,
      claimedBefore: endedAt,
      limit: leasesAtOnce,
    })
  } while (extended > 0)
  return (await db.get(heldSince, { claimedBefore: endedAt })) === undefined
}
