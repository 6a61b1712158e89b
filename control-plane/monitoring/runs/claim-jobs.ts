/**
 * A claim: waiting jobs → jobs as an agent runs them.
 *
 *   1. Of each queue the oldest waiting jobs that the agent can run become its own, with a lease and a greater `fence`.
 *   2. Each is put beside what is known of its type.
 *   3. What they are made of is read, each kind of thing with one query for all of them (job-sources.ts): checks, groups,
 *      files, bundles, sessions, certificates, the proxy, snippets, variables. What is sealed is opened.
 *   4. The jobs are put together, and nothing is read any more (assemble-jobs.ts).
 *   5. Those that do not fit into one answer are given back, and come with the next.
 */

import { sql } from 'kysely'
import type { ClaimRequest } from '../../../protocol/agent-api.ts'
import { playwrightTypes } from '../../../protocol/check-type.ts'
import type { Job } from '../../../protocol/job.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { freeRows } from '../../platform/store/database/free-rows.ts'
import { query } from '../../platform/store/database/query.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import { kindOf } from '../definitions/checks/types/index.ts'
import { assembleJobs, withinAnswer } from '../jobs/assemble-jobs.ts'
import { readJobSources } from '../jobs/job-sources.ts'
import { lookAheadMs } from '../schedule/schedule.ts'
import { leaseMs, leaseOf, releaseLeases } from './leases.ts'
import { runMetrics } from './run-metrics.ts'

/** A cheap look before a claim's write: most long polls find nothing in either queue. */
const queuesWithJobs = query('queues-with-jobs', (k, p: { location: string; horizon: number }) => {
  const waitsIn = (queue: 'uptime' | 'main') =>
    sql<unknown>`exists ${k
      .selectFrom('jobs')
      .select('id')
      .where('location', '=', p.location)
      .where('queue', '=', queue)
      .where('agent_id', 'is', null)
      .where('run_at', '<=', p.horizon)}`.as(queue)
  return k.selectNoFrom([waitsIn('uptime'), waitsIn('main')])
})

type ClaimOfQueue = {
  location: string
  queue: string
  agentId: string
  checkTypes: readonly string[]
  runtimeIds: readonly string[]
  /** Of these, those in which it runs types that need Playwright. */
  playwrightRuntimeIds: readonly string[]
  now: number
  horizon: number
  leaseExpiresAt: number
  limit: number
}

/**
 * Takes waiting jobs, oldest first: only the earliest one of a check, home and session, and none whose predecessor is still
 * executing or waits for its retry; one that only waits for its report to be taken does not. `fence` grows with every claim.
 */
const claimWaitingJobs = query('claim-waiting-jobs', (k, p: ClaimOfQueue, engine) => {
  const candidates = k
    .selectFrom('jobs as j')
    .select('j.id')
    .where('j.location', '=', p.location)
    .where('j.queue', '=', p.queue)
    .where('j.agent_id', 'is', null)
    .where('j.run_at', '<=', p.horizon)
    .where('j.expires_at', '>', p.now)
    .where('j.check_type', 'in', engine.textList(p.checkTypes))
    .where((where) =>
      where.or([
        where('j.runtime_id', 'is', null),
        where('j.runtime_id', 'in', engine.textList(p.playwrightRuntimeIds)),
        where.and([
          where('j.runtime_id', 'in', engine.textList(p.runtimeIds)),
          where('j.check_type', 'not in', [...playwrightTypes]),
        ]),
      ]),
    )
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('jobs as o')
            .select('o.id')
            .whereRef('o.check_id', '=', 'j.check_id')
            .whereRef('o.home', '=', 'j.home')
            .whereRef('o.session_id', '=', 'j.session_id')
            .where((other) =>
              other.or([other('o.agent_id', 'is not', null), other('o.due_at', '<', other.ref('j.due_at'))]),
            )
            .where((other) =>
              other.or([other('o.run_state', 'is', null), other('o.run_state', '<>', 'finished')]),
            ),
        ),
      ),
    )
    .orderBy('j.run_at')
    .limit(p.limit)
  return k
    .updateTable('jobs')
    .set((set) => ({
      agent_id: p.agentId,
      fence: set('fence', '+', 1),
      claimed_at: p.now,
      lease_expires_at: p.leaseExpiresAt,
      run_state: 'running',
    }))
    .where('id', 'in', freeRows(engine, candidates))
    .returningAll()
})

type Claimer = { location: string; agent: ClaimRequest }

/** Claims up to `maxUptime` and `maxMain` jobs of the location; resolves at once, with none if none wait. */
export const claimJobs = async (
  app: App & HasCipher & HasMetrics & HasWakeups,
  { location, agent }: Claimer,
): Promise<Job[]> => {
  const waits = await app.db.get(queuesWithJobs, { location, horizon: app.clock.now() + lookAheadMs })
  const uptime = waits?.uptime ? await claimQueue(app, { location, agent }, 'uptime', agent.maxUptime) : []
  const main = waits?.main ? await claimQueue(app, { location, agent }, 'main', agent.maxMain) : []
  if (uptime.length + main.length === 0) return []
  const claimed = [...uptime, ...main].map((row) => ({ row, kind: kindOf(row.check_type) }))
  const { agentId, sealTo } = agent
  const sources = await readJobSources(app, claimed, { location, sealTo })
  const { taken, left } = withinAnswer(assembleJobs(claimed, sources, { cipher: app.cipher, sealTo }))
  await releaseLeases(app, { location, agentId }, left.map(leaseOf))
  return taken
}

const claimQueue = async (
  app: App & HasMetrics,
  { location, agent }: Claimer,
  queue: string,
  limit: number,
): Promise<JobsTable[]> => {
  if (limit === 0) return []
  const now = app.clock.now()
  const jobs = await app.db.all(claimWaitingJobs, {
    location,
    queue,
    agentId: agent.agentId,
    checkTypes: agent.checkTypes,
    runtimeIds: agent.runtimeIds,
    playwrightRuntimeIds: agent.playwrightRuntimeIds ?? agent.runtimeIds,
    now,
    horizon: now + lookAheadMs,
    leaseExpiresAt: now + leaseMs,
    limit,
  })
  for (const { run_at: runAt } of jobs)
    runMetrics.claimLateness(app).observe({ queue }, Math.max(0, now - runAt) / 1000)
  return jobs
}
