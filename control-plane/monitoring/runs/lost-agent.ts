/**
 * A run whose agent is gone looks like one that still executes, until its lease has run out: what was missed meanwhile was
 * missed for want of an agent, and says so once that is known.
 */
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'

type Overlaps = { checkId: string; location: string; since: number; detail: string }

const correctOverlaps = query('correct-overlaps', (k, p: Overlaps) =>
  k
    .updateTable('missed_runs')
    .set({ reason: 'NO_AGENT', detail: p.detail })
    .where('check_id', '=', p.checkId)
    .where('location', '=', p.location)
    .where('last_due_at', '>=', p.since)
    .where('reason', '=', 'OVERLAP'),
)

type LostRun = { check_id: string; run_location: string }

/** `since`: the last sign of life of the agent that had these runs. */
export const blameLostAgent = async (trx: Db, runs: readonly LostRun[], since: number): Promise<void> => {
  for (const { check_id, run_location } of runs)
    await trx.run(correctOverlaps, {
      checkId: check_id,
      location: run_location,
      since,
      detail: `The agent in location "${run_location}" that had the run before was gone, and its lease had not run out yet.`,
    })
}
