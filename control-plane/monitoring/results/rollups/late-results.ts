/**
 * An hour is closed when it has been over for a while: from then on it is counted, and what still comes in for it is *late*.
 * A late result is noted in the transaction that stores it, and added to its hour soon.
 *
 * Who stores a result reads where the closed hours end, and holds that until its commit; who closes an hour waits for those
 * who hold it. So a result is in the store before its hour is read, or it is noted: whatever the clocks of several control
 * planes say, and however long one of them stood still.
 */
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import { hourOf } from './spans.ts'

/** Runs take minutes: most that began in an hour are in by then. */
const closeAfterMs = 5 * 60_000

const closedUntil = query('closed-until', (k, _: Record<string, never>, engine) => {
  const horizon = k.selectFrom('rollup_horizon').select('closed_until').where('id', '=', 1)
  return engine.rowLocks ? horizon.forShare() : horizon
})

const moveHorizon = query('close-hours', (k, p: { until: number }) =>
  k
    .updateTable('rollup_horizon')
    .set({ closed_until: p.until })
    .where('id', '=', 1)
    .where('closed_until', '<', p.until),
)

const findHorizon = query('rollup-horizon', (k, _: Record<string, never>) =>
  k.selectFrom('rollup_horizon').select('closed_until').where('id', '=', 1),
)

const beginHorizon = query('begin-rollup-horizon', (k, _: Record<string, never>) =>
  k
    .insertInto('rollup_horizon')
    .values({ id: 1, closed_until: 0, raw_since: 0, rollups_since: 0 })
    .onConflict((conflict) => conflict.doNothing()),
)

/** Closes the hours that are over. Returns where the closed ones end. */
export const closeHours = async (db: Db, now: number): Promise<number> => {
  const until = hourOf(now - closeAfterMs)
  const row = await db.get(findHorizon, {})
  if (row === undefined) await db.run(beginHorizon, {})
  if (row !== undefined && row.closed_until >= until) return row.closed_until
  await db.run(moveHorizon, { until })
  return until
}

/** A result as it is stored. */
export type NewResult = {
  id: string
  checkId: string
  startedAt: number
  resultType: string
  hasErrors: boolean
  isCancelled: boolean
}

const isCounted = ({ resultType, hasErrors, isCancelled }: NewResult): boolean =>
  resultType === 'FINAL' && !hasErrors && !isCancelled

const rowsAtOnce = 500

/** Of results that this transaction stores, or makes final. Of those in time it costs one short read for all of them. */
export const noteLateResults = async (trx: Db, results: readonly NewResult[]): Promise<void> => {
  const counted = results.filter(isCounted)
  if (counted.length === 0) return
  const until = (await trx.get(closedUntil, {}))?.closed_until ?? 0
  const late = counted
    .filter(({ startedAt }) => startedAt < until)
    .map(({ id, checkId, startedAt }) => ({ result_id: id, check_id: checkId, started_at: startedAt }))
  for (let at = 0; at < late.length; at += rowsAtOnce)
    await trx.execute((k) => k.insertInto('late_results').values(late.slice(at, at + rowsAtOnce)))
}
