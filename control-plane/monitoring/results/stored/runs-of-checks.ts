/**
 * Judged runs of many checks in one part, in a statement for all of them: only when they started, whether they passed and how
 * long they took. Which runs are judged is said in raw-results.ts.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { integer, text } from '../../../platform/store/database/ddl.ts'
import { selectRows } from '../../../platform/store/database/raw-sql.ts'
import { indexOf, tableOf } from '../../../platform/store/database/schema/period-tables.ts'
import type { CheckNumbersTable } from '../../../platform/store/database/tables/results.ts'
import { numbersOfChecks } from '../../definitions/checks/check-numbers.ts'
import { type Part, withinPart } from './parts.ts'
import { flags } from './small-row.ts'

export type ListedCheck = Pick<CheckNumbersTable, 'n' | 'check_id'>

/** Of starts: `from` inclusive, `to` exclusive. */
export type Span = { from: number; to: number }

export type JudgedRun = { startedAt: number; passed: boolean; responseTime: number }

/** Those that have ever had a result. */
export const listedChecks = (db: Db, ids: readonly string[]): Promise<ListedCheck[]> =>
  db.all(numbersOfChecks, { ids })

/** Columns that no table of results has. */
const listOf = ({ engine }: Db, checks: readonly ListedCheck[]): RawBuilder<unknown> =>
  engine.rowList(
    checks.map(({ n, check_id }) => ({ listed_n: n, listed_id: check_id })),
    { listed_n: integer, listed_id: text },
  )

/** Along the index of each check, whatever the rows of others are. */
const rowsIn = (db: Db, part: Part, { from, to }: Span): RawBuilder<unknown> => {
  const [table, index] = [tableOf('result_rows', part.suffix), indexOf('result_rows', part.suffix, 'check')]
  return sql`${db.engine.along(table, index)}
    where check_n = listed_n and started_at >= ${from} and started_at < ${to}${withinPart(part)}`
}

/** Rows of whatever kind, by the ids of the checks that have any; of one check no more than `most` are counted. */
export const countRows = async (
  db: Db,
  part: Part,
  { checks, span, max }: { checks: readonly ListedCheck[]; span: Span; max: number },
): Promise<Map<string, number>> => {
  const first = sql`select 1 as one from ${rowsIn(db, part, span)} limit ${max}`
  const counts = await selectRows<{ listed_id: string; total: number }>(
    db,
    sql`select listed_id, (select count(*) from (${first}) as first) as total from ${listOf(db, checks)} as listed`,
  )
  return new Map(counts.filter(({ total }) => total > 0).map(({ listed_id, total }) => [listed_id, total]))
}

const failed = sql`flags & ${sql.lit(flags.failures)}`
/** As raw-results.ts says it. */
const judged = sql`(flags & ${sql.lit(flags.attempt | flags.errors | flags.cancelled)}) = 0`

type CountRow = { listed_n: number; runs: number; passed: number }

/** How many runs each check has that were judged, and how many of these passed: a row for each that has any, from the index alone. */
export const judgedCounts = async (
  db: Db,
  part: Part,
  { checks, span }: { checks: readonly ListedCheck[]; span: Span },
): Promise<{ n: number; runs: number; passed: number }[]> => {
  const listed = db.engine.rowList(
    checks.map(({ n }) => ({ listed_n: n })),
    { listed_n: integer },
  )
  const rows = await selectRows<CountRow>(
    db,
    sql`select listed_n, count(*) as runs, count(case when ${failed} = 0 then 1 end) as passed
      from ${listed} as listed cross join ${rowsIn(db, part, span)} and ${judged} group by listed_n`,
  )
  return rows.map(({ listed_n, runs, passed }) => ({ n: listed_n, runs, passed }))
}

type RunRow = { listed_id: string; started_at: number; failed: number; response_time: number }

/** In no order. */
export const judgedRuns = async (
  db: Db,
  part: Part,
  { checks, span }: { checks: readonly ListedCheck[]; span: Span },
): Promise<(JudgedRun & { checkId: string })[]> => {
  const rows = await selectRows<RunRow>(
    db,
    sql`select listed_id, started_at, ${failed} as failed, response_time
      from ${listOf(db, checks)} as listed cross join ${rowsIn(db, part, span)} and ${judged}`,
  )
  return rows.map(({ listed_id, started_at, failed: bits, response_time }) => ({
    checkId: listed_id,
    startedAt: started_at,
    passed: bits === 0,
    responseTime: response_time,
  }))
}
