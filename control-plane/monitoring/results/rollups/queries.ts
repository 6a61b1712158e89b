/** All SQL of the rollups, but for their end (retention.ts) and the horizon (late-results.ts). */
import type { Db } from '../../../platform/store/database/db.ts'
import { integer } from '../../../platform/store/database/ddl.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { RollupProgressTable } from '../../../platform/store/database/tables/rollups.ts'

export type Progress = Omit<RollupProgressTable, 'id'>

export const noProgress: Progress = {
  version: 0,
  hours_until: 0,
  hours_after: '',
  days_until: 0,
  days_after: '',
  thinned_until: 0,
  thinned_after: '',
}

export const findProgress = query('rollup-progress', (k, _: Record<string, never>) =>
  k
    .selectFrom('rollup_progress')
    .select([
      'version',
      'hours_until',
      'hours_after',
      'days_until',
      'days_after',
      'thinned_until',
      'thinned_after',
    ])
    .where('id', '=', 1),
)

export const beginProgress = query('begin-rollup-progress', (k, _: Record<string, never>) =>
  k
    .insertInto('rollup_progress')
    .values({ id: 1, ...noProgress })
    .onConflict((conflict) => conflict.doNothing()),
)

/** Changes nothing where another step was done since `version` was read: what this one is about is done, or no longer so. */
export const moveProgress = query('move-rollup-progress', (k, p: Progress) =>
  k
    .updateTable('rollup_progress')
    .set((at) => ({
      version: at('version', '+', 1),
      hours_until: p.hours_until,
      hours_after: p.hours_after,
      days_until: p.days_until,
      days_after: p.days_after,
      thinned_until: p.thinned_until,
      thinned_after: p.thinned_after,
    }))
    .where('id', '=', 1)
    .where('version', '=', p.version),
)

export const checksBehind = query('checks-to-count', (k, p: { after: string; limit: number }) =>
  k.selectFrom('checks').select(['id', 'type']).where('id', '>', p.after).orderBy('id').limit(p.limit),
)

/** Those that are still there; they stay until the transaction ends. */
export const holdChecks = query('hold-checks-to-count', (k, p: { ids: readonly string[] }, engine) => {
  const held = k
    .selectFrom('checks')
    .select(['id', 'type'])
    .where('id', 'in', engine.textList(p.ids))
    .orderBy('id')
  return engine.rowLocks ? held.forShare() : held
})

export const findCheckNumber = query('rollup-check', (k, p: { checkId: string }) =>
  k.selectFrom('rollup_checks').select('number').where('check_id', '=', p.checkId),
)

export const insertCheckNumber = query('insert-rollup-check', (k, p: { checkId: string; number: number }) =>
  k.insertInto('rollup_checks').values({ check_id: p.checkId, number: p.number }),
)

type Span = { number: number; minutes: number; from: number; to: number }

export const rollupsOfSeries = query('rollups-of-series', (k, p: Span & { series: string; limit: number }) =>
  k
    .selectFrom('result_rollups')
    .select(['start_at', 'cells'])
    .where('check_number', '=', p.number)
    .where('minutes', '=', p.minutes)
    .where('series', '=', p.series)
    .where('start_at', '>=', p.from)
    .where('start_at', '<', p.to)
    .orderBy('start_at')
    .limit(p.limit),
)

export const rollupNumbers = query('rollup-numbers', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('rollup_checks').selectAll().where('check_id', 'in', engine.textList(p.ids)),
)

type ChecksSpan = { numbers: readonly { listed: number }[]; minutes: number; from: number; to: number }

/** Of many checks: a seek for each of them. */
export const rollupsOfChecks = query('rollups-of-checks', (k, p: ChecksSpan & { series: string }, engine) =>
  k
    .selectFrom(engine.rowList(p.numbers, { listed: integer }).$castTo<{ listed: number }>().as('c'))
    .crossJoin('result_rollups')
    .select(['check_number', 'start_at', 'cells'])
    .whereRef('check_number', '=', 'c.listed')
    .where('minutes', '=', p.minutes)
    .where('series', '=', p.series)
    .where('start_at', '>=', p.from)
    .where('start_at', '<', p.to),
)

/** Of a day at most. */
export const rollupsOfDay = query('rollups-of-day', (k, p: Span & { series: readonly string[] }, engine) =>
  k
    .selectFrom('result_rollups')
    .select(['series', 'start_at', 'cells'])
    .where('check_number', '=', p.number)
    .where('minutes', '=', p.minutes)
    .where('series', 'in', engine.textList(p.series))
    .where('start_at', '>=', p.from)
    .where('start_at', '<', p.to),
)

export type RollupRow = {
  check_number: number
  minutes: number
  series: string
  start_at: number
  cells: Buffer
}

const writeRollup = query('write-rollup', (k, p: RollupRow) =>
  k
    .insertInto('result_rollups')
    .values({
      check_number: p.check_number,
      minutes: p.minutes,
      series: p.series,
      start_at: p.start_at,
      cells: p.cells,
    })
    .onConflict((conflict) =>
      conflict.columns(['check_number', 'minutes', 'series', 'start_at']).doUpdateSet({ cells: p.cells }),
    ),
)

const rowsAtOnce = 200

/** A prepared statement a row is faster where rows cost no round trips. */
export const writeRollups = async (trx: Db, rows: readonly RollupRow[]): Promise<void> => {
  if (!trx.engine.shared) {
    for (const row of rows) await trx.run(writeRollup, row)
    return
  }
  for (let at = 0; at < rows.length; at += rowsAtOnce)
    await trx.execute((k) =>
      k
        .insertInto('result_rollups')
        .values(rows.slice(at, at + rowsAtOnce))
        .onConflict((conflict) =>
          conflict
            .columns(['check_number', 'minutes', 'series', 'start_at'])
            .doUpdateSet((set) => ({ cells: set.ref('excluded.cells') })),
        ),
    )
}

/** Of a day at most, too. */
export const deleteRollupsOfDay = query(
  'delete-rollups-of-day',
  (k, p: Span & { series: readonly string[] }, engine) =>
    k
      .deleteFrom('result_rollups')
      .where('check_number', '=', p.number)
      .where('minutes', '=', p.minutes)
      .where('series', 'in', engine.textList(p.series))
      .where('start_at', '>=', p.from)
      .where('start_at', '<', p.to),
)

export const lateResultsBefore = query('late-results', (k, p: { before: number; limit: number }) =>
  k
    .selectFrom('late_results')
    .selectAll()
    .where('started_at', '<', p.before)
    .orderBy('started_at')
    .orderBy('result_id')
    .limit(p.limit),
)

export const lateResultsOfHour = query('late-results-of-hour', (k, p: { from: number; to: number }) =>
  k
    .selectFrom('late_results')
    .select(['started_at', 'result_id'])
    .where('started_at', '>=', p.from)
    .where('started_at', '<', p.to),
)

export const deleteLateResult = query('delete-late-result', (k, p: { startedAt: number; id: string }) =>
  k.deleteFrom('late_results').where('started_at', '=', p.startedAt).where('result_id', '=', p.id),
)
