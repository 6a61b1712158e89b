/** The rows of one series in the order of time, in slices like all that may be many. */
import type { ListSource } from '../../platform/long-reads/read-slices.ts'
import { findCheckNumber, findProgress, type Progress, rollupsOfSeries } from './queries.ts'

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

/** Hours and days before these instants are counted. */
export const countedUntil = async ({
  db,
}: Pick<ListSource, 'db'>): Promise<Pick<Progress, 'hours_until' | 'days_until'>> =>
  (await db.get(findProgress, {})) ?? { hours_until: 0, days_until: 0 }
