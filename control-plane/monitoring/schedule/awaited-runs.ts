/**
 * Awaited runs: due times of an outage that nobody is known to have run, in locations whose agents had standing orders. They are missed runs
 * to be: until the agents have said what they have (watches/late-judging/settle-tick.ts), a report of one takes its place.
 *
 * Invariant: a due time of an outage is in one range, awaited or missed, and leaves it in the transaction that stores its result. So it is one
 * result or one missed run, whoever comes first or twice.
 */
import type { Db } from '../../platform/store/database/db.ts'
import { freeRows } from '../../platform/store/database/free-rows.ts'
import { query } from '../../platform/store/database/query.ts'
import { rowStatement, runForRows } from '../../platform/store/database/row-statement.ts'
import type { AwaitedRunsTable, MissedRunsTable } from '../../platform/store/database/tables/runs.ts'
import { type MissedRun, missedRunRow, missedRunRows } from './missed-runs.ts'
import { hasDueTime, withoutDueTimes } from './without-due-times.ts'

/** As it would be missed; `location`: of the agents that may have run it. */
export type AwaitedRun = Omit<MissedRun, 'location'> & { location: { id: string; name: string } }

const awaitedRunRows = rowStatement({
  name: 'insert-awaited-run',
  table: 'awaited_runs',
  valuesOf: (p: Parameters<typeof missedRunRow>[0] & { locationId: string }) => ({
    ...missedRunRow(p),
    location_id: p.locationId,
  }),
})

const insertAwaited = (trx: Db, runs: readonly AwaitedRun[]): Promise<void> =>
  runForRows(
    trx,
    awaitedRunRows,
    runs.map(({ location: { id, name }, ...run }) => ({ ...run, locationId: id, location: name, job: null })),
  )

type Deferral = { checkId: string; accountId: string; firstDueAt: number; now: number }

const deferralRows = rowStatement({
  name: 'defer-judgement',
  table: 'deferred_judgements',
  valuesOf: (p: Deferral) => ({
    check_id: p.checkId,
    account_id: p.accountId,
    since: p.now,
    first_due_at: p.firstDueAt,
    told: null,
    told_at: null,
  }),
  also: (insert) =>
    insert.onConflict((conflict) =>
      conflict.column('check_id').doUpdateSet((set) => ({
        first_due_at: set
          .case()
          .when('deferred_judgements.first_due_at', '<', set.ref('excluded.first_due_at'))
          .then(set.ref('deferred_judgements.first_due_at'))
          .else(set.ref('excluded.first_due_at'))
          .end(),
      })),
    ),
})

/** From now on the results of these checks are judged together with what is awaited. */
export const awaitRuns = async (trx: Db, runs: readonly AwaitedRun[]): Promise<void> => {
  await insertAwaited(trx, runs)
  const checks = new Map<string, Deferral>()
  for (const { checkId, accountId, firstDueAt, now } of runs) {
    const known = checks.get(checkId)?.firstDueAt ?? firstDueAt
    checks.set(checkId, { checkId, accountId, firstDueAt: Math.min(known, firstDueAt), now })
  }
  const inOrder = [...checks.values()].sort((a, b) => (a.checkId < b.checkId ? -1 : 1))
  await runForRows(trx, deferralRows, inOrder)
}

type OfCheck = { checkId: string }

/** A check that is gone is missed by nobody. */
export const dropAwaitedRuns = async (trx: Db, { checkId }: OfCheck): Promise<void> => {
  await trx.run(deleteAwaitedRuns, { checkId })
  await trx.run(deleteDeferral, { checkId })
}

const deleteAwaitedRuns = query('delete-awaited-runs-of-check', (k, p: OfCheck) =>
  k.deleteFrom('awaited_runs').where('check_id', '=', p.checkId),
)

export const deleteDeferral = query('delete-deferred-judgement', (k, p: OfCheck) =>
  k.deleteFrom('deferred_judgements').where('check_id', '=', p.checkId),
)

/** Of these checks, those that are judged later: whoever judges them waits for this transaction. */
export const deferredChecks = query('deferred-checks', (k, p: { checkIds: readonly string[] }, engine) => {
  const rows = k
    .selectFrom('deferred_judgements')
    .select('check_id')
    .where('check_id', 'in', engine.textList(p.checkIds))
    .orderBy('check_id')
  return engine.rowLocks ? rows.forShare() : rows
})

/** Its results are judged by whoever has it. */
export const lockDeferral = query('lock-deferred-judgement', (k, p: OfCheck, engine) => {
  const row = k.selectFrom('deferred_judgements').selectAll().where('check_id', '=', p.checkId)
  return engine.rowLocks ? row.forUpdate() : row
})

export const anyAwaitedOf = query('any-awaited-run-of-check', (k, p: OfCheck) =>
  k.selectFrom('awaited_runs').select('id').where('check_id', '=', p.checkId).limit(1),
)

/** Checks nothing of which is awaited any more, the ones that wait longest first. */
export const judgeableChecks = query('judgeable-checks', (k, p: { before: number; limit: number }) =>
  k
    .selectFrom('deferred_judgements as d')
    .select('d.check_id')
    .where('d.since', '<=', p.before)
    .where((where) =>
      where.not(
        where.exists(
          where.selectFrom('awaited_runs as a').select('a.id').whereRef('a.check_id', '=', 'd.check_id'),
        ),
      ),
    )
    .orderBy('d.since')
    .orderBy('d.check_id')
    .limit(p.limit),
)

/** Where runs are awaited, since when, the first of their due times, and how many there are. */
export const awaitingLocations = query('awaiting-locations', (k, _: Record<string, never>) =>
  k
    .selectFrom('awaited_runs')
    .select((of) => [
      'location_id',
      of.fn.min<number>('created_at').as('since'),
      of.fn.min<number>('first_due_at').as('first_due_at'),
      of.fn.sum<number>('count').as('runs'),
    ])
    .groupBy('location_id'),
)

/** Of a location; what another control plane holds is left to it. */
export const takeAwaited = query(
  'take-awaited-runs',
  (k, p: { locationId: string; limit: number }, engine) => {
    const some = k
      .selectFrom('awaited_runs as a')
      .select('a.id')
      .where('a.location_id', '=', p.locationId)
      .orderBy('a.id')
      .limit(p.limit)
    return k.deleteFrom('awaited_runs').where('id', 'in', freeRows(engine, some)).returningAll()
  },
)

type Dues = { checkIds: readonly string[]; from: number; to: number }

/** Locked in the order of their ids, as jobs are. */
const lockAwaitedOf = query('lock-awaited-runs-of-checks', (k, p: Dues & { locationId: string }, engine) => {
  const rows = k
    .selectFrom('awaited_runs')
    .selectAll()
    .where('check_id', 'in', engine.textList(p.checkIds))
    .where('location_id', '=', p.locationId)
    .where('first_due_at', '<=', p.to)
    .where('last_due_at', '>=', p.from)
    .orderBy('id')
  return engine.rowLocks ? rows.forUpdate() : rows
})

const lockMissedOf = query('lock-missed-runs-of-checks', (k, p: Dues & { location: string }, engine) => {
  const rows = k
    .selectFrom('missed_runs')
    .selectAll()
    .where('check_id', 'in', engine.textList(p.checkIds))
    .where('location', '=', p.location)
    .where('first_due_at', '<=', p.to)
    .where('last_due_at', '>=', p.from)
    .orderBy('id')
  return engine.rowLocks ? rows.forUpdate() : rows
})

/** A range that has due times of a batch; `isMissed`: it was recorded as missed, and is awaited otherwise. */
export type Range = { row: AwaitedRunsTable | MissedRunsTable; isMissed: boolean }

type Asked = { location: { id: string; name: string }; dues: readonly { checkId: string; dueAt: number }[] }

/** The ranges in which due times of these checks in one location may be, held until the commit. */
export const rangesOfDues = async (trx: Db, { location, dues }: Asked): Promise<Range[]> => {
  if (dues.length === 0) return []
  const times = dues.map(({ dueAt }) => dueAt)
  const within = {
    checkIds: [...new Set(dues.map(({ checkId }) => checkId))],
    from: Math.min(...times),
    to: Math.max(...times),
  }
  const awaited = await trx.all(lockAwaitedOf, { ...within, locationId: location.id })
  const missed = await trx.all(lockMissedOf, { ...within, location: location.name })
  return [
    ...awaited.map((row) => ({ row, isMissed: false })),
    ...missed.map((row) => ({ row, isMissed: true })),
  ]
}

const dueTimesOf = ({ row }: Range) => ({
  firstDueAt: row.first_due_at,
  lastDueAt: row.last_due_at,
  stepMs: row.period_ms,
  count: row.count,
})

/** Which of the ranges has a due time of a check; undefined: none. */
export const rangeWith = (
  ranges: readonly Range[],
  due: { checkId: string; dueAt: number },
): Range | undefined =>
  ranges.find((range) => range.row.check_id === due.checkId && hasDueTime(dueTimesOf(range), due.dueAt))

type Ids = { ids: readonly string[] }

const deleteAwaited = query('delete-awaited-runs', (k, p: Ids, engine) =>
  k.deleteFrom('awaited_runs').where('id', 'in', engine.textList(p.ids)),
)

const deleteMissed = query('delete-missed-runs', (k, p: Ids, engine) =>
  k.deleteFrom('missed_runs').where('id', 'in', engine.textList(p.ids)),
)

/** Takes due times out of their ranges: what is left of one keeps its id where it begins. */
export const takeDueTimes = async (
  trx: Db,
  taken: readonly { range: Range; dueAt: number }[],
  newId: () => string,
): Promise<void> => {
  const byRange = new Map<Range, number[]>()
  for (const { range, dueAt } of taken) byRange.set(range, [...(byRange.get(range) ?? []), dueAt])
  for (const isMissed of [false, true]) {
    const touched = [...byRange].filter(([range]) => range.isMissed === isMissed)
    if (touched.length === 0) continue
    const left = touched.flatMap(([range, dues]) => leftOf(range, dues, newId))
    await trx.run(isMissed ? deleteMissed : deleteAwaited, { ids: touched.map(([{ row }]) => row.id) })
    if (isMissed)
      await runForRows(
        trx,
        missedRunRows,
        left.map((one) => ({ ...one, location: one.location.name, job: null })),
      )
    else await insertAwaited(trx, left)
  }
}

const leftOf = (range: Range, dues: readonly number[], newId: () => string): AwaitedRun[] =>
  withoutDueTimes(dueTimesOf(range), dues).map((left, position) => ({
    ...asAwaited(range.row),
    ...left,
    id: position === 0 ? range.row.id : newId(),
  }))

/** A row as it was written. */
export const asAwaited = (row: AwaitedRunsTable | MissedRunsTable): AwaitedRun => ({
  id: row.id,
  accountId: row.account_id,
  checkId: row.check_id,
  location: { id: 'location_id' in row ? row.location_id : '', name: row.location },
  reason: row.reason as AwaitedRun['reason'],
  detail: row.detail,
  firstDueAt: row.first_due_at,
  lastDueAt: row.last_due_at,
  stepMs: row.period_ms,
  count: row.count,
  job: row.job,
  now: row.created_at,
})
