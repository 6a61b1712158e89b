/**
 * The results of a removed check go little by little: to delete a million rows in the transaction that removes the check
 * would stop everything else for many seconds. Nobody sees them meanwhile, since every read asks for the check first; of
 * missed runs, which have a list of the account, only a check that had more than a thousand leaves some for a moment.
 */
import type { App } from '../../platform/app/app.ts'
import { firstSize, nextSize, pieceMsOf } from '../../platform/long-reads/piece-size.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { deleteSomeMissedRuns } from './missed/queries.ts'
import { deleteRollupCheck, deleteSomeRollups, oneRollup } from './rollups/removal.ts'
import { forgetCheckNumber, removeSomeOfCheck } from './stored/remove-rows.ts'

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

const oneMissedRun = query('one-missed-run', (k, p: OfCheck) =>
  k.selectFrom('missed_runs').select('id').where('check_id', '=', p.checkId).limit(1),
)

const isGone = async (db: Db, of: OfCheck): Promise<boolean> =>
  (await removeSomeOfCheck(db, { ...of, limit: 1 })) === 0 &&
  !(await db.get(oneMissedRun, of)) &&
  !(await db.get(oneRollup, of))

const endRemoval = query('end-removal', (k, p: OfCheck) =>
  k.deleteFrom('removed_checks').where('check_id', '=', p.checkId),
)

export const removeResultsTick = async (app: App, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const removed = await app.db.get(nextRemovedCheck, {})
    if (removed === undefined) return
    const checkId = removed.check_id
    for (const some of [removeSomeMissedRuns, removeSomeOfCheck, removeSomeRollups])
      await deleteAll(app, { some, checkId }, signal)
    // Another control plane may be at the same rows: the last one ends it.
    await app.db.transaction(async (trx) => {
      if (!(await isGone(trx, { checkId }))) return
      await forgetCheckNumber(trx, checkId)
      await trx.run(deleteRollupCheck, { checkId })
      await trx.run(endRemoval, { checkId })
    })
  }
}

type Some = { checkId: string; limit: number }
type Deletion = { some(trx: Db, of: Some): Promise<number>; checkId: string }

const removeSomeMissedRuns = (trx: Db, of: Some): Promise<number> => trx.run(deleteSomeMissedRuns, of)

const removeSomeRollups = (trx: Db, of: Some): Promise<number> => trx.run(deleteSomeRollups, of)

const deleteAll = async (app: App, { some, checkId }: Deletion, signal: AbortSignal): Promise<void> => {
  const pieceMs = pieceMsOf(app.db.engine)
  let deleted = 1
  let limit = firstSize
  while (deleted > 0 && !signal.aborted) {
    deleted = await app.db.transaction(async (trx) => {
      const startedAt = app.clock.monotonic()
      const count = await some(trx, { checkId, limit })
      limit = nextSize(limit, { tookMs: app.clock.monotonic() - startedAt, pieceMs })
      return count
    })
  }
}
