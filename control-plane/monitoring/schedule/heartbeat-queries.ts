/** All SQL about the timers of heartbeat checks. */
import { integer, text } from '../../platform/store/database/ddl.ts'
import { query } from '../../platform/store/database/query.ts'
import type { HeartbeatsTable } from '../../platform/store/database/tables/heartbeats.ts'

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

/** Many at once: where a server answers, each statement is a way there and back. */
export const moveTimers = query(
  'move-heartbeat-timers',
  (k, p: { timers: readonly TimerColumns[] }, engine) =>
    k
      .updateTable('heartbeats')
      .from(
        engine
          .rowList(p.timers, {
            ...{ check_id: text, state: text },
            ...{ last_ping_at: integer, expected_at: integer, deadline_at: integer },
          })
          .$castTo<TimerColumns>()
          .as('r'),
      )
      .set((at) => ({
        state: at.ref('r.state'),
        last_ping_at: at.ref('r.last_ping_at'),
        expected_at: at.ref('r.expected_at'),
        deadline_at: at.ref('r.deadline_at'),
      }))
      .whereRef('heartbeats.check_id', '=', 'r.check_id'),
)

export const lockHeartbeat = query('lock-heartbeat', (k, p: { checkId: string }, engine) => {
  const one = k.selectFrom('heartbeats').selectAll().where('check_id', '=', p.checkId)
  return engine.rowLocks ? one.forUpdate() : one
})

/** Without a lock: for whoever only looks. */
export const findTimer = query('find-heartbeat-timer', (k, p: { checkId: string }) =>
  k
    .selectFrom('heartbeats')
    .select(['state', 'last_ping_at', 'expected_at', 'deadline_at'])
    .where('check_id', '=', p.checkId),
)

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

type Awaited = { downSince: number; expectedBy: number; afterId: string; limit: number }

/** Those that were to ping while nobody could ping us, or whose grace ended then; in the order of their ids. */
export const awaitedSince = query('awaited-since', (k, p: Awaited) =>
  k
    .selectFrom('heartbeats')
    .selectAll()
    .where('deadline_at', '>', p.downSince)
    .where('expected_at', '<=', p.expectedBy)
    .where('check_id', '>', p.afterId)
    .orderBy('check_id')
    .limit(p.limit),
)

type DeadlineMove = { check_id: string; was: number; deadline_at: number }

/** One that was pinged meanwhile has its deadline from that. */
export const moveDeadlines = query('move-deadlines', (k, p: { moves: readonly DeadlineMove[] }, engine) =>
  k
    .updateTable('heartbeats')
    .from(
      engine
        .rowList(p.moves, { check_id: text, was: integer, deadline_at: integer })
        .$castTo<DeadlineMove>()
        .as('r'),
    )
    .set((at) => ({ deadline_at: at.ref('r.deadline_at') }))
    .whereRef('heartbeats.check_id', '=', 'r.check_id')
    .whereRef('heartbeats.deadline_at', '=', 'r.was'),
)
