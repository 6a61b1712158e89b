// Runs on both engines: what is built anew when a period is packed is PostgreSQL's.
/** Documents come out of their blocks as they went in, hour for hour and late ones, and what packing leaves alone stays. */
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { packResultsTick } from '../../../../../control-plane/monitoring/results/pack-results.ts'
import { insertResults } from '../../../../../control-plane/monitoring/results/stored/insert-results.ts'
import { someDocumented } from '../../../../../control-plane/monitoring/results/stored/list-results.ts'
import type { ResultWithDoc } from '../../../../../control-plane/monitoring/results/stored/result.ts'
import { selectRows } from '../../../../../control-plane/platform/store/database/raw-sql.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { dayMs, resultAt } from '../../../../support/retention-rows.ts'
import { testsBeginAt } from '../../../../support/tests-begin.ts'

const stays = new AbortController().signal
const hourMs = 3_600_000

const runAt = (checkId: string, at: number, more: Partial<ResultWithDoc> = {}): ResultWithDoc =>
  resultAt(at, checkId, {
    doc: JSON.stringify({ name: 'site', error: null, log: [], metrics: { dns: at % 977 }, failure: null }),
    ...more,
  })

/** Of the first hours of the day, each minute. */
const hourOf = (checkId: string, hour: number): ResultWithDoc[] =>
  Array.from({ length: 60 }, (_, minute) => runAt(checkId, testsBeginAt + hour * hourMs + minute * 60_000))

const takeIn = ({ app }: TestApp, results: readonly ResultWithDoc[]): Promise<void> =>
  app.db.transaction((trx) => insertResults(trx, results))

const sameDocuments = async (t: Test, { app }: TestApp, results: readonly ResultWithDoc[], when: string) => {
  for (const [checkId, own] of Map.groupBy(results, ({ check_id }) => check_id)) {
    const list = { checkId, direction: 'oldest-first', filter: {} } as const
    const found = await someDocumented(app.db, list, 1000)
    const said = (all: readonly ResultWithDoc[]) => new Map(all.map(({ id, doc }) => [id, doc]))
    t.strictSame(said(found), said(own.toSorted((a, b) => a.started_at - b.started_at)), when)
  }
}

const packHours = async (plane: TestApp, ...hours: ResultWithDoc[][]): Promise<ResultWithDoc[]> => {
  for (const hour of hours) {
    await takeIn(plane, hour)
    plane.advance(hourMs + 600_000)
    await packResultsTick(plane.app, stays)
    plane.advance(-600_000)
  }
  return hours.flat()
}

const blocksOf = async ({ app }: TestApp, table: 'result_blocks' | 'result_details') =>
  selectRows<{ based: number; blocks: number }>(
    app.db,
    sql`select count(*) as blocks, count(base_id) as based from ${sql.table(
      app.db.engine.partitions ? table : `${table}_1`,
    )}`,
  )

for (const engine of engineNames) {
  t.test(`blocks of an hour are packed beside the first one of their day (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const ids = [plane.app.newId(), plane.app.newId()]
    const hour = (n: number) => ids.flatMap((id) => hourOf(id, n))
    const results = await packHours(plane, hour(0), hour(1), hour(2))
    for (const table of ['result_blocks', 'result_details'] as const)
      t.strictSame(await blocksOf(plane, table), [{ blocks: 6, based: 4 }], table)
    await sameDocuments(t, plane, results, 'hour for hour')

    const late = (n: number, more?: Partial<ResultWithDoc>) =>
      ids.map((id) => runAt(id, testsBeginAt + 90 * 60_000 + n, more))
    const later = [...late(7), ...late(8), ...late(9, { has_failures: true })]
    await takeIn(plane, later)
    plane.advance(2 * dayMs)
    await packResultsTick(plane.app, stays)
    await sameDocuments(t, plane, [...results, ...later], 'late ones and failures, too')
  })
}

t.test('what is packed no more is written anew on PostgreSQL, and its index with it', async (t) => {
  const plane = await testApp(t, { engine: 'postgres' })
  const checkIds = Array.from({ length: 20 }, () => plane.app.newId())
  const failed = checkIds.map((id) => runAt(id, testsBeginAt + 7, { has_failures: true }))
  const sizes = async () =>
    (
      await selectRows<{ docs: number; index: number; invalid: number }>(
        plane.app.db,
        sql`select pg_relation_size('result_docs_1') as docs,
          (select sum(pg_relation_size(indexrelid)) from pg_index where indrelid = 'result_rows_1'::regclass and not indisprimary) as index,
          (select count(*) from pg_index where not indisvalid) as invalid`,
      )
    )[0]
  await takeIn(plane, failed)
  const hours: ResultWithDoc[] = []
  for (let hour = 0; hour < 6; hour++) {
    const own = checkIds.flatMap((id) => hourOf(id, hour)).sort((a, b) => a.started_at - b.started_at)
    for (let from = 0; from < own.length; from += 20) await takeIn(plane, own.slice(from, from + 20))
    hours.push(...own)
  }
  const before = await sizes()
  plane.advance(2 * dayMs)
  await packResultsTick(plane.app, stays)
  const after = await sizes()
  t.ok(Number(after?.docs) <= 8192 && Number(before?.docs) > 20 * 8192, 'only the failures are in its pages')
  t.ok(
    Number(after?.index) < 0.75 * Number(before?.index),
    `the index of lists: ${after?.index} of ${before?.index} B`,
  )
  t.equal(after?.invalid, 0)
  await sameDocuments(t, plane, [...hours, ...failed], 'all are there')
})
