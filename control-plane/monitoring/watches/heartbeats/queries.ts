import type { ListSource } from '../../../platform/long-reads/read-slices.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { HeartbeatsTable } from '../../../platform/store/database/tables/heartbeats.ts'
import type { NewResult } from '../../results/rollups/late-results.ts'
import { insertResults } from '../../results/stored/insert-results.ts'
import { eachResultSlice, someDocumented } from '../../results/stored/list-results.ts'
import type { ResultWithDoc } from '../../results/stored/result.ts'

export const findHeartbeatByToken = query('find-heartbeat-by-token', (k, p: { token: string }) =>
  k.selectFrom('heartbeats').select('check_id').where('ping_token', '=', p.token),
)

/**
 * With the name of the check, which the results of its events carry; locked in the order of their
 * ids, so that two batches with the same checks cannot deadlock.
 */
export const lockPinged = query('lock-pinged', (k, p: { tokens: readonly string[] }, engine) => {
  const pinged = k
    .selectFrom('heartbeats as h')
    .innerJoin('checks as c', 'c.id', 'h.check_id')
    .selectAll('h')
    .select('c.name')
    .where('h.ping_token', 'in', engine.textList(p.tokens))
  return engine.rowLocks ? pinged.orderBy('h.check_id').forUpdate('h') : pinged
})

export const lockHeartbeatWithName = query(
  'lock-heartbeat-with-name',
  (k, p: { checkId: string }, engine) => {
    const one = k
      .selectFrom('heartbeats as h')
      .innerJoin('checks as c', 'c.id', 'h.check_id')
      .selectAll('h')
      .select('c.name')
      .where('h.check_id', '=', p.checkId)
    return engine.rowLocks ? one.forUpdate('h') : one
  },
)

type TimerColumns = Pick<
  HeartbeatsTable,
  'check_id' | 'state' | 'last_ping_at' | 'expected_at' | 'deadline_at'
>

export const moveTimer = query('move-heartbeat-timer', (k, p: TimerColumns) =>
  k
    .updateTable('heartbeats')
    .set({
      state: p.state,
      last_ping_at: p.last_ping_at,
      expected_at: p.expected_at,
      deadline_at: p.deadline_at,
    })
    .where('check_id', '=', p.check_id),
)

export const lockHeartbeat = query('lock-heartbeat', (k, p: { checkId: string }, engine) => {
  const one = k.selectFrom('heartbeats').selectAll().where('check_id', '=', p.checkId)
  return engine.rowLocks ? one.forUpdate() : one
})

export const upsertHeartbeat = query('upsert-heartbeat', (k, p: HeartbeatsTable) => {
  const changing = {
    ping_token: p.ping_token,
    activated: p.activated,
    period_ms: p.period_ms,
    grace_ms: p.grace_ms,
    state: p.state,
    last_ping_at: p.last_ping_at,
    expected_at: p.expected_at,
    deadline_at: p.deadline_at,
  }
  return k
    .insertInto('heartbeats')
    .values({ check_id: p.check_id, account_id: p.account_id, ...changing })
    .onConflict((conflict) => conflict.column('check_id').doUpdateSet(changing))
})

export const deleteHeartbeat = query('delete-heartbeat', (k, p: { checkId: string }) =>
  k.deleteFrom('heartbeats').where('check_id', '=', p.checkId),
)

export const overdueHeartbeats = query('overdue-heartbeats', (k, p: { now: number; limit: number }) =>
  k
    .selectFrom('heartbeats')
    .select('check_id')
    .where('deadline_at', '<', p.now)
    .orderBy('deadline_at')
    .limit(p.limit),
)

/** Those that were to ping while nobody could ping us, or whose grace ended then. */
export const awaitedSince = query('awaited-since', (k, p: { downSince: number; expectedBy: number }) =>
  k
    .selectFrom('heartbeats')
    .selectAll()
    .where('deadline_at', '>', p.downSince)
    .where('expected_at', '<=', p.expectedBy),
)

export const moveDeadline = query('move-deadline', (k, p: { checkId: string; deadlineAt: number }) =>
  k.updateTable('heartbeats').set({ deadline_at: p.deadlineAt }).where('check_id', '=', p.checkId),
)

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
