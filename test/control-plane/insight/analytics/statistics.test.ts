import t from 'tap'
import { calendarOf, isTimeZone } from '../../../../control-plane/insight/analytics/calendar.ts'
import { aggregateNames, findMetrics } from '../../../../control-plane/insight/analytics/metrics.ts'
import { bucketsOf, collect, seriesOfGroups } from '../../../../control-plane/insight/analytics/series.ts'
import { aggregatesOf as aggregatesOfDistribution } from '../../../../control-plane/insight/analytics/statistics.ts'
import { quickRanges, quickWindow } from '../../../../control-plane/insight/analytics/window.ts'
import { byLocation } from '../../../../control-plane/monitoring/definitions/checks/types/analytics.ts'
import {
  numberMetric,
  type Sample,
} from '../../../../control-plane/monitoring/results/rollups/number-metric.ts'
import { type Aggregate, responseTime } from '../../../../protocol/checks/metric.ts'
import { fc } from '../../../support/fast-check.ts'

const aggregatesOf = (values: number[]) => aggregatesOfDistribution({ values, sketch: null })

t.test('aggregates of a known list, percentiles by rank', async (t) => {
  const values = [40, 10, 30, 20]
  const expected: Record<Aggregate, number> = {
    avg: 25,
    max: 40,
    median: 20,
    min: 10,
    p50: 20,
    p90: 30,
    p95: 30,
    p99: 30,
    stddev: 11.18,
    sum: 100,
  }
  for (const name of aggregateNames) t.equal(aggregatesOf(values)(name), expected[name], name)
  for (const name of aggregateNames) t.equal(aggregatesOf([])(name), null, `${name} of nothing`)
  t.equal(aggregatesOf([7])('p99'), 7)
  t.equal(aggregatesOf([7])('stddev'), 0)
})

t.test('percentiles lie between minimum and maximum and never fall', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 200 }),
      (values) => {
        const [min, p50, p90, p95, p99, max] = (['min', 'p50', 'p90', 'p95', 'p99', 'max'] as const).map(
          (by) => aggregatesOf(values)(by)!,
        )
        return min! <= p50! && p50! <= p90! && p90! <= p95! && p95! <= p99! && p99! <= max!
      },
    ),
  )
  t.pass()
})

const sample = (startedAt: number, more: Partial<Sample> = {}): Sample => ({
  startedAt,
  location: 'local',
  passed: true,
  responseTime: 1,
  retries: 0,
  parts: {},
  ...more,
})

t.test(
  'buckets are aligned to their interval, cut by the window, and pages of them follow each other',
  async (t) => {
    const window = { from: 90, to: 330 }
    t.strictSame(bucketsOf(window, 100, { limit: 10, offset: 0 }), [
      { timestamp: 0, from: 90, to: 100 },
      { timestamp: 100, from: 100, to: 200 },
      { timestamp: 200, from: 200, to: 300 },
      { timestamp: 300, from: 300, to: 330 },
    ])
    t.strictSame(
      [0, 1, 3].map((offset) =>
        bucketsOf(window, 100, { limit: 2, offset }).map(({ timestamp }) => timestamp),
      ),
      [[200, 300], [100, 200], [0]],
    )
    t.strictSame(bucketsOf(window, 100, { limit: 2, offset: 4 }), [])
    t.strictSame(bucketsOf(window, null, { limit: 2, offset: 0 }), [{ ...window, timestamp: 90 }])
  },
)

const metrics = findMetrics(
  [numberMetric('URL', responseTime)],
  ['availability', 'retries', ...aggregateNames.map((by) => `responseTime_${by}`)],
)

t.test('every row equals a recount of the runs that it covers, and no run is lost or doubled', async (t) => {
  const run = fc.record({
    startedAt: fc.integer({ min: 0, max: 20_000 }),
    passed: fc.boolean(),
    responseTime: fc.integer({ min: 0, max: 5000 }),
    retries: fc.integer({ min: 0, max: 3 }),
    location: fc.constantFrom('a', 'b', 'c'),
  })
  const setting = fc.record({
    runs: fc.array(run, { maxLength: 80 }),
    from: fc.integer({ min: 0, max: 9000 }),
    length: fc.integer({ min: 1, max: 9000 }),
    intervalMs: fc.integer({ min: 50, max: 4000 }),
    groupBy: fc.constantFrom(null, 'runLocation' as const),
  })
  fc.assert(
    fc.property(setting, ({ runs, from, length, intervalMs, groupBy }) => {
      const window = { from, to: from + length }
      const buckets = bucketsOf(window, intervalMs, { limit: 1000, offset: 0 })
      const division = groupBy === null ? null : { ...byLocation, part: null }
      const collector = collect({ buckets, numbers: [numberMetric('URL', responseTime)], division })
      for (const one of runs) collector.add(sample(one.startedAt, one))
      let counted = 0
      for (const { runLocation, data } of seriesOfGroups(collector.groups, {
        buckets,
        metrics,
        division,
      }))
        for (const row of data) {
          const start = Date.parse(row.timestamp)
          const of = runs.filter(
            (one) =>
              one.startedAt >= Math.max(from, start) &&
              one.startedAt < Math.min(window.to, start + intervalMs) &&
              (groupBy === null || one.location === runLocation),
          )
          counted += of.length
          const times = of.map(({ responseTime: time }) => time)
          const expected = {
            timestamp: row.timestamp,
            availability:
              of.length === 0
                ? null
                : Math.round((100_000 * of.filter(({ passed }) => passed).length) / of.length) / 1000,
            retries: of.length === 0 ? null : of.reduce((sum, { retries }) => sum + retries, 0),
            ...Object.fromEntries(
              aggregateNames.map((by) => [`responseTime_${by}`, aggregatesOf(times)(by)]),
            ),
          }
          if (JSON.stringify(row) !== JSON.stringify(expected))
            throw new Error(`${JSON.stringify(row)} is not ${JSON.stringify(expected)}`)
        }
      return counted === runs.filter(({ startedAt }) => startedAt >= from && startedAt < window.to).length
    }),
    { numRuns: 300 },
  )
  t.pass()
})

t.test('quick ranges: weeks begin on Monday', async (t) => {
  const now = Date.UTC(2026, 0, 14, 15, 30) // a Wednesday
  const shown = Object.fromEntries(
    quickRanges.map((range) => {
      const { from, to } = quickWindow(range, now)
      return [
        range,
        `${new Date(from).toISOString().slice(0, 16)} ${new Date(to).toISOString().slice(0, 16)}`,
      ]
    }),
  )
  t.strictSame(shown, {
    last24Hours: '2026-01-13T15:30 2026-01-14T15:30',
    last7Days: '2026-01-07T15:30 2026-01-14T15:30',
    last30Days: '2025-12-15T15:30 2026-01-14T15:30',
    thisWeek: '2026-01-12T00:00 2026-01-14T15:30',
    thisMonth: '2026-01-01T00:00 2026-01-14T15:30',
    lastWeek: '2026-01-05T00:00 2026-01-12T00:00',
    lastMonth: '2025-12-01T00:00 2026-01-01T00:00',
  })
  const monday = Date.UTC(2026, 0, 12)
  t.strictSame(quickWindow('thisWeek', monday), { from: monday, to: monday })
})

t.test('calendars know the hours of a day in their time zone', async (t) => {
  const berlin = calendarOf('Europe/Berlin')
  const day = berlin.startOf('day', Date.UTC(2026, 2, 29, 12))
  t.equal(day, Date.UTC(2026, 2, 28, 23), 'midnight in winter time')
  t.equal((berlin.move('day', day, 1) - day) / 3_600_000, 23, 'clocks go forward')
  const october = berlin.startOf('day', Date.UTC(2026, 9, 25, 12))
  t.equal((berlin.move('day', october, 1) - october) / 3_600_000, 25, 'clocks go back')
  t.equal(berlin.startOf('week', Date.UTC(2026, 2, 29, 12)), Date.UTC(2026, 2, 22, 23))
  t.equal(berlin.startOf('month', Date.UTC(2026, 6, 15)), Date.UTC(2026, 5, 30, 22))
  t.equal(berlin.move('month', berlin.startOf('month', Date.UTC(2026, 0, 5)), -1), Date.UTC(2025, 10, 30, 23))
  t.ok(isTimeZone('Asia/Kathmandu'))
  t.notOk(isTimeZone('Mars/Base'))
})

t.test('days of any zone are without gap and overlap, also where midnight does not exist', async (t) => {
  for (const zone of [
    'UTC',
    'Africa/Cairo',
    'America/Asuncion',
    'Asia/Kathmandu',
    'Pacific/Chatham',
    'America/New_York',
  ]) {
    const calendar = calendarOf(zone)
    let start = calendar.startOf('day', Date.UTC(2023, 0, 1, 12))
    for (let days = 0; days < 740; days++) {
      const next = calendar.move('day', start, 1)
      const hours = (next - start) / 3_600_000
      if (
        hours < 22 ||
        hours > 26 ||
        calendar.startOf('day', next) !== next ||
        calendar.startOf('day', next - 1) !== start
      )
        t.fail(`${zone}: ${new Date(start).toISOString()} to ${new Date(next).toISOString()}`)
      start = next
    }
  }
  t.pass()
})
