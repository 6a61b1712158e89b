/** The rows of one series in the order of time, in slices like all that may be many. */
import { responseTime } from '../../../protocol/checks/metric.ts'
import type { ListSource } from '../../platform/long-reads/read-slices.ts'
import { retriesSeries } from './measures.ts'
import {
  findCheckNumber,
  findProgress,
  type Progress,
  type RollupRow,
  rollupNumbers,
  rollupsOfChecks,
  rollupsOfSeries,
} from './queries.ts'
import { hourMs } from './spans.ts'

export type RollupSpan = { checkId: string; hours: number; series: string; from: number; to: number }

export const eachRollup = async (
  { db, reading }: ListSource,
  { checkId, hours, series, from, to }: RollupSpan,
  each: (startAt: number, cells: Buffer) => void,
): Promise<void> => {
  const known = await db.get(findCheckNumber, { checkId })
  if (known === undefined) return
  let next: number | null = from
  while (next !== null) {
    const begin: number = next
    next = await reading.piece(async (limit) => {
      const span = { number: known.number, hours, series, from: begin, to, limit }
      const rows = await db.all(rollupsOfSeries, span)
      for (const { start_at, cells } of rows) each(start_at, cells)
      return rows.length < limit ? null : (rows.at(-1)?.start_at ?? to) + 1
    })
  }
}

export type RunRollup = { checkId: string; startAt: number; retries: Buffer; responseTimes: Buffer | null }

type ChecksSpan = { numbers: ReadonlyMap<string, number>; hours: number; from: number; to: number }

/** Runs and response times of many checks, in no order: a piece has as many checks as have no more rows together. */
export const eachRunRollup = async (
  { db, reading }: ListSource,
  { numbers, hours, from, to }: ChecksSpan,
  each: (rollup: RunRollup) => void,
): Promise<void> => {
  const all = [...numbers]
  const rowsOfCheck = (2 * (to - from)) / (hours * hourMs)
  const names = { series: retriesSeries, other: responseTime.name }
  for (let at = 0; at < all.length; )
    at += await reading.piece(async (size) => {
      const some = new Map(
        all.slice(at, at + Math.max(1, Math.floor(size / rowsOfCheck))).map(([id, number]) => [number, id]),
      )
      const listed = [...some.keys()].map((number) => ({ listed: number }))
      const rows = await db.all(rollupsOfChecks, { numbers: listed, hours, from, to, ...names })
      for (const rollup of rollupsOfRuns(some, rows)) each(rollup)
      return some.size
    })
}

const rollupsOfRuns = (
  idOf: ReadonlyMap<number, string>,
  rows: readonly Omit<RollupRow, 'hours'>[],
): RunRollup[] => {
  const keyOf = ({ check_number, start_at }: Omit<RollupRow, 'hours'>): string =>
    `${check_number} ${start_at}`
  const times = new Map(
    rows.flatMap((row) => (row.series === responseTime.name ? [[keyOf(row), row.cells] as const] : [])),
  )
  return rows.flatMap((row) => {
    const checkId = idOf.get(row.check_number)
    if (row.series !== retriesSeries || checkId === undefined) return []
    const { start_at: startAt, cells: retries } = row
    return [{ checkId, startAt, retries, responseTimes: times.get(keyOf(row)) ?? null }]
  })
}

/** By the ids of the checks that have any rollups. */
export const rollupNumbersOf = async (
  { db }: Pick<ListSource, 'db'>,
  ids: readonly string[],
): Promise<Map<string, number>> =>
  new Map((await db.all(rollupNumbers, { ids })).map(({ check_id, number }) => [check_id, number]))

/** Hours and days before these instants are counted. */
export const countedUntil = async ({
  db,
}: Pick<ListSource, 'db'>): Promise<Pick<Progress, 'hours_until' | 'days_until'>> =>
  (await db.get(findProgress, {})) ?? { hours_until: 0, days_until: 0 }
