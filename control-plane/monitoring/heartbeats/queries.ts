import { sql } from 'kysely'
import { query } from '../../platform/database/query.ts'
import { type OrderedList, selectSlice } from '../../platform/database/slices.ts'
import type { HeartbeatsTable } from '../../platform/database/tables/heartbeats.ts'
import { eachSlice, type ListSource } from '../../platform/long-reads/read-slices.ts'
import type { NewResult } from '../rollups/late-results.ts'

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

const zero = sql.lit(0)
const no = sql<boolean>`0`
const nowhere = sql.lit('')

/** A result whose columns are mostly the same for all: bound as parameters they would cost a sixth of the statement. */
export const insertEvent = query('insert-heartbeat-event', (k, p: NewEvent) =>
  k.insertInto('results').values({
    id: p.id,
    account_id: p.accountId,
    check_id: p.checkId,
    check_type: sql.lit('HEARTBEAT'),
    result_type: sql.lit('FINAL'),
    location: nowhere,
    due_at: p.now,
    started_at: p.now,
    stopped_at: p.now,
    created_at: p.now,
    response_time: zero,
    has_failures: p.hasFailures,
    has_errors: no,
    is_degraded: no,
    is_cancelled: no,
    over_max: no,
    attempts: zero,
    sequence_id: p.id,
    check_run_id: p.now,
    doc: p.doc,
  }),
)

/** An event as rollups know a result. */
export const resultOfEvent = ({ id, checkId, now }: NewEvent): NewResult => ({
  id,
  checkId,
  startedAt: now,
  resultType: 'FINAL',
  hasErrors: false,
  isCancelled: false,
})

type EventWindow = { checkId: string; accountId: string; from: number; to: number; limit: number }

/** The events of a heartbeat check are its results. */
export const listHeartbeatEvents = query('list-heartbeat-events', (k, p: EventWindow) =>
  k
    .selectFrom('results')
    .select(['id', 'started_at', 'doc'])
    .where('check_id', '=', p.checkId)
    .where('account_id', '=', p.accountId)
    .where('started_at', '>=', p.from)
    .where('started_at', '<', p.to)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

export const findHeartbeatEvent = query(
  'find-heartbeat-event',
  (k, p: { id: string; checkId: string; accountId: string }) =>
    k
      .selectFrom('results')
      .select(['id', 'started_at', 'doc'])
      .where('id', '=', p.id)
      .where('check_id', '=', p.checkId)
      .where('account_id', '=', p.accountId),
)

export type EventPeriod = { checkId: string; from: number; to: number }
export type EventCounts = { total: number; failing: number }

/** Read in the index alone, in slices: a period holds as many events as there were pings. */
export const countHeartbeatEvents = async (
  source: ListSource,
  { checkId, from, to }: EventPeriod,
): Promise<EventCounts> => {
  const list: OrderedList<'results'> = {
    table: 'results',
    index: 'results_check',
    owner: ['check_id', checkId],
    at: 'started_at',
    direction: 'oldest-first',
    from,
    to,
  }
  const counts = { total: 0, failing: 0 }
  await eachSlice(source, list, {
    read: async (slice) => {
      const [row] = await source.db.select((k, engine) =>
        selectSlice({ k, engine }, list, slice)
          .clearOrderBy()
          .select((at) => [
            at.fn.countAll<number>().as('total'),
            at.fn.sum<number | null>('has_failures').as('failing'),
          ]),
      )
      counts.total += row?.total ?? 0
      counts.failing += row?.failing ?? 0
      return true
    },
  })
  return counts
}
