// Runs in test:all only: its programs are killed again and again.
// Runs on both engines in test:all: rows are counted and added up.
/** Counting that is killed at any statement loses nothing and counts nothing twice. */
import t from 'tap'
import { eachCell } from '../../../../../control-plane/monitoring/results/rollups/cells.ts'
import { newSketch } from '../../../../../control-plane/monitoring/results/rollups/sketch.ts'
import { addSketchBytes } from '../../../../../control-plane/monitoring/results/rollups/sketch-bytes.ts'
import type { Database, Db } from '../../../../../control-plane/platform/store/database/db.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { countAll, takeIn } from '../../../../support/rollups.ts'
import { type StoredResult, storeCheck } from '../../../../support/stored-results.ts'

const hour = 3_600_000
const day = 24 * hour

/** Of each check: of more than a day, whose hours are counted one by one, and of fewer hours. */
const [early, late] = [78, 66]

class Killed extends Error {}

/** The store as a process sees it that is killed at its `at`th statement: from then on nothing is answered. */
const killedAt = (db: Database, at: number): Database => {
  let left = at
  const counted = <A extends unknown[], R>(run: (...args: A) => Promise<R>): ((...args: A) => Promise<R>) => {
    return async (...args) => {
      left -= 1
      if (left < 0) throw new Killed()
      return run(...args)
    }
  }
  const over = (inner: Db): Db => ({
    engine: inner.engine,
    all: counted((query, params) => inner.all(query, params)) as Db['all'],
    get: counted((query, params) => inner.get(query, params)) as Db['get'],
    run: counted((query, params) => inner.run(query, params)) as Db['run'],
    select: counted((build) => inner.select(build as never)) as Db['select'],
    execute: counted((build) => inner.execute(build)) as Db['execute'],
  })
  return {
    ...db,
    ...over(db),
    transaction: (work, options) => db.transaction((trx) => work(over(trx)), options),
  }
}

const killAt = async (plane: TestApp, at: number): Promise<boolean> => {
  const { db } = plane.app
  plane.app.db = killedAt(db, at)
  try {
    await countAll(plane.app)
    return false
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    return true
  } finally {
    plane.app.db = db
  }
}

const figuresOf = async (plane: TestApp, checkId: string) => {
  const metrics =
    'availability,retries,responseTime_sum,responseTime_min,responseTime_max,responseTime_stddev'
  const now = plane.app.clock.now()
  const query = `from=${(now - 3 * day) / 1000}&to=${now / 1000}&groupBy=runLocation&metrics=${metrics}`
  const { body } = await plane.call('GET', `/v1/analytics/url-monitors/${checkId}?${query}`)
  return body.series
}

const results = (checkId: string, from: number, count: number): StoredResult[] =>
  Array.from({ length: count }, (_, n) => ({
    checkId,
    at: from + n * 20 * 60_000,
    responseTime: 100 + ((n * 37) % 91),
    attempts: n % 3,
    hasFailures: n % 7 === 0,
    location: n % 2 === 0 ? 'a' : 'b',
  }))

/** What is in all rollups of so many minutes together. */
const totalOf = async (plane: TestApp, minutes: number) => {
  const rows = await plane.app.db.select((k) =>
    k
      .selectFrom('result_rollups')
      .select('cells')
      .where('minutes', '=', minutes)
      .where('series', '=', 'responseTime'),
  )
  const total = newSketch()
  for (const { cells } of rows) eachCell(cells, (_, reader) => addSketchBytes(total, reader))
  return total
}

const sumOf = (count: number): number =>
  results('', 0, count).reduce((sum, { responseTime = 0 }) => sum + responseTime, 0)

for (const engine of engineNames)
  t.test(`killed at every statement in turn (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const now = plane.app.clock.now()
    const checkIds = [await storeCheck(plane), await storeCheck(plane)]
    for (const checkId of checkIds) await takeIn(plane, results(checkId, now - day - 5 * hour, early))
    const asked = () => Promise.all(checkIds.map((checkId) => figuresOf(plane, checkId)))
    const raw = await asked()
    let at = 0
    let round = 0
    // Each time it comes a little further, until it gets through.
    while (await killAt(plane, at)) {
      at += 1
      round += 1
      if (round % 10 === 0) t.strictSame(await asked(), raw, `killed at ${at}`)
    }
    t.ok(round > 20, `${round} kills`)
    t.strictSame(await asked(), raw)
    t.equal((await totalOf(plane, 60)).n, 2 * early)

    // Then results for hours and days that are counted, and kills again.
    for (const checkId of checkIds) await takeIn(plane, results(checkId, now - day - 4 * hour + 1, late))
    const lateNotes = await plane.app.db.select((k) => k.selectFrom('late_results').selectAll())
    t.ok(lateNotes.length >= late, `${lateNotes.length} are late`)
    at = 0
    while (await killAt(plane, at)) at += 1
    t.strictSame(await plane.app.db.select((k) => k.selectFrom('late_results').selectAll()), [])
    // The last day is over, too.
    plane.advance(2 * hour)
    await countAll(plane.app)
    const counted = await asked()
    for (const minutes of [15, 60, 1440]) {
      const { n, sum } = await totalOf(plane, minutes)
      t.equal(n, 2 * (early + late), `each result once in rows of ${minutes} minutes`)
      t.equal(sum, 2 * (sumOf(early) + sumOf(late)))
    }
    // The same from raw results alone: as if nothing had been counted yet.
    await plane.app.db.execute((k) => k.updateTable('rollup_progress').set({ hours_until: 0 }))
    t.strictSame(counted, await asked())
  })
