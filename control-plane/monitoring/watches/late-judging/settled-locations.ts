import type { LateAgentsTable } from '../../../platform/store/database/tables/runs.ts'
import { countsForMs } from '../../schedule/late-agents.ts'

/** A location where runs are awaited: since when, and who had orders for them. Epoch milliseconds. */
type AwaitingLocation = { since: number; holders: readonly string[] }

type Waiting = {
  agents: readonly Pick<LateAgentsTable, 'agent_id' | 'contact_at' | 'reports'>[]
  now: number
  /** Longer than this nobody is waited for (STANDING_ORDERS_GRACE). */
  graceMs: number
}

/** Agents that could not reach us try again after this at the latest (agent/base/back-off.ts), and have one long poll's time to say so. */
const agentsReturnMs = 45_000
/** One that has reports left and has not been heard for so long (a poll takes a minute at most) does not bring them now. */
const silentMs = 90_000

/**
 * Whether all that agents ran by themselves is here: each that had orders has been heard since and has no report left, or has not come
 * back in the time in which agents do. Pure.
 */
export const isSettled = (
  { since, holders }: AwaitingLocation,
  { agents, now, graceMs }: Waiting,
): boolean => {
  if (now - since >= graceMs) return true
  const back = new Map(
    agents
      .filter(({ contact_at }) => contact_at >= since - countsForMs)
      .map((agent) => [agent.agent_id, agent]),
  )
  if ([...back.values()].some(({ reports, contact_at }) => reports > 0 && contact_at > now - silentMs))
    return false
  return now - since >= agentsReturnMs || holders.every((id) => back.has(id))
}
