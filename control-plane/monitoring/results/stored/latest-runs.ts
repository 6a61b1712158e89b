/**
 * The latest runs of many checks, in a statement for all of them in each part: read along an index that has all that is asked,
 * so that no row is looked at, and of each check no more than are shown.
 */
import { sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { integer, text } from '../../../platform/store/database/ddl.ts'
import { selectRows } from '../../../platform/store/database/raw-sql.ts'
import { indexOf, tableOf } from '../../../platform/store/database/schema/period-tables.ts'
import { type Part, partsWithStarts, withinPart } from './parts.ts'
import { type ListedCheck, listedChecks } from './runs-of-checks.ts'
import { flags } from './small-row.ts'

export type LatestRun = { startedAt: number; state: 'failing' | 'degraded' | 'passing' | 'unknown' }

type Latest = { ids: readonly string[]; from: number; to: number; perCheck: number }

/** By the ids of the checks, the oldest of each first; attempts and cancelled runs are none. */
export const latestRuns = async (
  db: Db,
  { ids, perCheck, ...span }: Latest,
): Promise<Map<string, LatestRun[]>> => {
  const runs = new Map<string, LatestRun[]>(ids.map((id) => [id, []]))
  const listed = await listedChecks(db, ids)
  for (const part of await partsWithStarts(db, span)) {
    const checks = listed.filter(({ check_id }) => mayBeLater(part, runs.get(check_id) ?? [], perCheck))
    if (checks.length === 0) continue
    for (const [id, found] of await latestIn(db, part, { checks, perCheck, ...span }))
      runs.set(id, newest([...(runs.get(id) ?? []), ...found], perCheck))
  }
  return runs
}

/** What is kept does not say when its runs started. */
const mayBeLater = ({ newestAt }: Part, known: readonly LatestRun[], perCheck: number): boolean =>
  known.length < perCheck || newestAt === null || newestAt > (known[0]?.startedAt ?? 0)

const newest = (runs: readonly LatestRun[], count: number): LatestRun[] =>
  runs.toSorted((a, b) => a.startedAt - b.startedAt).slice(-count)

type InPart = { checks: readonly ListedCheck[]; perCheck: number; from: number; to: number }

const latestIn = async (
  db: Db,
  part: Part,
  { checks, perCheck, from, to }: InPart,
): Promise<Array<readonly [id: string, runs: LatestRun[]]>> => {
  const { engine } = db
  const table = engine.along(
    tableOf('result_rows', part.suffix),
    indexOf('result_rows', part.suffix, 'check'),
  )
  const listed = engine.rowList(
    checks.map(({ n, check_id }) => ({ listed_n: n, listed_id: check_id })),
    { listed_n: integer, listed_id: text },
  )
  const latest = sql`select started_at, flags from ${table}
    where check_n = listed_n and started_at >= ${from} and started_at < ${to}${withinPart(part)}
      and (flags & ${sql.lit(flags.attempt | flags.cancelled)}) = 0
    order by started_at desc limit ${sql.lit(perCheck)}`
  const rows = await selectRows<{ listed_id: string; runs: string | null }>(
    db,
    sql`select listed_id,
        (select string_agg(started_at || ':' || flags, ',') from (${latest}) as latest) as runs
      from ${listed} as listed`,
  )
  return rows.map(({ listed_id, runs }) => [listed_id, runsIn(runs)] as const)
}

const runsIn = (text: string | null): LatestRun[] =>
  (text ?? '')
    .split(',')
    .filter((each) => each !== '')
    .map((each) => {
      const [startedAt, bits] = each.split(':').map(Number)
      return { startedAt: startedAt ?? 0, state: stateOf(bits ?? 0) }
    })

const stateOf = (bits: number): LatestRun['state'] => {
  if (bits & flags.errors) return 'unknown'
  if (bits & flags.failures) return 'failing'
  return bits & flags.degraded ? 'degraded' : 'passing'
}
