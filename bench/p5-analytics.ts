/** P5: how long questions about months of runs take, from rollups and from the raw results that they were counted from. */
import { answer, type Question } from '../control-plane/insight/analytics/answer.ts'
import { kinds } from '../control-plane/insight/analytics/kinds.ts'
import { findMetrics } from '../control-plane/insight/analytics/metrics.ts'
import {
  bucketsOf,
  collect,
  type DataRow,
  numbersIn,
  seriesOfGroups,
} from '../control-plane/insight/analytics/series.ts'
import { eachRawResult } from '../control-plane/monitoring/results/raw-results.ts'
import { numberMetric } from '../control-plane/monitoring/results/rollups/number-metric.ts'
import { rollupTick } from '../control-plane/monitoring/results/rollups/rollup-tick.ts'
import { longRead } from '../control-plane/platform/long-reads/long-read.ts'
import type { WholeApp } from '../control-plane/whole-app.ts'
import { responseTime } from '../protocol/checks/metric.ts'
import { accountId } from '../test/support/programs.ts'
import type { Bench, Row } from './bench.ts'
import { grouped, median, rounded, times } from './support/numbers.ts'
import { addMonitor, addRuns, appOver } from './support/run-history.ts'
import { sized } from './support/size.ts'

const now = Date.UTC(2026, 0, 1, 12, 34, 56)
const hour = 3_600_000
const day = 24 * hour
/** Of runs each minute, and each ten seconds. */
const minuteDays = sized(365, 1)
const secondDays = sized(30, 0.2)
const rounds = sized(15, 1)
const rawRounds = sized(3, 1)

const percentiles = ['p50', 'p95', 'p99'].map((by) => `responseTime_${by}`)
const metricNames = ['availability', 'responseTime_avg', ...percentiles]
const metrics = findMetrics([numberMetric('URL', responseTime)], metricNames)
const asker = { accountId, signal: new AbortController().signal }
const numbers = kinds.find(({ path }) => path === 'url-monitors')?.numbers ?? []

type Asked = { name: string; checkId: string; days: number; intervalMs: number; goalMs: number }

const windowOf = ({ days }: Asked) => ({ from: now - days * day, to: now })

const fromRollups = async (app: WholeApp, asked: Asked): Promise<DataRow[]> => {
  const question: Question = {
    asker,
    checkId: asked.checkId,
    checkTypes: ['URL'],
    window: windowOf(asked),
    intervalMs: asked.intervalMs,
    numbers,
    metricNames,
    grouping: null,
    status: null,
    limit: 20_000,
    page: 1,
  }
  return ((await answer(app, question)).series as { data: DataRow[] }[])[0]?.data ?? []
}

/** All of them read and sorted, as it has to be where nothing is counted beforehand. */
const fromRawResults = (app: WholeApp, asked: Asked): Promise<DataRow[]> =>
  longRead(app, asker, async (reading) => {
    const window = windowOf(asked)
    const buckets = bucketsOf(window, asked.intervalMs, { limit: 20_000, offset: 0 })
    const collector = collect({ buckets, numbers: numbersIn(metrics), division: null })
    const filter = { checkId: asked.checkId, ...window, status: null, parts: [] }
    await eachRawResult({ db: app.db, reading }, filter, collector.add)
    return seriesOfGroups(collector.groups, { buckets, metrics, division: null })[0]?.data ?? []
  })

const timed = async <T>(
  work: () => Promise<T>,
  count: number,
): Promise<{ ms: number; cpuMs: number; value: T }> => {
  const value = await work()
  const times: number[] = []
  const cpus: number[] = []
  for (let round = 0; round < count; round += 1) {
    const cpu = process.cpuUsage()
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
    const used = process.cpuUsage(cpu)
    cpus.push((used.user + used.system) / 1000)
  }
  return { ms: median(times), cpuMs: median(cpus), value }
}

/** The largest difference of any percentile of any row, in proportion. */
const largestError = (ours: DataRow[], exact: DataRow[]): number => {
  let largest = 0
  for (const [at, row] of exact.entries())
    for (const name of percentiles) {
      const value = Number(row[name])
      // Answers are rounded to thousandths.
      if (row[name] !== null)
        largest = Math.max(largest, (Math.abs(Number(ours[at]?.[name]) - value) - 0.001) / value)
    }
  return largest
}

const rowOf = async (app: WholeApp, asked: Asked): Promise<Row> => {
  const ours = await timed(() => fromRollups(app, asked), rounds)
  const raw = await timed(() => fromRawResults(app, asked), rawRounds)
  const error = largestError(ours.value, raw.value)
  const ratio = raw.ms / ours.ms
  return {
    name: `P5 ${asked.name}`,
    work: `${grouped(ours.value.length)} rows with availability, average and three percentiles`,
    ours: `p50 ${rounded(ours.ms, 1)} ms (CPU ${rounded(ours.cpuMs, 1)}), error at most ${rounded(100 * error, 2)} %`,
    against: `sorting the raw results ${rounded(raw.ms)} ms (CPU ${rounded(raw.cpuMs)})`,
    ratio: times(ratio),
    goal: `≤ ${asked.goalMs} ms, ≥ 10×, ≤ 1 %`,
    met: ours.ms <= asked.goalMs && ratio >= 10 && error <= 0.01,
    numbers: {
      oursMs: ours.ms,
      oursCpuMs: ours.cpuMs,
      rawMs: raw.ms,
      rawCpuMs: raw.cpuMs,
      error,
      goalMs: asked.goalMs,
    },
    notes: [],
  }
}

const sizesOf = async (app: WholeApp) => {
  const rows = await app.db.select<{ minutes: number; series: string; cells: Buffer }>((k) =>
    k.selectFrom('result_rollups').select(['minutes', 'series', 'cells']),
  )
  const of = rows.filter(({ series, minutes }) => series === 'responseTime' && minutes === 60)
  return rounded(of.reduce((sum, { cells }) => sum + cells.length, 0) / Math.max(1, of.length))
}

export const analytics: Bench = {
  id: 'P5',
  name: 'p5-analytics',
  measures: `time to the answer of a question about months of one monitor's runs, median of ${rounds}, beside reading and sorting its raw results in the same run, by hours and by days; what it costs to count them`,
  run: async (b) => {
    const app = await appOver(b, now)
    const minutely = await addMonitor(app)
    const often = await addMonitor(app)
    b.say('a year of one-minute runs, and 30 days of ten-second runs, are being stored')
    const results =
      (await addRuns(app, { checkId: minutely, from: now - minuteDays * day, to: now, everyMs: 60_000 })) +
      (await addRuns(app, { checkId: often, from: now - secondDays * day, to: now, everyMs: 10_000 }))
    b.say(`${grouped(results)} results are being counted`)
    const cpu = process.cpuUsage()
    await rollupTick(app, new AbortController().signal)
    const used = process.cpuUsage(cpu)
    const countUs = (used.user + used.system) / results
    b.say(
      `${rounded(countUs, 1)} µs of CPU a result; an hour of response times takes ${await sizesOf(app)} bytes`,
    )
    const asked: Asked[] = [
      { name: '30 days', checkId: minutely, days: 30, intervalMs: hour, goalMs: 15 },
      { name: '30 days, 10 s', checkId: often, days: 30, intervalMs: hour, goalMs: 15 },
      { name: 'year by days', checkId: minutely, days: 365, intervalMs: day, goalMs: 10 },
      { name: 'year by hours', checkId: minutely, days: 365, intervalMs: hour, goalMs: 150 },
    ]
    const rows: Row[] = []
    for (const one of asked) rows.push(await rowOf(app, one))
    for (const row of rows) row.numbers['countUsPerResult'] = countUs
    return rows
  },
}
