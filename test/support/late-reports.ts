import { query } from '../../control-plane/platform/store/database/query.ts'
import { slotIdOf } from '../../protocol/slot-id.ts'
import type { LateReport } from '../../protocol/standing-order.ts'
import { type EngineRoom, localLocation, passingReport } from './engine-room.ts'

const holdOrders = query('test-hold-orders', (k, p: { agentId: string; now: number; until: number }) =>
  k.insertInto('order_holders').values({
    location_id: localLocation.id,
    agent_id: p.agentId,
    revision: 'r',
    told_at: p.now,
    holds_until: p.until,
  }),
)

const insertLocation = query('test-insert-location', (k, p: { now: number }) =>
  k
    .insertInto('private_locations')
    .values({
      id: localLocation.id,
      account_id: 'account',
      slug: localLocation.name,
      name: localLocation.name,
      created_at: p.now,
      updated_at: null,
      doc: '{}',
    })
    .onConflict((conflict) => conflict.doNothing()),
)

/** An agent of the location that has standing orders from now on. */
export const giveOrders = async ({ app }: EngineRoom, agentId = 'agent-1'): Promise<void> => {
  await app.db.run(insertLocation, { now: app.clock.now() })
  await app.db.run(holdOrders, { agentId, now: app.clock.now(), until: app.clock.now() + 86_400_000 })
}

const refused = {
  code: 'ECONNREFUSED',
  message: 'the connection was refused',
  network: true,
}

/** A run that an agent made by itself. */
export const lateReport = (
  checkId: string,
  dueAt: number,
  {
    fails = false,
    attempt = 1,
    location = localLocation.id,
    ...more
  }: Partial<LateReport> & { fails?: boolean; location?: string } = {},
): LateReport => {
  const jobId = slotIdOf({ checkId, location, dueAt, attempt })
  const report = passingReport({ id: jobId, fence: 1 }, dueAt + 2)
  if (fails && report.outcome.kind === 'observed') report.outcome.observation.failure = refused
  return {
    ...report,
    checkId,
    version: 1,
    dueAt,
    attempt,
    firstStartedAt: dueAt + 2,
    retried: false,
    judgedBy: { degradedResponseTime: 3000, maxResponseTime: 5000 },
    ...more,
  }
}
