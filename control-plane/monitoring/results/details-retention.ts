/**
 * What passing runs and retried attempts saw ends before their results do: the rows stay, and their documents are shorter.
 */

import {
  inStages,
  type PieceDone,
  type PieceOrder,
  type RetentionKind,
} from '../../platform/retention/retention-kind.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { endedPeriods, rowsInPeriods } from './period-retention.ts'
import { resultDoc } from './result-doc.ts'
import { shortenResult } from './shorten-result.ts'
import { dropEndedTables } from './stored/drop-periods.ts'
import { alonePackable, replaceAlone } from './stored/packable.ts'
import { retained, suffixOf } from './stored/parts.ts'

const endedDetails = query('ended-details', (k, p: { before: number }) =>
  k
    .selectFrom('result_periods')
    .selectAll()
    .where('to_at', '<=', p.before)
    .where('has_details', '=', 1)
    .whereRef('packed_until', '>=', 'to_at')
    .orderBy('from_at')
    .limit(1),
)

const endDetails = query('end-details', (k, p: { n: number }) =>
  k.updateTable('result_periods').set({ has_details: 0 }).where('n', '=', p.n),
)

/** The details of a period go whole, once what was left alone is shortened. */
const periods = async (trx: Db, { before, after, size }: PieceOrder): Promise<PieceDone> => {
  const period = await trx.get(endedDetails, { before })
  if (period === undefined) return { rows: 0, next: null }
  const suffix = suffixOf(trx.engine, period)
  const done = await shortenAlone(trx, suffix, { before: period.to_at, after, size })
  if (done.next !== null) return done
  await trx.run(endDetails, { n: period.n })
  return { rows: done.rows, next: '' }
}

type Alone = Pick<PieceOrder, 'before' | 'after' | 'size'>

const shortenAlone = async (trx: Db, suffix: string, { before, after, size }: Alone): Promise<PieceDone> => {
  const { rows, last } = await alonePackable(trx, { suffix, after, before, limit: size })
  for (const { id, doc, type } of rows)
    await replaceAlone(trx, suffix, { id, doc: resultDoc.write(shortenResult(type, resultDoc.read(doc))) })
  return { rows: rows.length, next: last }
}

export const detailsKind: RetentionKind = {
  name: 'details',
  table: 'result_docs_retained',
  setting: 'details',
  makesRoom: false,
  piece: inStages(periods, (trx, order) => shortenAlone(trx, retained.suffix, order)),
  afterWalk: dropEndedTables,
  count: async (db, { before, limit }) => {
    const periods = (await endedPeriods(db, before)).filter((period) => period.has_details === 1)
    return Math.min(limit, await rowsInPeriods(db, periods))
  },
  oldestAt: async () => null,
}
