/** What analytics says of one check, beside a recount of its runs that was made without it. */
import { aggregateNames } from '../../control-plane/insight/analytics/metrics.ts'
import { rankOf } from '../../control-plane/monitoring/results/rollups/sketch.ts'
import type { TestApp } from './app.ts'
import { fc } from './fast-check.ts'
import type { StoredResult } from './stored-results.ts'

const seconds = (instant: number) => String(instant / 1000)

export type Run = Required<
  Pick<StoredResult, 'at' | 'location' | 'responseTime' | 'hasFailures' | 'attempts' | 'hasErrors'>
> & { isCancelled: boolean; resultType: 'FINAL' | 'ATTEMPT'; dns: number | null; status: number }

export const runAt = (from: number, to: number) =>
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

export const storedOf = (checkId: string, { dns, status, ...run }: Run): StoredResult => ({
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

const recounted = (ascending: readonly number[], by: string): number => {
  const n = ascending.length
  const sum = ascending.reduce((total, value) => total + value, 0)
  if (by in fractions) return ascending[rankOf(fractions[by]!, n)]!
  if (by === 'min') return ascending[0]!
  if (by === 'max') return ascending.at(-1)!
  if (by === 'sum') return sum
  if (by === 'avg') return sum / n
  return Math.sqrt(ascending.reduce((total, value) => total + (value - sum / n) ** 2, 0) / n)
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
  for (const [name, values] of Object.entries(numbers)) {
    const ascending = values.toSorted((a, b) => a - b)
    for (const by of aggregateNames) {
      const value = values.length === 0 ? null : recounted(ascending, by)
      const within = by in fractions ? 0.01 * Math.abs(value ?? 0) + 0.0011 : 0.0011
      expect(`${name}_${by}`, value, within)
    }
  }
  return wrong
}

const metrics = [
  'availability',
  'retries',
  ...['responseTime', 'dns'].flatMap((name) => aggregateNames.map((by) => `${name}_${by}`)),
].join(',')

export type Asked = {
  from: number
  to: number
  minutes: number | null
  groupBy: string | null
  status: string | null
}

/** What an answer says that it is about. */
export type Covered = {
  from: string
  to: string
  aggregationInterval: number | null
  snappedTo: number | null
}

/** How many of those in the order of time are before it. */
const countBefore = (runs: readonly Run[], at: number): number => {
  let [low, high] = [0, runs.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((runs[middle] as Run).at < at) low = middle + 1
    else high = middle
  }
  return low
}

/** Of those in the order of time; a window has tens of thousands of rows, and each is asked for its own. */
const between = (runs: readonly Run[], from: number, to: number): readonly Run[] =>
  runs.slice(countBefore(runs, from), countBefore(runs, to))

/** Each row beside a recount of the runs in the time that the answer says it covers. */
export const wrongAnswers = async (
  plane: TestApp,
  { checkId, runs }: { checkId: string; runs: readonly Run[] },
  { from, to, minutes, groupBy, status }: Asked,
): Promise<{ wrong: string[]; body: Covered }> => {
  const query = [
    `from=${seconds(from)}&to=${seconds(to)}&limit=100&metrics=${metrics}`,
    ...(minutes === null ? [] : [`aggregationInterval=${minutes}`]),
    ...(groupBy === null ? [] : [`groupBy=${groupBy}`]),
    ...(status === null ? [] : [`filterByStatus=${status}`]),
  ].join('&')
  const { body, text } = await plane.call('GET', `/v1/analytics/url-monitors/${checkId}?${query}`)
  if (body.series === undefined) throw new Error(`${query}: ${text}`)
  const [since, until] = [Date.parse(body.from), Date.parse(body.to)]
  const interval: number | null = body.aggregationInterval
  const asked = runs
    .filter((run) => counts(run) && (status === null || run.hasFailures === (status === 'failure')))
    .toSorted((a, b) => a.at - b.at)
  const wrong: string[] = []
  let covered = 0
  for (const series of body.series)
    for (const row of series.data) {
      const start = Date.parse(row.timestamp)
      const end = interval === null ? until : Math.min(until, start + interval * 60_000)
      const inRow = between(asked, Math.max(since, start), end).filter(
        (run) =>
          groupBy === null ||
          (groupBy === 'runLocation'
            ? run.location === series.runLocation
            : String(run.status) === series.statusCode),
      )
      covered += inRow.length
      for (const why of wrongIn(row, inRow))
        wrong.push(`${query.replace(/metrics=[^&]*/, '')} ${row.timestamp}: ${why}`)
    }
  const oldestShown = Math.min(
    ...body.series.flatMap(({ data }: { data: Row[] }) =>
      data.map((row) => Date.parse(String(row['timestamp']))),
    ),
  )
  const shown = between(asked, Math.max(since, oldestShown), until).length
  if (body.series.length > 0 && covered !== shown)
    wrong.push(`${query}: ${covered} runs in rows, not ${shown}`)
  return { wrong, body }
}
