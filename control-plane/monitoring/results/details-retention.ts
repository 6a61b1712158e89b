/**
 * What passing runs and retried attempts saw ends before their results do: the rows stay, shorter. How far that has come is
 * kept with them, because nothing about a shortened row is found faster than by walking over all of them again.
 */
import { sql } from 'kysely'
import type { PieceDone, PieceOrder, RetentionKind } from '../../platform/retention/retention-kind.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { firstIdAt } from '../../platform/words/uuid.ts'
import { inStages } from './in-stages.ts'
import { resultDoc } from './result-doc.ts'
import { shortenResult } from './shorten-result.ts'
import { dropEndedTables } from './stored/drop-periods.ts'
import { alonePackable, replaceAlone } from './stored/packable.ts'
import { kept, suffixOf } from './stored/parts.ts'

const name = 'details'

const findPosition = query('retention-position', (k, p: { kind: string }) =>
  k.selectFrom('retention_positions').select('position').where('kind', '=', p.kind),
)

const savePosition = query('save-retention-position', (k, p: { kind: string; position: string }) =>
  k
    .insertInto('retention_positions')
    .values({ kind: p.kind, position: p.position })
    .onConflict((conflict) => conflict.column('kind').doUpdateSet({ position: p.position })),
)

type Places = { after: string; last: string; size: number }

/** Of everything between two places, in the order of ids. */
const resultsBetween = query('results-to-shorten', (k, p: Places) =>
  k
    .selectFrom('results')
    .select(['id', 'check_type', 'result_type', 'has_failures', 'has_errors', 'doc'])
    .where('id', '>', p.after)
    .where('id', '<=', p.last)
    .orderBy('id')
    .limit(p.size),
)

const replaceDoc = query('shorten-result', (k, p: { id: string; doc: string }) =>
  k.updateTable('results').set({ doc: p.doc }).where('id', '=', p.id),
)

/** Less is not worth a write. */
const leastSaved = 0.1

/** Rows of before periods were. */
const rowsOfBefore = async (trx: Db, { before, size }: PieceOrder) => {
  const after = (await trx.get(findPosition, { kind: name }))?.position ?? ''
  const last = firstIdAt(before)
  const found = await trx.all(resultsBetween, { after, last, size })
  let rows = 0
  for (const { id, check_type: type, result_type, has_failures, has_errors, doc } of found) {
    if (result_type === 'FINAL' && (has_failures || has_errors)) continue
    const shorter = resultDoc.write(shortenResult(type, resultDoc.read(doc)))
    if (shorter.length > doc.length * (1 - leastSaved)) continue
    rows += await trx.run(replaceDoc, { id, doc: shorter })
  }
  const goesOn = found.length === size
  const position = (goesOn ? found.at(-1)?.id : undefined) ?? last
  // A setting that was made longer does not bring back what was shortened.
  if (position > after) await trx.run(savePosition, { kind: name, position })
  return { rows, next: goesOn ? position : null }
}

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
  name,
  table: 'results',
  setting: 'details',
  makesRoom: false,
  piece: inStages(rowsOfBefore, periods, (trx, order) => shortenAlone(trx, kept.suffix, order)),
  afterWalk: dropEndedTables,
  count: async (db, { before, limit }) => {
    const after = (await db.get(findPosition, { kind: name }))?.position ?? ''
    const [row] = await db.select<{ total: number }>((k) =>
      k
        .selectFrom(
          sql`(select 1 as one from results where id > ${after} and id <= ${firstIdAt(before)}
              and (result_type = 'ATTEMPT' or (has_failures = 0 and has_errors = 0)) limit ${limit})`.as('o'),
        )
        .select((at) => at.fn.countAll<number>().as('total'))
        .$castTo<{ total: number }>(),
    )
    return row?.total ?? 0
  },
  oldestAt: async () => null,
}
