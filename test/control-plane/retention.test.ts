// Runs in test:all only: it fills and reads whole stores.
// Runs on both engines in test:all: rows of many tables are deleted.
/** What retention removes and keeps is what a plain model says, whatever the ages, on both engines. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { sweepArtifactsTick } from '../../control-plane/monitoring/artifacts/sweep-artifacts.ts'
import { horizonsOf } from '../../control-plane/monitoring/results/rollups/horizons.ts'
import { insertCheckNumber, writeRollups } from '../../control-plane/monitoring/results/rollups/queries.ts'
import { findResultById } from '../../control-plane/monitoring/results/stored/find-results.ts'
import { makePeriods } from '../../control-plane/monitoring/results/stored/make-periods.ts'
import { retentionTick } from '../../control-plane/platform/retention/retention-tick.ts'
import { change } from '../../control-plane/platform/store/database/raw-sql.ts'
import { retentionKinds } from '../../control-plane/retention.ts'
import { allResultIds, allResults, allRows, countRows } from '../support/all-results.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { engineNames } from '../support/databases.ts'
import { byLength, runsIn } from '../support/length.ts'
import { randomFrom } from '../support/random.ts'
import { modelOf } from '../support/retention-model.ts'
import { dayMs, type Rows, randomRows, resultAt, storeRows } from '../support/retention-rows.ts'
import { countAll } from '../support/rollups.ts'
import { testsBeginAt } from '../support/tests-begin.ts'

const tick = retentionTick(retentionKinds)
const stays = new AbortController().signal
const hour = 3_600_000

const env = {
  RETENTION_RESULTS_DAYS: '20',
  RETENTION_SESSIONS_DAYS: '31',
  RETENTION_NOTIFICATIONS_DAYS: '60',
  RETENTION_ANALYSES_DAYS: '45',
}

const idsOf = async ({ app }: TestApp, table: keyof Rows): Promise<string[]> => {
  if (table === 'results') return allResultIds(app.db)
  const key = table === 'artifacts' ? 'result_id' : table === 'alert_states' ? 'check_id' : 'id'
  const rows = await app.db.select<Record<string, string>>(
    (k) => k.selectFrom(table).select(key as never) as never,
  )
  return rows.map((row) => row[key] ?? '').sort()
}

const differences = async (
  plane: TestApp,
  rows: Rows,
  firstPeriodAt: number,
): Promise<Record<string, unknown>> => {
  const model = modelOf(rows, {
    retention: plane.app.config.retention,
    now: plane.app.clock.now(),
    firstPeriodAt,
  })
  const found: Record<string, unknown> = {}
  for (const table of Object.keys(model) as (keyof Rows)[]) {
    const left = await idsOf(plane, table)
    const wrong = {
      shouldBeThere: model[table].filter((id) => !left.includes(id)),
      shouldBeGone: left.filter((id) => !model[table].includes(id)),
    }
    if (wrong.shouldBeThere.length + wrong.shouldBeGone.length > 0) found[table] = wrong
  }
  return found
}

/** So that results of the last days end with their periods; earlier ones end one by one. */
const passDaysWithPeriods = async (plane: TestApp, days: number): Promise<void> => {
  for (let day = 0; day < days; day += 3) {
    await makePeriods(plane.app.db, { now: plane.app.clock.now() })
    plane.advance(3 * dayMs)
  }
  await countAll(plane.app)
}

// The third is of a store with periods.
for (const engine of engineNames)
  for (const seed of engine === 'sqlite' || runsIn('long') ? [1, 2, 3] : [1, 3])
    t.test(`what is left is what the model keeps: seed ${seed} (${engine})`, async (t) => {
      const plane = await testApp(t, { engine, env })
      const firstPeriodAt = testsBeginAt + (seed === 3 ? 53 * dayMs : 0)
      plane.advance(firstPeriodAt - testsBeginAt)
      if (seed === 3) await passDaysWithPeriods(plane, 12)
      const random = randomFrom(seed)
      const dice = { below: (n: number) => Math.floor(random() * n) }
      const checkIds = Array.from({ length: 8 }, () => plane.app.newId())
      const rows = randomRows({ dice, now: plane.app.clock.now(), checkIds })
      await storeRows(plane.app.db, rows)
      await tick(plane.app, stays)
      await sweepArtifactsTick(plane.app)
      t.strictSame(await differences(plane, rows, firstPeriodAt), {})
      // Time goes on, and with it what is over.
      for (const later of [9, 40]) {
        plane.advance(later * dayMs)
        await countAll(plane.app)
        await tick(plane.app, stays)
        await sweepArtifactsTick(plane.app)
        t.strictSame(await differences(plane, rows, firstPeriodAt), {}, `${later} days later`)
      }
    })

t.test('a turn comes once an hour', async (t) => {
  const plane = await testApp(t)
  const turns = () =>
    plane.app.db.select<{ begun_at: number }>((k) => k.selectFrom('retention_turns').selectAll() as never)
  await tick(plane.app, stays)
  const [first] = await turns()
  plane.advance(hour - 1)
  await tick(plane.app, stays)
  t.strictSame((await turns())[0], first)
  plane.advance(1)
  await tick(plane.app, stays)
  t.equal((await turns())[0]?.begun_at, plane.app.clock.now())
})

/** Aborts when so many pieces have been worked off. */
const afterPieces = (plane: TestApp, pieces: number): AbortSignal => {
  const ending = new AbortController()
  const { transaction } = plane.app.db
  let left = pieces
  plane.app.db.transaction = async (work, options) => {
    const value = await transaction(work, options)
    left -= 1
    if (left === 0) ending.abort()
    return value
  }
  return ending.signal
}

const oldResults = ({ app }: TestApp, count: number, { days = 40, everyMs = 1000, doc = '{}' } = {}) => {
  const checkId = app.newId()
  const at = app.clock.now() - days * dayMs
  return Array.from({ length: count }, (_, n) => resultAt(at + n * everyMs, checkId, { doc }))
}

for (const engine of engineNames) {
  t.test(`a tick that is asked to end goes on where it was with the next (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    await storeRows(plane.app.db, { results: oldResults(plane, 600) })
    await tick(plane.app, afterPieces(plane, 4))
    const left = await countRows(plane.app.db)
    t.ok(left > 1 && left < 600, `${left}`)
    await tick(plane.app, stays)
    t.equal(await countRows(plane.app.db), 1, 'the newest of the check stays')
  })

  t.test(`passing runs and attempts lose what they saw after a week (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const body = { name: 'site', request: { url: 'http://127.0.0.1/' } }
    const { id: checkId } = (await plane.call('POST', '/v1/checks/url', { body })).body
    const detail = {
      assertions: [],
      request: { method: 'GET', url: 'http://127.0.0.1/', data: null, headers: {}, params: {} },
      response: { status: 204, statusText: 'No Content', body: 'x'.repeat(2000), headers: { a: 'b' } },
    }
    const doc = JSON.stringify({
      name: 'site',
      error: null,
      metrics: { dns: 3 },
      log: [{ time: 1, level: 'info', msg: 'told' }],
      apiCheckResult: detail,
    })
    const now = plane.app.clock.now()
    const add = (days: number, more = {}) =>
      resultAt(now - days * dayMs, checkId, { account_id: plane.accountId, doc, ...more })
    const results = [
      add(8),
      add(9, { has_failures: true }),
      add(10, { result_type: 'ATTEMPT', has_failures: true }),
      add(6),
    ]
    await storeRows(plane.app.db, { results })
    await tick(plane.app, stays)
    const docs = new Map((await allResults(plane.app.db)).map(({ id, doc }) => [id, doc]))
    const shorter = {
      name: 'site',
      error: null,
      metrics: { dns: 3 },
      shortened: true,
      apiCheckResult: { response: { status: 204 } },
    }
    for (const at of [0, 2]) t.strictSame(JSON.parse(docs.get(results[at]?.id ?? '') ?? ''), shorter)
    for (const at of [1, 3]) t.equal(docs.get(results[at]?.id ?? ''), doc, 'a failure, and what is younger')
    const shown = await plane.call('GET', `/v1/check-results/${checkId}/${results[0]?.id}`)
    t.equal(shown.status, 200)
    t.equal(shown.body.apiCheckResult, null)
    const window = `from=${Math.floor((now - 20 * dayMs) / 1000)}&to=${Math.floor(now / 1000)}`
    const series = await plane.call(
      'GET',
      `/v1/analytics/url-monitors/${checkId}?${window}&metrics=dns_max&groupBy=statusCode`,
    )
    t.match(series.body.series, [{ statusCode: 204, data: [{ dns_max: 3 }] }], 'analytics answer as before')
    plane.advance(2 * dayMs)
    await tick(plane.app, stays)
    const last = await findResultById(plane.app.db, results[3]?.id ?? '')
    t.match(last?.doc, /shortened/, 'the next turn goes on behind the last')
  })

  t.test(`beyond STORE_MAX_GB the oldest go first, and it is said (${engine})`, async (t) => {
    const plane = await testApp(t, { engine, env: { STORE_MAX_GB: '0.018' } })
    const many = byLength({ short: 12_000, all: 12_000, long: 20_000 })
    const doc = JSON.stringify({ name: 'site', error: 'x'.repeat(4000) })
    await passDaysWithPeriods(plane, 24)
    const young = oldResults(plane, 500, { days: 1, doc }).map((row) => ({ ...row, has_failures: true }))
    const [first] = young
    const old = oldResults(plane, many, { days: 20, everyMs: 60_000 }).map((row) => ({
      ...row,
      doc: JSON.stringify({ name: 'site', error: randomBytes(1000).toString('base64') }),
      has_failures: true,
    }))
    await storeRows(plane.app.db, { results: [...old, ...young] })
    const turns = async (): Promise<void> => {
      for (let turn = 0; turn < 12; turn++) {
        await tick(plane.app, stays)
        plane.advance(300_000)
      }
    }
    await turns()
    const left = await allRows(plane.app.db)
    t.ok(left.length < many, `${left.length} of ${many + young.length} are left`)
    t.ok(left.length > 500, `${left.length} are left: not more than need be went`)
    t.ok(left.some(({ id }) => id === first?.id))
    const oldestLeft = Math.min(...left.map(({ created_at }) => created_at))
    t.equal(
      old.filter(({ created_at }) => created_at >= oldestLeft).length + young.length,
      left.length,
      'whatever is younger than the oldest one is there',
    )
    t.match(
      plane.logged.find(({ msg }) => String(msg).startsWith('The store is larger than STORE_MAX_GB')),
      { maxBytes: Math.floor(0.018 * 1024 ** 3), retainedSince: String },
    )
  })
}

for (const engine of engineNames)
  t.test(`STORE_MAX_GB covers rollups: the oldest of their time go (${engine})`, async (t) => {
    const plane = await testApp(t, { engine, env: { STORE_MAX_GB: '0.03' } })
    const { db } = plane.app
    plane.advance(600 * dayMs)
    const today = Math.floor(plane.app.clock.now() / dayMs) * dayMs
    await db.run(insertCheckNumber, { checkId: plane.app.newId(), number: 1 })
    const rows = Array.from({ length: 500 }, (_, n) =>
      ['retries', 'responseTime', 'dns', 'tcp', 'tls', 'firstByte', 'download', 'a', 'b', 'c'].map(
        (series) => ({
          check_number: 1,
          minutes: 1440,
          series,
          start_at: today - (500 - n) * dayMs,
          cells: randomBytes(7000),
        }),
      ),
    ).flat()
    await writeRollups(db, rows)
    for (let turn = 0; turn < 12; turn++) {
      // In an hour PostgreSQL has counted what is there, and so it has here.
      if (engine === 'postgres') await change(db, sql`analyze result_rollups`)
      await tick(plane.app, stays)
      plane.advance(3_600_000)
    }
    const left = await db.select((k) => k.selectFrom('result_rollups').select('start_at'))
    t.ok(left.length < 4800, `${left.length} of 5,000 are left`)
    t.ok(left.length > 1000, `${left.length} are left: not more than need be went`)
    const oldest = Math.min(...left.map(({ start_at }) => start_at))
    t.equal(left.length, rows.filter(({ start_at }) => start_at >= oldest).length, 'whole days')
    t.equal((await horizonsOf({ db })).rollupsSince, oldest, 'nobody asks for what is gone')
  })

t.test(
  'of two control planes over one database one does the turn, until it is gone for a while',
  async (t) => {
    const first = await testApp(t, { engine: 'postgres' })
    const second = await testApp(t, { engine: 'postgres', parts: { db: first.app.db } })
    await storeRows(first.app.db, { results: oldResults(first, 600) })
    await tick(first.app, afterPieces(first, 3))
    const left = await countRows(first.app.db)
    second.advance(60_000)
    await tick(second.app, stays)
    t.equal(await countRows(first.app.db), left, 'the other one is at it')
    second.advance(60_000)
    await tick(second.app, stays)
    t.equal(await countRows(first.app.db), 1, 'it has not been heard of')
    await tick(first.app, stays)
    t.match(await second.app.db.select((k) => k.selectFrom('retention_turns').selectAll()), [
      { ended_at: second.app.clock.now() },
    ])
  },
)
