/**
 * Since when every judged result is there: what ends results moves it in the transaction that removes them. What is kept of
 * the time before is single results.
 */
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'

const hourMs = 3_600_000
/** Runs of a job begin within it. */
export const startsAfterMs = hourMs

const moveRawSince = query('move-raw-since', (k, p: { at: number }) =>
  k.updateTable('rollup_horizon').set({ raw_since: p.at }).where('id', '=', 1).where('raw_since', '<', p.at),
)

/** `latest`: the latest start of a result that goes. */
export const resultsEnd = (trx: Db, latest: number): Promise<number> =>
  trx.run(moveRawSince, { at: latest + 1 })
