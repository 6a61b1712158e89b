/** Runs of many checks that others are judged beside, a statement a part for all of them. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { integer, text } from '../../../platform/store/database/ddl.ts'
import { selectRows } from '../../../platform/store/database/raw-sql.ts'
import { indexOf, tableOf } from '../../../platform/store/database/schema/period-tables.ts'
import { numbersOfChecks } from '../../definitions/checks/check-numbers.ts'
import { idList } from './documents.ts'
import { endOfTime, type Part, partsWithStarts, withinPart } from './parts.ts'
import { flags, idOf, type StoredId, verdictColumnsOf } from './small-row.ts'

/** `since`: no run of it starts earlier. */
type RunOfCheck = { checkId: string; checkRunId: number; since: number }

type FinalOfRun = { id: string; checkId: string; checkRunId: number } & ReturnType<typeof verdictColumnsOf>

const numbered = async (db: Db, checkIds: readonly string[]): Promise<Map<string, number>> =>
  new Map(
    (await db.all(numbersOfChecks, { ids: [...new Set(checkIds)] })).map(({ check_id, n }) => [check_id, n]),
  )

const rowsAlong = (db: Db, { suffix }: Part): RawBuilder<unknown> =>
  db.engine.along(tableOf('result_rows', suffix), indexOf('result_rows', suffix, 'check'))

/** The final results of due times, in all locations. */
export const finalsOfRuns = async (db: Db, runs: readonly RunOfCheck[]): Promise<FinalOfRun[]> => {
  if (runs.length === 0) return []
  const numbers = await numbered(
    db,
    runs.map(({ checkId }) => checkId),
  )
  const listed = db.engine.rowList(
    runs.map(({ checkId, checkRunId, since }) => ({
      listed_n: numbers.get(checkId) ?? 0,
      listed_id: checkId,
      listed_run: checkRunId,
      listed_since: since,
    })),
    { listed_n: integer, listed_id: text, listed_run: integer, listed_since: integer },
  )
  const from = runs.reduce((earliest, { since }) => Math.min(earliest, since), endOfTime)
  const finals: FinalOfRun[] = []
  for (const part of await partsWithStarts(db, { from, to: endOfTime })) {
    const rows = await selectRows<{ listed_id: string; listed_run: number; id: StoredId; flags: number }>(
      db,
      sql`select listed_id, listed_run, id, flags from ${listed} as listed cross join ${rowsAlong(db, part)}
        where check_n = listed_n and started_at >= listed_since and (flags & ${sql.lit(flags.attempt)}) = 0
        and started_at - due_ms - check_run_ms = listed_run${withinPart(part)}`,
    )
    for (const { listed_id, listed_run, id, flags: bits } of rows)
      finals.push({ id: idOf(id), checkId: listed_id, checkRunId: listed_run, ...verdictColumnsOf(bits) })
  }
  return finals
}

export type LastVerdict = { startedAt: number; stoppedAt: number }

type LastVerdicts = { checkIds: readonly string[]; since: number; excluded: readonly string[] }

const withoutVerdict = sql.lit(flags.attempt | flags.errors | flags.cancelled)

/** Of each check, the run with a verdict that started last, of those that started from `since` on and are not `excluded`. */
export const lastVerdicts = async (
  db: Db,
  { checkIds, since, excluded }: LastVerdicts,
): Promise<Map<string, LastVerdict>> => {
  const last = new Map<string, LastVerdict>()
  if (checkIds.length === 0) return last
  const numbers = [...(await numbered(db, checkIds))]
  const listed = db.engine.rowList(
    numbers.map(([checkId, n]) => ({ listed_n: n, listed_id: checkId })),
    { listed_n: integer, listed_id: text },
  )
  for (const part of await partsWithStarts(db, { from: since, to: endOfTime })) {
    const newest = sql`select id from ${rowsAlong(db, part)} where check_n = listed_n and started_at >= ${since}${withinPart(part)}
      and (flags & ${withoutVerdict}) = 0 and id not in ${idList(db, excluded)}
      order by started_at desc, id desc limit 1`
    const rows = await selectRows<{ listed_id: string; started_at: number; run_ms: number }>(
      db,
      sql`select listed_id, started_at, run_ms from ${listed} as listed
        join ${sql.table(tableOf('result_rows', part.suffix))} r on r.id = (${newest})${withinPart(part, 'r.id')}`,
    )
    for (const { listed_id, started_at: startedAt, run_ms } of rows)
      if (startedAt > (last.get(listed_id)?.startedAt ?? -1))
        last.set(listed_id, { startedAt, stoppedAt: startedAt + run_ms })
  }
  return last
}
