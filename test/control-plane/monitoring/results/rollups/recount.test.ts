// Runs in test:all only: it makes up hundreds of histories.
// Runs on both engines in test:all: rows are counted and added up.
/** Rollups equal a recount of the raw results, whatever came in when, and however often counting was cut off. */

import t from 'tap'
import { aggregateNames } from '../../../../../control-plane/insight/analytics/metrics.ts'
import { rankOf } from '../../../../../control-plane/monitoring/results/rollups/sketch.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { fc } from '../../../../support/fast-check.ts'
import { byLength } from '../../../../support/length.ts'
import { countAll, takeIn } from '../../../../support/rollups.ts'
import { type StoredResult, storeCheck } from '../../../../support/stored-results.ts'

const hour = 3_600_000
const day = 24 * hour
const seconds = (instant: number) => String(instant / 1000)

type Run = Required<
  Pick<StoredResult, 'at' | 'location' | 'responseTime' | 'hasFailures' | 'attempts' | 'hasErrors'>
> & { isCancelled: boolean; resultType: 'FINAL' | 'ATTEMPT'; dns: number | null; status: number }

const runAt = (from: number, to: number) =>
  fc.record<Run>({
    at: fc.integer({ min: from, max: to - 1 }),
    location: fc.constantFrom('a', 'b', 'c'),
    responseTime: fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.double({ min: 0, max: 900, noNaN: true })),
    hasFailures: fc.boolean(),
    attempts: fc.integer({ min: 0, max: 3 }),
    hasErrors: fc.nat(12).map((n) => n === 0),
    isCancelled: fc.nat(12).map((n) => n === 0),
    resultType: fc.nat(6).map((n) => (n === 0 ? 'ATTEMPT' : 'FINAL')),
    dns: fc.option(fc.double({ min: 0, max: 50, noNaN: true })),
    status: fc.constantFrom(200, 200, 200, 404, 503),
  })

const storedOf = (checkId: string, { dns, status, ...run }: Run): StoredResult => ({
  checkId,
  ...run,
  doc: {
    metrics: dns === null ? {} : { dns },
    apiCheckResult: { assertions: [], response: { status } },
  },
})

const counts = ({ hasErrors, isCancelled, resultType }: Run) =>
  !hasErrors && !isCancelled && resultType === 'FINAL'

type Row = Record<string, number | string | null>

const fractions: Record<string, number> = { median: 0.5, p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 }

const recounted = (values: number[], by: string): number => {
  const n = values.length
  const sum = values.reduce((total, value) => total + value, 0)
  const ascending = [...values].sort((a, b) => a - b)
  if (by in fractions) return ascending[rankOf(fractions[by]!, n)]!
  if (by === 'min') return ascending[0]!
  if (by === 'max') return ascending.at(-1)!
  if (by === 'sum') return sum
  if (by === 'avg') return sum / n
  return Math.sqrt(values.reduce((total, value) => total + (value - sum / n) ** 2, 0) / n)
}

/** What a row says, and why it is not what the runs in it say. */
const wrongIn = (row: Row, runs: readonly Run[]): string[] => {
  const wrong: string[] = []
  const expect = (name: string, value: number | null, within = 0.0011) => {
    const found = row[name] as number | null
    if (value === null ? found !== null : found === null || Math.abs(found - value) > within)
      wrong.push(`${name} is ${found}, not ${value}`)
  }
  const passed = runs.filter(({ hasFailures }) => !hasFailures).length
  expect('availability', runs.length === 0 ? null : (100 * passed) / runs.length)
  expect('retries', runs.length === 0 ? null : runs.reduce((sum, { attempts }) => sum + attempts, 0), 0)
  const numbers = {
    responseTime: runs.map(({ responseTime }) => responseTime),
    dns: runs.flatMap(({ dns }) => dns ?? []),
  }
  for (const [name, values] of Object.entries(numbers))
    for (const by of aggregateNames) {
      const value = values.length === 0 ? null : recounted(values, by)
      const within = by in fractions ? 0.01 * Math.abs(value ?? 0) + 0.0011 : 0.0011
      expect(`${name}_${by}`, value, within)
    }
  return wrong
}

const metrics = [
  'availability',
  'retries',
  ...['responseTime', 'dns'].flatMap((name) => aggregateNames.map((by) => `${name}_${by}`)),
].join(',')

type Asked = {
  from: number
  to: number
  minutes: number | null
  groupBy: string | null
  status: string | null
}

const wrongAnswers = async (
  plane: TestApp,
  { checkId, runs }: { checkId: string; runs: readonly Run[] },
  { from, to, minutes, groupBy, status }: Asked,
): Promise<string[]> => {
  const query = [
    `from=${seconds(from)}&to=${seconds(to)}&limit=100&metrics=${metrics}`,
    ...(minutes === null ? [] : [`aggregationInterval=${minutes}`]),
    ...(groupBy === null ? [] : [`groupBy=${groupBy}`]),
    ...(status === null ? [] : [`filterByStatus=${status}`]),
  ].join('&')
  const { body } = await plane.call('GET', `/v1/analytics/url-monitors/${checkId}?${query}`)
  const asked = runs.filter(
    (run) => counts(run) && (status === null || run.hasFailures === (status === 'failure')),
  )
  const wrong: string[] = []
  let covered = 0
  for (const series of body.series)
    for (const row of series.data) {
      const start = Date.parse(row.timestamp)
      const end = minutes === null ? to : Math.min(to, start + minutes * 60_000)
      const inRow = asked.filter(
        (run) =>
          run.at >= Math.max(from, start) &&
          run.at < end &&
          (groupBy === null ||
            (groupBy === 'runLocation'
              ? run.location === series.runLocation
              : String(run.status) === series.statusCode)),
      )
      covered += inRow.length
      wrong.push(
        ...wrongIn(row, inRow).map((why) => `${query.replace(/metrics=[^&]*/, '')} ${row.timestamp}: ${why}`),
      )
    }
  const oldestShown = Math.min(
    ...body.series.flatMap(({ data }: { data: Row[] }) =>
      data.map((row) => Date.parse(String(row['timestamp']))),
    ),
  )
  const shown = asked.filter((run) => run.at >= Math.max(from, oldestShown) && run.at < to).length
  if (body.series.length > 0 && covered !== shown)
    wrong.push(`${query}: ${covered} runs in rows, not ${shown}`)
  return wrong
}

/** Every question is answered from rollups where it can be, however few results there are. */
const askEverything = async (
  plane: TestApp,
  world: { checkId: string; runs: readonly Run[] },
  now: number,
) => {
  const wrong: string[] = []
  for (const groupBy of [null, 'runLocation', 'statusCode'])
    for (const [from, minutes] of [
      [now - 3 * day, null],
      [now - 3 * day, 60],
      [now - 3 * day - 17 * 60_000, 1440],
      [now - 3 * day + 23 * 60_000, null],
      [now - 2 * day, 90],
      [now - day, 25],
    ] as const)
      wrong.push(...(await wrongAnswers(plane, world, { from, to: now, minutes, groupBy, status: null })))
  for (const status of ['success', 'failure'])
    wrong.push(
      ...(await wrongAnswers(plane, world, {
        from: now - 3 * day,
        to: now,
        minutes: 720,
        groupBy: null,
        status,
      })),
    )
  return wrong
}

/** More results than an exact answer may read. */
const manyOthers = (at: number): Run[] =>
  Array.from({ length: 2001 }, (_, n) => ({
    at: at + n * 3,
    location: 'b',
    responseTime: (n * 7919) % 2003,
    hasFailures: n % 11 === 0,
    attempts: 0,
    hasErrors: false,
    isCancelled: false,
    resultType: 'FINAL',
    dns: null,
    status: 200,
  }))

for (const engine of engineNames)
  t.test(`rollups equal a recount of the raw results (${engine})`, async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(runAt(-3 * day, -6 * hour), { minLength: 20, maxLength: 150 }),
        fc.array(runAt(-3 * day, 0), { maxLength: 60 }),
        fc.array(runAt(-6 * hour, 0), { maxLength: 40 }),
        async (early, random, tail) => {
          const plane = await testApp(t, { engine })
          const now = plane.app.clock.now()
          const late = [...random, ...manyOthers(-30 * hour)]
          const world = { checkId: await storeCheck(plane), runs: [...early, ...late, ...tail] }
          for (const run of world.runs) run.at += run.at < 0 ? now : 0
          plane.advance(-6 * hour)
          await takeIn(
            plane,
            early.map((run) => storedOf(world.checkId, run)),
          )
          await countAll(plane.app)
          plane.advance(6 * hour)
          await takeIn(
            plane,
            [...late, ...tail].map((run) => storedOf(world.checkId, run)),
          )
          await countAll(plane.app)
          const wrong = await askEverything(plane, world, now)
          plane.drain()
          if (wrong.length > 0) throw new Error(wrong.slice(0, 20).join('\n'))
        },
      ),
      { numRuns: byLength({ short: 1, all: 1, long: 3 }), seed: 20260101, endOnFailure: true },
    )
  })
