// Runs in test:all only: it counts days again and again.
/** Two control planes of one PostgreSQL count and pack the same results at the same time: each is counted once, and lies in one block. */
import { sql } from 'kysely'
import t from 'tap'
import { packResultsTick } from '../../../../control-plane/monitoring/results/pack-results.ts'
import { eachCell } from '../../../../control-plane/monitoring/results/rollups/cells.ts'
import { moveProgress } from '../../../../control-plane/monitoring/results/rollups/queries.ts'
import { newSketch } from '../../../../control-plane/monitoring/results/rollups/sketch.ts'
import { addSketchBytes } from '../../../../control-plane/monitoring/results/rollups/sketch-bytes.ts'
import { insertResults } from '../../../../control-plane/monitoring/results/stored/insert-results.ts'
import { someDocumented } from '../../../../control-plane/monitoring/results/stored/list-results.ts'
import type { ResultWithDoc } from '../../../../control-plane/monitoring/results/stored/result.ts'
import type { Database, Db } from '../../../../control-plane/platform/store/database/db.ts'
import { selectRows } from '../../../../control-plane/platform/store/database/raw-sql.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { overlapped } from '../../../support/overlapped.ts'
import { resultAt } from '../../../support/retention-rows.ts'
import { countAll, takeIn } from '../../../support/rollups.ts'
import { type StoredResult, storeCheck } from '../../../support/stored-results.ts'
import { testsBeginAt } from '../../../support/tests-begin.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const stays = new AbortController().signal

const runs = (checkId: string, from: number, count: number): StoredResult[] =>
  Array.from({ length: count }, (_, n) => ({
    checkId,
    at: from + n * 20 * minuteMs,
    responseTime: 100 + ((n * 37) % 91),
    hasFailures: n % 7 === 0,
    location: n % 2 === 0 ? 'a' : 'b',
  }))

/** The store, and how many steps of counting found that somebody else had taken them. */
const watched = (db: Database, onLost: () => void): Database => ({
  ...db,
  transaction: (work, options) =>
    db.transaction(
      (trx) =>
        work({
          ...trx,
          run: (async (query, params) => {
            const changes = await trx.run(query, params)
            if ((query as unknown) === moveProgress && changes === 0) onLost()
            return changes
          }) as Db['run'],
        }),
      options,
    ),
})

/** What is in all rollups of so many minutes together. */
const totalOf = async ({ app }: TestApp, minutes: number): Promise<{ n: number; sum: number }> => {
  const rows = await app.db.select((k) =>
    k
      .selectFrom('result_rollups')
      .select('cells')
      .where('minutes', '=', minutes)
      .where('series', '=', 'responseTime'),
  )
  const total = newSketch()
  for (const { cells } of rows) eachCell(cells, (_, reader) => addSketchBytes(total, reader))
  return { n: total.n, sum: total.sum }
}

t.test('each result is counted once, whoever counts and whatever comes in meanwhile', async (t) => {
  const plane = await testApp(t, { engine: 'postgres' })
  let lost = 0
  const { app } = plane
  const second = {
    ...app,
    db: watched(app.db, () => {
      lost += 1
    }),
  }
  const now = app.clock.now()
  const ids = [await storeCheck(plane), await storeCheck(plane), await storeCheck(plane)]
  const taken: StoredResult[] = []
  const take = async (results: StoredResult[]): Promise<void> => {
    taken.push(...results)
    await takeIn(plane, results)
  }
  for (const id of ids) await take(runs(id, now - 51 * hourMs, 140))
  const both = (others: readonly Promise<unknown>[] = []) =>
    Promise.all([countAll(app), countAll(second), countAll(second), ...others])
  await both()
  // For hours and days that are counted, and while they are counted again.
  await both(ids.map((id, n) => take(runs(id, now - 50 * hourMs + 1 + n, 100))))
  plane.advance(3 * hourMs)
  await both(ids.map((id, n) => take(runs(id, now - 49 * hourMs + 7 + n, 60))))
  await both()
  t.ok(lost > 0, `${lost} steps were somebody else's`)
  t.strictSame(await app.db.select((k) => k.selectFrom('late_results').selectAll()), [], 'none is left out')
  const sum = taken.reduce((all, { responseTime = 0 }) => all + responseTime, 0)
  for (const minutes of [15, 60])
    t.strictSame(await totalOf(plane, minutes), { n: taken.length, sum }, `rows of ${minutes} minutes`)
})

const runAt = (checkId: string, at: number): ResultWithDoc =>
  resultAt(at, checkId, {
    doc: JSON.stringify({ name: 'site', error: null, log: [], metrics: { dns: at % 977 }, failure: null }),
  })

t.test('each document is packed once, whoever packs and whatever comes in meanwhile', async (t) => {
  const plane = await testApp(t, { engine: 'postgres' })
  const { app } = plane
  const take = (results: readonly ResultWithDoc[]) => app.db.transaction((trx) => insertResults(trx, results))
  const ids = [app.newId(), app.newId()]
  const results = ids.flatMap((id) =>
    Array.from({ length: 60 }, (_, minute) => runAt(id, testsBeginAt + (minute + 1) * minuteMs - 1)),
  )
  await take(results)
  plane.advance(hourMs + 600_000)
  // They would begin the blocks of whoever packs after the first one has read what it packs.
  const late = ids.map((id) => runAt(id, testsBeginAt + 7))
  await overlapped(
    app,
    (first) => packResultsTick(first, stays),
    async (second) => {
      await take(late)
      await packResultsTick(second, stays)
    },
  )
  for (const checkId of ids) {
    const found = await someDocumented(app.db, { checkId, direction: 'oldest-first', filter: {} }, 1000)
    const own = [...late, ...results].filter(({ check_id }) => check_id === checkId)
    t.strictSame(
      found.map(({ id, doc }) => [id, doc]),
      own.map(({ id, doc }) => [id, doc]),
      'none is lost or changed',
    )
  }
  for (const table of ['result_blocks', 'result_details'])
    t.strictSame(
      await selectRows(
        app.db,
        sql`select check_n, count(*) as blocks from ${sql.table(table)} group by check_n order by check_n`,
      ),
      [1, 2].map((check_n) => ({ check_n, blocks: 1 })),
      `${table}: none is packed twice`,
    )
  const [alone] = await selectRows<{ left: number }>(app.db, sql`select count(*) as left from result_docs`)
  t.equal(alone?.left, late.length, 'what came in meanwhile waits for the rest of its period')
})
