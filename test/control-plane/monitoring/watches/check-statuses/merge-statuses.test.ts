import t from 'tap'
import { mergeStatuses } from '../../../../../control-plane/monitoring/watches/check-statuses/merge-statuses.ts'
import {
  type NewStatus,
  recordStatus,
  statusRows,
} from '../../../../../control-plane/monitoring/watches/check-statuses/queries.ts'
import type { Database } from '../../../../../control-plane/platform/store/database/db.ts'
import { runForRows } from '../../../../../control-plane/platform/store/database/row-statement.ts'
import { eachDatabase } from '../../../../support/databases.ts'
import { fc } from '../../../../support/fast-check.ts'

const states = ['passing', 'degraded', 'failing', 'unknown'] as const

/** Few checks, few instants: what is older, at the same time, newer and unknown meets in every order. */
const statuses = fc.array(
  fc.record({
    checkId: fc.constantFrom('a', 'b'),
    state: fc.constantFrom(...states),
    startedAt: fc.integer({ min: 1, max: 5 }),
    runMs: fc.integer({ min: 1, max: 9 }),
    sslDaysRemaining: fc.option(fc.integer({ min: 1, max: 9 })),
  }),
  { maxLength: 7 },
)

const toStatus = (
  {
    runMs,
    ...status
  }: { runMs: number } & Pick<NewStatus, 'checkId' | 'state' | 'startedAt' | 'sslDaysRemaining'>,
  index: number,
): NewStatus => ({
  ...status,
  accountId: 'account',
  hasFailures: status.state === 'failing',
  hasErrors: status.state === 'unknown',
  isDegraded: status.state === 'degraded',
  longestRunMs: runMs,
  shortestRunMs: runMs,
  location: `place ${index}`,
  checkRunId: index,
  now: 100,
  updatedAt: null,
})

const stored = (db: Database) =>
  db.select((k) => k.selectFrom('check_statuses').selectAll().orderBy('check_id'))

const clear = (db: Database) => db.execute((k) => k.deleteFrom('check_statuses'))

eachDatabase('statuses written together say the same as one after the other', async (t, db) => {
  await fc.assert(
    fc.asyncProperty(statuses, statuses, async (before, batch) => {
      const earlier = before.map(toStatus)
      const rows = batch.map(toStatus)
      await clear(db)
      for (const status of [...earlier, ...rows]) await db.run(recordStatus, status)
      const expected = await stored(db)
      await clear(db)
      for (const status of earlier) await db.run(recordStatus, status)
      for (const round of mergeStatuses(rows)) await runForRows(db, statusRows, round)
      t.strictSame(await stored(db), expected)
    }),
    { numRuns: 60 },
  )
})

t.test('runs of one check that all know the target are one row', async (t) => {
  const runs = [3, 1, 2].map((startedAt, index) =>
    toStatus({ checkId: 'a', state: 'passing', startedAt, runMs: index + 1, sslDaysRemaining: null }, index),
  )
  t.match(mergeStatuses(runs), [[{ startedAt: 3, longestRunMs: 3, shortestRunMs: 1, location: 'place 0' }]])
})
