/**
 * Results end with their files; the newest of each check stays, since its page and its status are about it. Those of periods
 * end with their period, the others one by one: rows of before periods were, and what was kept.
 */
import { type RawBuilder, sql } from 'kysely'
import { kindOfTable, type Range, type RetentionKind } from '../../platform/retention/retention-kind.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { inStages } from './in-stages.ts'
import { type AlsoKept, endPeriods, expireFilesOf, type IsPeriodReady } from './period-retention.ts'
import { dropEndedTables } from './stored/drop-periods.ts'
import { someResults } from './stored/list-results.ts'
import { kept, legacy, type Part, partsWithStarts } from './stored/parts.ts'
import { firstInPart, oldestInPart } from './stored/read-part.ts'
import { removeIds } from './stored/remove-rows.ts'
import type { Result } from './stored/result.ts'

/** Checked in the index of a check's results alone. */
const isNewestOfCheck = sql<boolean>`results.result_type = 'FINAL' and not exists (
  select 1 from results newer where newer.check_id = results.check_id
    and newer.started_at > results.started_at and newer.result_type = 'FINAL')`

/** `unless`: what else keeps a result, in terms of a row of before; `alsoKept` says the same by instants. */
type Exceptions = {
  unless: readonly RawBuilder<boolean>[]
  alsoKept: AlsoKept
  isPeriodReady: IsPeriodReady
  /** Whether something else needs one result for now. */
  isHeld(db: Db, result: Result): Promise<boolean>
}

export const resultsKind = ({ unless, alsoKept, isPeriodReady, isHeld }: Exceptions): RetentionKind => {
  const rowsOfBefore = kindOfTable({
    name: 'results',
    table: 'results',
    setting: 'results',
    makesRoom: true,
    at: 'created_at',
    idsGrow: true,
    isOver: sql<boolean>`${sql.join(
      [isNewestOfCheck, ...unless].map((keeping) => sql`not (${keeping})`),
      sql` and `,
    )}`,
    beforeRemoval: expireFilesOfOver,
  })
  return {
    ...rowsOfBefore,
    piece: inStages(
      rowsOfBefore.piece,
      endPeriods({ alsoKept, isPeriodReady }),
      endRest(legacy, { alsoKept, isHeld }),
      endRest(kept, { alsoKept, isHeld }),
    ),
    count: async (db, order) =>
      Math.min(order.limit, (await rowsOfBefore.count(db, order)) + (await inEndedPeriods(db, order.before))),
    oldestAt,
    afterWalk: dropEndedTables,
  }
}

/** Their bytes go with the next sweep. */
const expireFilesOfOver = (
  trx: Db,
  over: RawBuilder<unknown>,
  { after, until, now }: Range,
): Promise<number> =>
  trx.execute((k) =>
    k
      .updateTable('artifacts')
      .set({ expires_at: now })
      .where(
        sql<boolean>`result_id > ${after} and result_id <= ${until} and expires_at > ${now} and result_id in ${over}`,
      ),
  )

const endedPeriods = query('ended-result-periods', (k, p: { before: number }) =>
  k
    .selectFrom('result_periods')
    .select((at) => at.fn.sum<number | null>('results').as('total'))
    .where('to_at', '<=', p.before),
)

const inEndedPeriods = async (db: Db, before: number): Promise<number> =>
  (await db.get(endedPeriods, { before }))?.total ?? 0

const oldestAt = async (db: Db): Promise<number | null> => {
  const instants: number[] = []
  for (const part of await partsWithStarts(db, {})) {
    const at = await oldestInPart(db, part)
    if (at !== null) instants.push(at)
  }
  return instants.length === 0 ? null : Math.min(...instants)
}

/** A row costs a few statements. */
const rowsAtOnce = (size: number): number => Math.max(10, Math.floor(size / 10))

/** What stayed beyond its time, once nothing keeps it any more. */
const endRest =
  (part: Part, { alsoKept, isHeld }: Pick<Exceptions, 'alsoKept' | 'isHeld'>): RetentionKind['piece'] =>
  async (trx, { before, now, after, size }) => {
    const limit = rowsAtOnce(size)
    const rows = await firstInPart(trx, part, { after, before, limit })
    const over: string[] = []
    for (const row of rows)
      if (row.created_at < before && !(await isKept(trx, row, alsoKept)) && !(await isHeld(trx, row)))
        over.push(row.id)
    await expireFilesOf(trx, over, now)
    const removed = await removeIds(trx, part, over)
    return { rows: removed, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
  }

const isKept = async (db: Db, row: Result, alsoKept: AlsoKept): Promise<boolean> => {
  if (row.result_type !== 'FINAL') return false
  const filter = { resultType: 'FINAL' } as const
  const later = {
    checkId: row.check_id,
    direction: 'newest-first',
    from: row.started_at + 1,
    filter,
  } as const
  if ((await someResults(db, later, 1)).length === 0) return true
  if (!(row.has_failures || row.has_errors)) return false
  return (await alsoKept(db, row.check_id)).includes(row.started_at)
}
