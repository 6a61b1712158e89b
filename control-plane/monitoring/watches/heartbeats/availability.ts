import type { ListSource } from '../../../platform/long-reads/read-slices.ts'
import { countHeartbeatEvents, type EventCounts, type EventPeriod } from './queries.ts'

/** The share of events that were not alarms, in percent; null for a period without any. */
type Availability = {
  successRatio: { previousPeriod: number | null; currentPeriod: number | null }
  totalEntitiesCurrentPeriod: number
}

/** The period from `from` to `to`, compared with the one of the same length before it. */
export const availability = async (
  source: ListSource,
  { checkId, from, to }: EventPeriod,
): Promise<Availability> => {
  const current = await countHeartbeatEvents(source, { checkId, from, to })
  const previous = await countHeartbeatEvents(source, { checkId, from: from - (to - from), to: from })
  return {
    successRatio: { previousPeriod: ratio(previous), currentPeriod: ratio(current) },
    totalEntitiesCurrentPeriod: current.total,
  }
}

const ratio = ({ total, failing }: EventCounts): number | null =>
  total === 0 ? null : Math.round(((total - failing) / total) * 1_000_000) / 10_000
