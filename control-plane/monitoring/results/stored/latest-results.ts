/** The last final result of each of many checks, with its document: a few statements for all of them in each part. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { integer } from '../../../platform/store/database/ddl.ts'
import { selectRows } from '../../../platform/store/database/raw-sql.ts'
import { indexOf, tableOf } from '../../../platform/store/database/schema/period-tables.ts'
import type { CheckNumbersTable } from '../../../platform/store/database/tables/results.ts'
import { numbersOfChecks } from '../../definitions/checks/check-numbers.ts'
import { aloneDocuments, hasOneOf, withDocuments } from './documents.ts'
import { endOfTime, type Part, partsWithStarts, withinPart } from './parts.ts'
import { locationOfRow } from './read-part.ts'
import type { Result, ResultWithDoc } from './result.ts'
import { flags, idOf, resultOf, type SmallRow, type StoredId } from './small-row.ts'

type Found = { part: Part; check: CheckNumbersTable; result: Result }

/** In no order; a check without any is left out. */
export const latestResults = async (db: Db, ids: readonly string[]): Promise<ResultWithDoc[]> => {
  const checks = await db.all(numbersOfChecks, { ids })
  const latest = new Map<string, Found>()
  for (const part of await partsWithStarts(db, { from: 0, to: endOfTime })) {
    const wanted = checks.filter(({ check_id }) => mayBeLater(part, latest.get(check_id)))
    for (const found of wanted.length === 0 ? [] : await latestIn(db, part, wanted))
      if (isLater(found, latest.get(found.check.check_id))) latest.set(found.check.check_id, found)
  }
  const found = [...latest.values()]
  const parts = [...new Set(found.map(({ part }) => part))]
  const documented = parts.map((part) =>
    documentsIn(
      db,
      part,
      found.filter((one) => one.part === part),
    ),
  )
  return (await Promise.all(documented)).flat()
}

const mayBeLater = ({ newestAt }: Part, known: Found | undefined): boolean =>
  known === undefined || newestAt === null || newestAt >= known.result.started_at

const isLater = ({ result }: Found, known: Found | undefined): boolean =>
  known === undefined ||
  result.started_at > known.result.started_at ||
  (result.started_at === known.result.started_at && result.id > known.result.id)

const latestIn = async (db: Db, part: Part, checks: readonly CheckNumbersTable[]): Promise<Found[]> => {
  const { engine } = db
  const name = tableOf('result_rows', part.suffix)
  const listed = engine.rowList(
    checks.map(({ n }) => ({ listed_n: n })),
    { listed_n: integer },
  )
  const along = engine.along(name, indexOf('result_rows', part.suffix, 'check'))
  const places = await selectRows<{ id: StoredId | null }>(
    db,
    sql`select (select id from ${along} where check_n = listed_n and (flags & ${sql.lit(flags.attempt)}) = 0${withinPart(part)}
      order by started_at desc, id desc limit 1) as id from ${listed} as listed`,
  )
  const ids = places.flatMap(({ id }) => (id === null ? [] : [idOf(id)]))
  if (ids.length === 0) return []
  const rows = await selectRows<SmallRow & { check_n: number }>(
    db,
    sql`select *, ${locationOfRow} from ${sql.table(name)} where ${hasOneOf(db, ids)}`,
  )
  const byNumber = new Map(checks.map((check) => [check.n, check]))
  return rows.flatMap((row) => {
    const check = byNumber.get(row.check_n)
    return check === undefined ? [] : [{ part, check, result: resultOf({ ...row, ...check }) }]
  })
}

/** Most of them came in lately, so that their documents lie alone: what is packed is opened for each check. */
const documentsIn = async (db: Db, part: Part, found: readonly Found[]): Promise<ResultWithDoc[]> => {
  const docs = await aloneDocuments(
    db,
    part,
    found.map(({ result }) => result.id),
  )
  const documented: ResultWithDoc[] = []
  for (const { check, result } of found) {
    const doc = docs.get(result.id)
    if (doc !== undefined) documented.push({ ...result, doc })
    else documented.push(...(await withDocuments(db, { part, checkN: check.n, kind: 'whole' }, [result])))
  }
  return documented
}
