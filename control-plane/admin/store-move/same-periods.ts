/** The tables of periods, which no migration makes: the target has those of the source, with the same bounds and numbers. */
import { sql } from 'kysely'
import type { Database, Db } from '../../platform/store/database/db.ts'
import { change, selectRows } from '../../platform/store/database/raw-sql.ts'
import {
  createPartition,
  createPeriodTables,
  resultTables,
  tableOf,
} from '../../platform/store/database/schema/period-tables.ts'
import { firstIdAt } from '../../platform/words/uuid.ts'
import { tableShapes } from './table-shapes.ts'

type Period = { n: number; from_at: number; to_at: number }

const periodsOf = (db: Db): Promise<Period[]> =>
  selectRows<Period>(db, sql`select n, from_at, to_at from result_periods`)

const namesOf = async (db: Db): Promise<Set<string>> =>
  new Set((await tableShapes(db)).map(({ name }) => name))

/** A kill between two periods leaves those that are there, and the others are made by the next call. */
export const makeSamePeriods = async (source: Db, target: Database): Promise<void> => {
  const [wanted, present] = [await namesOf(source), await namesOf(target)]
  for (const { n, from_at: from, to_at: to } of await periodsOf(source)) {
    const suffix = `_${n}`
    const missing = resultTables.filter((table) => {
      const name = tableOf(table, suffix)
      return wanted.has(name) && !present.has(name)
    })
    const bounds = { firstId: firstIdAt(from), endId: firstIdAt(to) }
    const texts = target.engine.partitions
      ? missing.flatMap((table) => createPartition(table, suffix, bounds))
      : createPeriodTables(target.engine.name, suffix, missing)
    await target.transaction(async (trx) => {
      for (const text of texts) await change(trx, sql.raw(text))
    })
  }
}

/** Tables of a period that is over are only room, until they are dropped. */
export const endedTables = async (source: Db): Promise<Set<string>> => {
  const suffixes = new Set((await periodsOf(source)).map(({ n }) => `_${n}`))
  const names = [...(await namesOf(source))]
  const isEnded = (name: string): boolean =>
    resultTables.some((table) => {
      const suffix = name.slice(table.length)
      return name.startsWith(table) && /^_\d+$/.test(suffix) && !suffixes.has(suffix)
    })
  return new Set(names.filter(isEnded))
}

/** What an engine without partitions finds its periods by. One with them takes over what the source says. */
export const describePeriods = async (target: Database): Promise<void> => {
  if (target.engine.partitions) return
  for (const { n } of await periodsOf(target)) {
    const rows = sql.table(tableOf('result_rows', `_${n}`))
    await target.transaction((trx) =>
      change(
        trx,
        sql`update result_periods set oldest_at = (select min(started_at) from ${rows}),
          newest_at = (select max(started_at) from ${rows}), results = (select count(*) from ${rows}) where n = ${n}`,
      ),
    )
  }
}
