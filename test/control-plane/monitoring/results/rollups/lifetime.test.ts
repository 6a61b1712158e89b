// Runs in test:all only: it fills and reads whole stores.
// Runs on both engines in test:all: rows are counted and added up.
/** What rollups outlive, what they end with, and what waits for them. */
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { removeResultsTick } from '../../../../../control-plane/monitoring/results/remove-results.ts'
import { eachCell } from '../../../../../control-plane/monitoring/results/rollups/cells.ts'
import { noteLateResults } from '../../../../../control-plane/monitoring/results/rollups/late-results.ts'
import { newSketch } from '../../../../../control-plane/monitoring/results/rollups/sketch.ts'
import { addSketchBytes } from '../../../../../control-plane/monitoring/results/rollups/sketch-bytes.ts'
import { insertResults } from '../../../../../control-plane/monitoring/runs/result-queries.ts'
import { retentionTick } from '../../../../../control-plane/platform/retention/retention-tick.ts'
import { firstIdAt } from '../../../../../control-plane/platform/words/uuid.ts'
import { retentionKinds } from '../../../../../control-plane/retention.ts'
import { allResults } from '../../../../support/all-results.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { countAll, takeIn } from '../../../../support/rollups.ts'
import { newStoredResult, storeCheck } from '../../../../support/stored-results.ts'
import { until } from '../../../../support/until.ts'

const hour = 3_600_000
const day = 24 * hour
const stays = new AbortController().signal

/** Ids of results grow with the time of their row, as those of a running program do. */
const at = async (t: Test, engine: 'sqlite' | 'postgres', env: Record<string, string> = {}) => {
  const plane = await testApp(t, { engine, env })
  let made = 0
  plane.app.newId = () => {
    made += 1
    return firstIdAt(plane.app.clock.now()).slice(0, -12) + String(made).padStart(12, '0')
  }
  return plane
}

const runsCounted = async (plane: TestApp, minutes = 60): Promise<number> => {
  const rows = await plane.app.db.select((k) =>
    k
      .selectFrom('result_rollups')
      .select('cells')
      .where('minutes', '=', minutes)
      .where('series', '=', 'retries'),
  )
  const sum = newSketch()
  for (const { cells } of rows) eachCell(cells, (_, reader) => addSketchBytes(sum, reader))
  return sum.n
}

const countRows = async (plane: TestApp, table: 'result_rollups' | 'late_results' | 'rollup_checks') =>
  (await plane.app.db.select((k) => k.selectFrom(table).selectAll())).length

const countResults = async (plane: TestApp) => (await allResults(plane.app.db)).length

const hourly = (checkId: string, from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ checkId, at: from + n * hour, responseTime: 100 + n }))

const answerOf = async (plane: TestApp, checkId: string, from: number, more = '') => {
  const to = plane.app.clock.now() / 1000
  const query = `from=${from / 1000}&to=${to}&limit=100&metrics=availability,responseTime_sum${more}`
  const { body } = await plane.call('GET', `/v1/analytics/url-monitors/${checkId}?${query}`)
  return body.series[0].data
}

for (const engine of engineNames) {
  t.test(`results stay until they are counted, and rollups answer for them then (${engine})`, async (t) => {
    const plane = await at(t, engine, { RETENTION_RESULTS_DAYS: '2' })
    const checkId = await storeCheck(plane)
    const from = plane.app.clock.now()
    await takeIn(plane, hourly(checkId, from + hour, 48))
    plane.advance(10 * day)
    const tick = retentionTick(retentionKinds)
    await tick(plane.app, stays)
    t.equal(await countResults(plane), 48, 'nothing is counted yet')
    const before = await answerOf(plane, checkId, from, '&aggregationInterval=1440')
    await countAll(plane.app)
    plane.advance(hour)
    await tick(plane.app, stays)
    t.equal(await countResults(plane), 1, 'the newest')
    const after = await answerOf(plane, checkId, from, '&aggregationInterval=1440')
    t.strictSame(after.slice(0, before.length), before)

    // One that comes in when the raw results of its hour are gone is added to what was counted.
    await takeIn(plane, [{ checkId, at: from + hour + 1, responseTime: 7 }])
    t.equal(await countRows(plane, 'late_results'), 1)
    await tick(plane.app, stays)
    await countAll(plane.app)
    t.equal(await countRows(plane, 'late_results'), 0)
    t.equal(await runsCounted(plane), 49)
    t.equal(await runsCounted(plane, 1440), 49)
    t.equal(await runsCounted(plane, 15), 49)
  })

  t.test(`rollups end after their time, and with their check (${engine})`, async (t) => {
    const plane = await at(t, engine, { RETENTION_RESULTS_DAYS: '1', RETENTION_ROLLUPS_DAYS: '3' })
    const [removed = '', kept = ''] = [await storeCheck(plane), await storeCheck(plane)]
    const from = plane.app.clock.now()
    for (const checkId of [removed, kept]) await takeIn(plane, hourly(checkId, from + hour, 96))
    plane.advance(5 * day)
    await countAll(plane.app)
    t.equal(await runsCounted(plane), 192)
    const [kind] = retentionKinds.filter(({ name }) => name === 'rollups')
    const before = plane.app.clock.now() - 3 * day
    const over = await kind!.count(plane.app.db, { before, limit: 100_000 })
    const rows = await countRows(plane, 'result_rollups')
    await retentionTick(retentionKinds)(plane.app, stays)
    t.equal(await countRows(plane, 'result_rollups'), rows - over)
    t.equal(await runsCounted(plane), 2 * (96 - 47))
    t.ok((await kind!.count(plane.app.db, { before, limit: 10 })) === 0)

    t.equal((await plane.call('DELETE', `/v1/checks/${removed}`)).status, 204)
    await takeIn(plane, [{ checkId: removed, at: from + 90 * hour }])
    await removeResultsTick(plane.app, stays)
    await countAll(plane.app)
    t.equal(await countRows(plane, 'late_results'), 0)
    t.equal(await countRows(plane, 'rollup_checks'), 1)
    t.equal(await runsCounted(plane), 96 - 47)
  })
}

t.test('who closes an hour waits for results of it that are about to be stored', async (t) => {
  const plane = await at(t, 'postgres')
  const { db } = plane.app
  const checkId = await storeCheck(plane)
  await countAll(plane.app)
  const started = plane.app.clock.now() + 30 * 60_000
  const row = newStoredResult(plane, { checkId, at: started })
  const stored = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  // As one control plane that has stored the result of an hour, and has not committed.
  const intake = db.transaction(async (trx) => {
    await insertResults(trx, [row])
    await noteLateResults(trx, [row])
    stored.resolve()
    await mayCommit.promise
  })
  await stored.promise
  plane.advance(2 * hour)
  const order: string[] = []
  const counting = countAll(plane.app).then(() => order.push('counted'))
  await until('the horizon is waited for', async () => {
    const [waiting] = await db.select<{ total: number }>(
      (k) =>
        k
          .selectFrom('pg_locks' as never)
          .select((of) => of.fn.countAll<number>().as('total'))
          .where(sql<boolean>`not granted`) as never,
    )
    return (waiting?.total ?? 0) > 0
  })
  order.push('committed')
  mayCommit.resolve()
  await Promise.all([intake, counting])
  t.strictSame(order, ['committed', 'counted'])
  t.equal(await countRows(plane, 'late_results'), 0)
  t.equal(await runsCounted(plane), 1)
})
