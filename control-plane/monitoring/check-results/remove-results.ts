/**
 * The results of a removed check go little by little: to delete a million rows in the transaction that removes the check
 * would stop everything else for many seconds. Nobody sees them meanwhile, since every read asks for the check first; of
 * missed runs, which have a list of the account, only a check that had more than a thousand leaves some for a moment.
 */
import type { App } from '../../platform/app.ts'
import { query } from '../../platform/database/query.ts'
import { firstSize, nextSize, pieceMsOf } from '../../platform/long-reads/piece-size.ts'
import { deleteSomeMissedRuns } from '../missed-runs/queries.ts'
import { deleteRollupCheck, deleteSomeRollups, oneRollup } from '../rollups/removal.ts'

/** The name that wakes the loop. */
export const checkRemoved = 'check removed'

type Removal = { checkId: string; now: number }

/** In the transaction that removes the check. */
export const queueResultsForRemoval = query('queue-results-for-removal', (k, p: Removal) =>
  k
    .insertInto('removed_checks')
    .values({ check_id: p.checkId, removed_at: p.now })
    .onConflict((conflict) => conflict.doNothing()),
)

const nextRemovedCheck = query('next-removed-check', (k, _: Record<string, never>) =>
  k.selectFrom('removed_checks').select('check_id').orderBy('check_id').limit(1),
)

type OfCheck = { checkId: string }

const deleteSomeResults = query('delete-some-results', (k, p: OfCheck & { limit: number }) =>
  k
    .deleteFrom('results')
    .where('id', 'in', k.selectFrom('results').select('id').where('check_id', '=', p.checkId).limit(p.limit)),
)

const oneResult = query('one-result', (k, p: OfCheck) =>
  k.selectFrom('results').select('id').where('check_id', '=', p.checkId).limit(1),
)

const oneMissedRun = query('one-missed-run', (k, p: OfCheck) =>
  k.selectFrom('missed_runs').select('id').where('check_id', '=', p.checkId).limit(1),
)

const isGone = async ({ db }: App, of: OfCheck): Promise<boolean> =>
  !(await db.get(oneResult, of)) && !(await db.get(oneMissedRun, of)) && !(await db.get(oneRollup, of))

const endRemoval = query('end-removal', (k, p: OfCheck) =>
  k.deleteFrom('removed_checks').where('check_id', '=', p.checkId),
)

export const removeResultsTick = async (app: App, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const removed = await app.db.get(nextRemovedCheck, {})
    if (removed === undefined) return
    const checkId = removed.check_id
    for (const some of [deleteSomeMissedRuns, deleteSomeResults, deleteSomeRollups])
      await deleteAll(app, { some, checkId }, signal)
    // Another control plane may be at the same rows: the last one ends it.
    if (!(await isGone(app, { checkId }))) continue
    await app.db.run(deleteRollupCheck, { checkId })
    await app.db.run(endRemoval, { checkId })
  }
}

type Deletion = { some: typeof deleteSomeResults; checkId: string }

const deleteAll = async (app: App, { some, checkId }: Deletion, signal: AbortSignal): Promise<void> => {
  const pieceMs = pieceMsOf(app.db.engine)
  let deleted = 1
  let limit = firstSize
  while (deleted > 0 && !signal.aborted) {
    deleted = await app.db.transaction(async (trx) => {
      const startedAt = app.clock.monotonic()
      const count = await trx.run(some, { checkId, limit })
      limit = nextSize(limit, { tookMs: app.clock.monotonic() - startedAt, pieceMs })
      return count
    })
  }
}
