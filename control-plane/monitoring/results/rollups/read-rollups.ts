/** The rows of one series in the order of time, in slices like all that may be many. */
import { responseTime } from '../../../../protocol/checks/metric.ts'
import type { ListSource } from '../../../platform/long-reads/read-slices.ts'
import { findCheckNumber, rollupNumbers, rollupsOfChecks, rollupsOfSeries } from './queries.ts'
import { daily, dayMs, type Grain, hourMs } from './spans.ts'

type RollupSpan = { checkId: string; minutes: Grain; series: string; from: number; to: number }

export const eachRollup = async (
  { db, reading }: ListSource,
  { checkId, minutes, series, from, to }: RollupSpan,
  each: (startAt: number, cells: Buffer) => void,
): Promise<void> => {
  const known = await db.get(findCheckNumber, { checkId })
  if (known === undefined) return
  let next: number | null = from
  while (next !== null) {
    const begin: number = next
    next = await reading.piece(async (limit) => {
      const span = { number: known.number, minutes, series, from: begin, to, limit }
      const rows = await db.all(rollupsOfSeries, span)
      for (const { start_at, cells } of rows) each(start_at, cells)
      return rows.length < limit ? null : (rows.at(-1)?.start_at ?? to) + 1
    })
  }
}

/** An hour, by quarters or not, or a day of a check. */
export type TimesRollup = { checkId: string; startAt: number; cells: Buffer }

type ChecksSpan = { numbers: ReadonlyMap<string, number>; minutes: Grain; from: number; to: number }

/** A rollup with what is done to it costs as much as so many rows of a piece. */
const rowsOfRollup = 4

/** The response times of many checks, in no order: a piece has as many checks as have no more rows together. */
export const eachTimesRollup = async (
  { db, reading }: ListSource,
  { numbers, minutes, from, to }: ChecksSpan,
  each: (rollup: TimesRollup) => void,
): Promise<void> => {
  const all = [...numbers]
  const rowsOfCheck = (rowsOfRollup * (to - from)) / (minutes === daily ? dayMs : hourMs)
  for (let at = 0; at < all.length; )
    at += await reading.piece(async (size) => {
      const some = all.slice(at, at + Math.max(1, Math.floor(size / rowsOfCheck)))
      const idOf = new Map(some.map(([id, number]) => [number, id]))
      const listed = some.map(([, number]) => ({ listed: number }))
      const series = responseTime.name
      for (const row of await db.all(rollupsOfChecks, { numbers: listed, minutes, series, from, to }))
        each({ checkId: idOf.get(row.check_number) ?? '', startAt: row.start_at, cells: row.cells })
      return some.length
    })
}

/** By the ids of the checks that have any rollups. */
export const rollupNumbersOf = async (
  { db }: Pick<ListSource, 'db'>,
  ids: readonly string[],
): Promise<Map<string, number>> =>
  new Map((await db.all(rollupNumbers, { ids })).map(({ check_id, number }) => [check_id, number]))
