import type { Db } from '../../platform/database/db.ts'
import { countHeartbeatEvents } from './queries.ts'

/** The share of events that were not alarms, in percent; null for a period without any. */
export type Availability = {
  successRatio: { previousPeriod: number | null; currentPeriod: number | null }
  totalEntitiesCurrentPeriod: number
}

/** The period from `from` to `to`, compared with the one of the same length before it. */
export const availability = async (
  db: Db,
  { checkId, from, to }: { checkId: string; from: number; to: number },
): Promise<Availability> => {
  const current = await count(db, { checkId, from, to })
  const previous = await count(db, { checkId, from: from - (to - from), to: from })
  return {
    successRatio: { previousPeriod: ratio(previous), currentPeriod: ratio(current) },
    totalEntitiesCurrentPeriod: current.total,
  }
}

type Counts = { total: number; failing: number }

const count = async (db: Db, period: { checkId: string; from: number; to: number }): Promise<Counts> => {
  const row = await db.get(countHeartbeatEvents, period)
  return { total: row?.total ?? 0, failing: row?.failing ?? 0 }
}

const ratio = ({ total, failing }: Counts): number | null =>
  total === 0 ? null : Math.round(((total - failing) / total) * 1_000_000) / 10_000
