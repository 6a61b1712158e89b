import { query } from '../database/query.ts'
import type { HeartbeatEventsTable, HeartbeatsTable } from '../database/tables/heartbeats.ts'

export const findHeartbeatByToken = query('find-heartbeat-by-token', (k, p: { token: string }) =>
  k.selectFrom('heartbeats').select('check_id').where('ping_token', '=', p.token),
)

/** With the check's name, which the results of its events carry. */
export const lockHeartbeatByToken = query('lock-heartbeat-by-token', (k, p: { token: string }, engine) => {
  const one = k
    .selectFrom('heartbeats as h')
    .innerJoin('checks as c', 'c.id', 'h.check_id')
    .selectAll('h')
    .select('c.name')
    .where('h.ping_token', '=', p.token)
  return engine.skipLocked ? one.forUpdate('h') : one
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
    return engine.skipLocked ? one.forUpdate('h') : one
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
  return engine.skipLocked ? one.forUpdate() : one
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

export const deleteHeartbeatEvents = query('delete-heartbeat-events', (k, p: { checkId: string }) =>
  k.deleteFrom('heartbeat_events').where('check_id', '=', p.checkId),
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

export const insertHeartbeatEvent = query('insert-heartbeat-event', (k, p: HeartbeatEventsTable) =>
  k.insertInto('heartbeat_events').values({
    id: p.id,
    check_id: p.check_id,
    account_id: p.account_id,
    state: p.state,
    at: p.at,
    source: p.source,
    user_agent: p.user_agent,
  }),
)

type EventWindow = { checkId: string; accountId: string; from: number; to: number; limit: number }

export const listHeartbeatEvents = query('list-heartbeat-events', (k, p: EventWindow) =>
  k
    .selectFrom('heartbeat_events')
    .selectAll()
    .where('check_id', '=', p.checkId)
    .where('account_id', '=', p.accountId)
    .where('at', '>=', p.from)
    .where('at', '<', p.to)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

export const findHeartbeatEvent = query(
  'find-heartbeat-event',
  (k, p: { id: string; checkId: string; accountId: string }) =>
    k
      .selectFrom('heartbeat_events')
      .selectAll()
      .where('id', '=', p.id)
      .where('check_id', '=', p.checkId)
      .where('account_id', '=', p.accountId),
)

export const countHeartbeatEvents = query(
  'count-heartbeat-events',
  (k, p: { checkId: string; from: number; to: number }) =>
    k
      .selectFrom('heartbeat_events')
      .select((at) => [
        at.fn.countAll<number>().as('total'),
        at.fn.sum<number | null>(at.case().when('state', '=', 'FAILING').then(1).else(0).end()).as('failing'),
      ])
      .where('check_id', '=', p.checkId)
      .where('at', '>=', p.from)
      .where('at', '<', p.to),
)
