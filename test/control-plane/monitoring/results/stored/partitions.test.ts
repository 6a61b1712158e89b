// Runs on both engines in test:all: partitions are PostgreSQL's.
/** However many days are stored, a question of some of them opens the partitions of those, and takes locks on no others. */
import { sql } from 'kysely'
import t from 'tap'
import {
  findResultById,
  storedResultIds,
} from '../../../../../control-plane/monitoring/results/stored/find-results.ts'
import { insertResults } from '../../../../../control-plane/monitoring/results/stored/insert-results.ts'
import { latestResults } from '../../../../../control-plane/monitoring/results/stored/latest-results.ts'
import { latestRuns } from '../../../../../control-plane/monitoring/results/stored/latest-runs.ts'
import { someDocumented } from '../../../../../control-plane/monitoring/results/stored/list-results.ts'
import { makePeriods } from '../../../../../control-plane/monitoring/results/stored/make-periods.ts'
import {
  finalsOfRuns,
  lastVerdicts,
} from '../../../../../control-plane/monitoring/results/stored/other-runs.ts'
import type { Db } from '../../../../../control-plane/platform/store/database/db.ts'
import { selectRows } from '../../../../../control-plane/platform/store/database/raw-sql.ts'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { dayMs, resultAt } from '../../../../support/retention-rows.ts'
import { testsBeginAt } from '../../../../support/tests-begin.ts'

const days = 40
const runsADay = 12
const everyMs = dayMs / runsADay
const onPostgres = engineNames.some((name) => name === 'postgres')

const openedBy = async (trx: Db): Promise<string[]> => {
  const rows = await selectRows<{ name: string }>(
    trx,
    sql`select distinct relname as name from pg_locks join pg_class on pg_class.oid = pg_locks.relation
      where pid = pg_backend_pid() and relkind = 'r' and relname ~ '^result_[a-z]+_[0-9]+$'`,
  )
  return [...new Set(rows.map(({ name }) => name.slice(name.lastIndexOf('_'))))]
}

t.test('partitions that a question opens', { skip: onPostgres ? false : 'SQLite has none' }, async (t) => {
  const plane = await testApp(t, { engine: 'postgres' })
  const { db } = plane.app
  const checkId = plane.app.newId()
  const runs = Array.from({ length: days * runsADay }, (_, n) =>
    resultAt(testsBeginAt + n * everyMs + everyMs / 2, checkId),
  )
  for (let day = 0; day < days; day++) await makePeriods(db, { now: testsBeginAt + day * dayMs })
  // Of a run that began two days after its id was made.
  const late = resultAt(testsBeginAt + 10 * dayMs, checkId, {
    started_at: testsBeginAt + 12 * dayMs + 1000,
    check_run_id: 7,
  })
  for (const some of [runs, [late]]) await db.transaction((trx) => insertResults(trx, some))
  const ofDay = (n: number): string[] => runs.slice(n * runsADay, (n + 1) * runsADay).map(({ id }) => id)
  const [first = '', last = ''] = [ofDay(0)[0], ofDay(days - 1).at(-1)]
  const [one = '', other = ''] = [ofDay(5)[0], ofDay(6)[0]]
  const day = (n: number) => ({ from: testsBeginAt + n * dayMs, to: testsBeginAt + (n + 1) * dayMs })
  const list = { checkId, direction: 'oldest-first', filter: {} } as const
  const questions: [name: string, most: number, ask: (trx: Db) => Promise<unknown>, answer: unknown][] = [
    [
      'a day',
      1,
      async (trx) => (await someDocumented(trx, { ...list, ...day(20) }, 99)).map(({ id }) => id),
      ofDay(20),
    ],
    [
      'a day with a run of an id of before',
      3,
      async (trx) => (await someDocumented(trx, { ...list, ...day(12) }, 99)).map(({ id }) => id),
      [late.id, ...ofDay(12)],
    ],
    [
      'the newest',
      4,
      async (trx) =>
        (await someDocumented(trx, { ...list, direction: 'newest-first' }, 1)).map(({ id }) => id),
      [last],
    ],
    ['the oldest', 4, async (trx) => (await someDocumented(trx, list, 1)).map(({ id }) => id), [first]],
    ['one by its id', 1, async (trx) => (await findResultById(trx, one))?.id, one],
    ['which are stored', 2, async (trx) => (await storedResultIds(trx, [one, other])).size, 2],
    [
      'the latest of checks',
      4,
      async (trx) => (await latestResults(trx, [checkId])).map(({ id }) => id),
      [last],
    ],
    [
      'the latest runs of a day',
      1,
      async (trx) =>
        (await latestRuns(trx, { ids: [checkId], perCheck: 3, ...day(30) })).get(checkId)?.length,
      3,
    ],
    [
      'verdicts since yesterday',
      6,
      async (trx) =>
        (await lastVerdicts(trx, { checkIds: [checkId], since: day(days - 2).from, excluded: [] })).size,
      1,
    ],
    [
      'the finals of a due time',
      days,
      async (trx) =>
        (await finalsOfRuns(trx, [{ checkId, checkRunId: 7, since: day(12).from }])).map(({ id }) => id),
      [late.id],
    ],
  ]
  for (const [name, most, ask, answer] of questions)
    await db.transaction(async (trx) => {
      t.strictSame(await ask(trx), answer, name)
      const opened = await openedBy(trx)
      t.ok(opened.length > 0 && opened.length <= most, `${name}: ${opened.length} of ${days} days are opened`)
    })
})

t.test(
  'batches that widen a day at once',
  { skip: onPostgres ? false : 'SQLite writes one after the other' },
  async (t) => {
    const plane = await testApp(t, { engine: 'postgres' })
    const { db } = plane.app
    await makePeriods(db, { now: testsBeginAt })
    const checkId = plane.app.newId()
    const hours = Array.from({ length: 8 }, (_, n) => (n - 4) * 3 * 3_600_000)
    const results = hours.map((off) =>
      resultAt(testsBeginAt + dayMs / 2, checkId, { started_at: testsBeginAt + dayMs / 2 + 6 * off }),
    )
    await Promise.all(results.map((one) => db.transaction((trx) => insertResults(trx, [one]))))
    for (const { id, started_at } of results) {
      const span = { from: started_at, to: started_at + 1 }
      const found = await someDocumented(db, { checkId, direction: 'newest-first', filter: {}, ...span }, 9)
      t.strictSame(
        found.map((one) => one.id),
        [id],
      )
    }
  },
)
