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
import { lookUpStarts } from '../../../../../control-plane/monitoring/results/stored/partition-starts.ts'
import type { ResultWithDoc } from '../../../../../control-plane/monitoring/results/stored/result.ts'
import type { Db } from '../../../../../control-plane/platform/store/database/db.ts'
import { change, selectRows } from '../../../../../control-plane/platform/store/database/raw-sql.ts'
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

t.test(
  'partitions of a store of before they said when their runs started',
  { skip: onPostgres ? false : 'SQLite has none' },
  async (t) => {
    const plane = await testApp(t, { engine: 'postgres' })
    const { db } = plane.app
    for (let day = 0; day < 6; day++) await makePeriods(db, { now: testsBeginAt + day * dayMs })
    const checkId = plane.app.newId()
    const noon = testsBeginAt + dayMs / 2
    const [first, offset, late] = [0, 3, 5].map((days) =>
      resultAt(noon, checkId, { started_at: noon + days * dayMs }),
    ) as [ResultWithDoc, ResultWithDoc, ResultWithDoc]
    await db.transaction((trx) => insertResults(trx, [first, offset]))
    await change(db, sql`update result_periods set oldest_at = null, newest_at = null`)
    const now = testsBeginAt + 20 * dayMs
    const startsOf = async (day: number) => {
      const from = testsBeginAt + day * dayMs
      const periods = await db.select((k) => k.selectFrom('result_periods').selectAll())
      const period = periods.find(({ from_at }) => from_at === from)
      return [period?.oldest_at, period?.newest_at]
    }
    const findsAll = async (of: readonly ResultWithDoc[]): Promise<void> => {
      for (const { id, started_at } of of) {
        const list = { checkId, direction: 'newest-first', filter: {}, from: started_at } as const
        const found = await someDocumented(db, { ...list, to: started_at + 1 }, 9)
        t.strictSame(
          found.map((one) => one.id),
          [id],
        )
      }
    }
    await findsAll([first, offset])
    const lookUpAll = async (): Promise<void> => {
      for (let n = 0; n < 9; n++) await lookUpStarts(db, { now })
    }
    // They are looked up between the moment a batch learns where its results lie and that in which it writes them.
    await db.transaction((trx) => {
      const run: Db['run'] = async (statement, values) => {
        if (statement.name === 'insert-into-result_rows') await lookUpAll()
        return trx.run(statement, values)
      }
      return insertResults({ ...trx, run }, [late])
    })
    await findsAll([first, offset, late])
    const [oldest, newest = 0] = await startsOf(0)
    t.equal(oldest, noon)
    t.ok((newest ?? 0) >= late.started_at)
    t.strictSame(await startsOf(2), [testsBeginAt + 2 * dayMs, testsBeginAt + 3 * dayMs - 1], 'an empty one')
    await db.transaction(async (trx) => {
      const day = { from: testsBeginAt + 2 * dayMs, to: testsBeginAt + 3 * dayMs }
      await someDocumented(trx, { checkId, direction: 'newest-first', filter: {}, ...day }, 9)
      t.equal((await openedBy(trx)).length, 3, 'its own, and from that on whose run was on a later day')
    })
  },
)
