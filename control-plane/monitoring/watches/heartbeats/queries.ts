import type { ListSource } from '../../../platform/long-reads/read-slices.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { NewResult } from '../../results/rollups/late-results.ts'
import { insertResults } from '../../results/stored/insert-results.ts'
import { eachResultSlice, someDocumented } from '../../results/stored/list-results.ts'
import type { ResultWithDoc } from '../../results/stored/result.ts'

type NewEvent = {
  id: string
  accountId: string
  checkId: string
  now: number
  hasFailures: boolean
  doc: string
}

const rowOfEvent = ({ id, accountId, checkId, now, hasFailures, doc }: NewEvent): ResultWithDoc => ({
  id,
  account_id: accountId,
  check_id: checkId,
  check_type: 'HEARTBEAT',
  result_type: 'FINAL',
  location: '',
  due_at: now,
  started_at: now,
  stopped_at: now,
  created_at: now,
  response_time: 0,
  has_failures: hasFailures,
  has_errors: false,
  is_degraded: false,
  is_cancelled: false,
  over_max: false,
  attempts: 0,
  sequence_id: id,
  check_run_id: now,
  doc,
})
/** An event as rollups know a result. */
export const resultOfEvent = ({ id, checkId, now }: NewEvent): NewResult => ({
  id,
  checkId,
  startedAt: now,
  resultType: 'FINAL',
  hasErrors: false,
  isCancelled: false,
})

/** The events of a heartbeat check are its results. */
export const insertEvents = (trx: Db, events: readonly NewEvent[]): Promise<void> =>
  insertResults(trx, events.map(rowOfEvent))

type EventWindow = { checkId: string; from: number; to: number; limit: number }

export const listHeartbeatEvents = (
  db: Db,
  { checkId, from, to, limit }: EventWindow,
): Promise<ResultWithDoc[]> =>
  someDocumented(db, { checkId, direction: 'newest-first', from, to, filter: {} }, limit)

export type EventPeriod = { checkId: string; from: number; to: number }
export type EventCounts = { total: number; failing: number }

/** Read in the index alone, in slices: a period holds as many events as there were pings. */
export const countHeartbeatEvents = async (
  source: ListSource,
  { checkId, from, to }: EventPeriod,
): Promise<EventCounts> => {
  const counts = { total: 0, failing: 0 }
  const list = { checkId, direction: 'oldest-first', from, to } as const
  await eachResultSlice(
    source,
    { ...list, filter: {} },
    {
      read: async (slice) => {
        counts.total += await slice.count()
        return true
      },
    },
  )
  await eachResultSlice(
    source,
    { ...list, filter: { failing: true } },
    {
      read: async (slice) => {
        counts.failing += await slice.count()
        return true
      },
    },
  )
  return counts
}
