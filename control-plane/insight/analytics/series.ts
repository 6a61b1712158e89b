/**
 * Samples → rows. A *bucket* is a stretch of time that becomes one row; a *group* has its own rows. Pure.
 *
 * Buckets of an interval are aligned to multiples of it since the UNIX epoch, whatever the window; the first and last
 * hold only what lies in the window. A row without runs has null for every metric.
 */

import { responseTime } from '../../../protocol/checks/metric.ts'
import type { GroupBy } from '../../monitoring/definitions/checks/types/analytics.ts'
import type { Reader } from '../../monitoring/results/rollups/byte-cursor.ts'
import type { CellKey } from '../../monitoring/results/rollups/cells.ts'
import { retriesSeries } from '../../monitoring/results/rollups/measures.ts'
import {
  type Division,
  type Key,
  type NumberMetric,
  type Sample,
  split,
} from '../../monitoring/results/rollups/number-metric.ts'
import { newSketch } from '../../monitoring/results/rollups/sketch.ts'
import { addSketchBytes, skipSketchBytes } from '../../monitoring/results/rollups/sketch-bytes.ts'
import { quarterMs } from '../../monitoring/results/rollups/spans.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import { type AskedMetric as Asked, type CommonMetric, commonNames } from './metrics.ts'
import { aggregatesOf, type Distribution, newDistribution, rounded } from './statistics.ts'
import type { Window } from './window.ts'

export type DataRow = { timestamp: string } & Record<string, number | string | null>
export type Series = {
  runLocation?: string | null
  statusCode?: string | null
  pageIndex?: number | null
  data: DataRow[]
}
type AskedMetric = Asked<NumberMetric>

/** Keys of a grouping have its type: texts, and numbers for pages. */
const keyed = (groupBy: GroupBy | null, key: Key, data: DataRow[]): Series =>
  groupBy === null ? { data } : ({ [groupBy]: key, data } as Series)

/** Start of each row and the instants that it covers. */
export type Bucket = Window & { timestamp: number }

type BucketPage = { limit: number; offset: number }

/** One page of the buckets of a window, the first page with the newest, each in the order of time; one bucket when there is no interval. */
export const bucketsOf = (
  window: Window,
  intervalMs: number | null,
  { limit, offset }: BucketPage,
): Bucket[] => {
  if (intervalMs === null) return offset === 0 ? [{ ...window, timestamp: window.from }] : []
  const end = Math.ceil(window.to / intervalMs) - offset
  const first = Math.max(Math.floor(window.from / intervalMs), end - limit)
  const count = Math.max(0, end - first)
  return Array.from({ length: count }, (_, position) => {
    const timestamp = (first + position) * intervalMs
    return {
      timestamp,
      from: Math.max(window.from, timestamp),
      to: Math.min(window.to, timestamp + intervalMs),
    }
  })
}

export type Tally = { runs: number; passed: number; retries: number; numbers: Map<string, Distribution> }

/** A cell of a rollup: its bucket's place, the number, and the reader in front of its sketch. */
type CountedCell = { cell: CellKey; startAt: number; number: string; reader: Reader }

export type Collector = {
  /** Of a time that no bucket covers it does not count. */
  add(sample: Sample): void
  addCell(counted: CountedCell): void
  /** Where nothing but the response time is asked for, which every run has: the reader is in front of its sketch. */
  addTimes(startAt: number, verdict: Pick<CellKey, 'passed' | 'quarter'>, reader: Reader): void
  /** The same of one run. */
  addRun(run: Pick<Sample, 'startedAt' | 'passed' | 'responseTime'>): void
  groups: Map<Key, Tally[]>
}

type Plan = {
  buckets: readonly Bucket[]
  numbers: readonly NumberMetric[]
  division: Division | null
  /** Of rollups: the series whose values are counted as runs, one of each run. */
  runsIn?: string
}

/** Collects samples and cells of the buckets' time, in any order. Memory: one number per sample and measured metric. */
export const collect = ({ buckets, numbers, division, runsIn = retriesSeries }: Plan): Collector => {
  const groups = new Map<Key, Tally[]>()
  const talliesOf = (key: Key): Tally[] => {
    const known = groups.get(key)
    if (known) return known
    const made = buckets.map(() => newTally())
    groups.set(key, made)
    return made
  }
  if (division === null) talliesOf(null)
  const position = finder(buckets)
  return {
    groups,
    add: (sample) => {
      const at = position(sample.startedAt)
      if (at === -1) return
      for (const { key, part } of split(sample, division)) {
        const tally = talliesOf(key)[at]
        if (tally !== undefined) addPart(tally, part, numbers)
      }
    },
    addTimes: (startAt, { passed, quarter }, reader) => {
      const tally = talliesOf(null)[position(startAt + quarter * quarterMs)]
      if (tally === undefined) return skipSketchBytes(reader)
      const sketch = sketchOf(tally, responseTime.name)
      const before = sketch.n
      addSketchBytes(sketch, reader)
      tally.runs += sketch.n - before
      tally.passed += passed ? sketch.n - before : 0
    },
    addRun: ({ startedAt, passed, responseTime: value }) => {
      const tally = talliesOf(null)[position(startedAt)]
      if (tally === undefined) return
      tally.runs += 1
      tally.passed += passed ? 1 : 0
      distributionOf(tally, responseTime.name).values.push(value)
    },
    addCell: ({ cell, startAt, number, reader }) => {
      const at = position(startAt + cell.quarter * quarterMs)
      if (at === -1) return
      const tally = talliesOf(groupOf(cell, division))[at]
      if (tally === undefined) return
      if (number === retriesSeries) return addRuns(tally, cell.passed, reader)
      const sketch = sketchOf(tally, number)
      const before = sketch.n
      addSketchBytes(sketch, reader)
      if (number !== runsIn) return
      tally.runs += sketch.n - before
      tally.passed += cell.passed ? sketch.n - before : 0
    },
  }
}

const newTally = (): Tally => ({ runs: 0, passed: 0, retries: 0, numbers: new Map() })

const distributionOf = ({ numbers }: Tally, name: string): Distribution => {
  const known = numbers.get(name)
  if (known) return known
  const made = newDistribution()
  numbers.set(name, made)
  return made
}

const sketchOf = (tally: Tally, name: string) => {
  const distribution = distributionOf(tally, name)
  distribution.sketch ??= newSketch()
  return distribution.sketch
}

const addPart = (tally: Tally, part: Sample, numbers: readonly NumberMetric[]): void => {
  tally.runs += 1
  tally.passed += part.passed ? 1 : 0
  tally.retries += part.retries
  for (const { name, read } of numbers) distributionOf(tally, name).values.push(...read(part))
}

const addRuns = (tally: Tally, passed: boolean, reader: Reader): void => {
  const retries = newSketch()
  addSketchBytes(retries, reader)
  tally.runs += retries.n
  tally.passed += passed ? retries.n : 0
  tally.retries += retries.sum
}

/** Cells are told apart by location, and by what the runs of a type may be divided by beside it. */
const groupOf = ({ location, key }: CellKey, division: Division | null): Key => {
  if (division === null) return null
  if (division.by === 'runLocation') return location
  return division.by === 'pageIndex' ? Number(key) : key
}

/** The numbers among the metrics, each once. */
export const numbersIn = (metrics: readonly AskedMetric[]): NumberMetric[] => [
  ...new Map(
    metrics.flatMap((metric) => ('number' in metric ? [[metric.number.name, metric.number] as const] : [])),
  ).values(),
]

type Rows = { buckets: readonly Bucket[]; metrics: readonly AskedMetric[]; division: Division | null }

export const seriesOfGroups = (
  groups: ReadonlyMap<Key, Tally[]>,
  { buckets, metrics, division }: Rows,
): Series[] =>
  [...groups]
    .sort(([a], [b]) => byKey(a, b))
    .map(([key, tallies]) =>
      keyed(
        division?.by ?? null,
        key,
        buckets.map(({ timestamp }, at) => rowOf(timestamp, metrics, tallies[at] ?? newTally())),
      ),
    )

/** Buckets touch each other: the last one that begins at or before the instant, if the instant is in it. */
const finder = (buckets: readonly Bucket[]) => {
  const first = buckets[0]
  const last = buckets.at(-1)
  return (instant: number): number => {
    if (first === undefined || last === undefined || instant < first.from || instant >= last.to) return -1
    let low = 0
    let high = buckets.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((buckets[middle]?.timestamp ?? 0) <= instant) low = middle
      else high = middle - 1
    }
    return low
  }
}

const byKey = (a: Key, b: Key): number => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b ? -1 : 1
}

const rowOf = (timestamp: number, metrics: readonly AskedMetric[], tally: Tally): DataRow => {
  const row: DataRow = { timestamp: toIso(timestamp) }
  const known = new Map<string, ReturnType<typeof aggregatesOf>>()
  const aggregatesIn = (name: string): ReturnType<typeof aggregatesOf> => {
    const made = known.get(name) ?? aggregatesOf(tally.numbers.get(name) ?? newDistribution())
    known.set(name, made)
    return made
  }
  for (const metric of metrics)
    row[metric.name] =
      'number' in metric
        ? aggregatesIn(metric.number.name)(metric.aggregate ?? 'avg')
        : commonValue(metric.common, tally)
  return row
}

const commonValue = (common: CommonMetric, { runs, passed, retries }: Tally): number | null => {
  if (runs === 0) return null
  return { availability: rounded((100 * passed) / runs), runs, retries }[common]
}

/** A row per run: what is asked for without an interval and without aggregates. */
export const perRunSeries = (
  samples: readonly Sample[],
  metrics: readonly AskedMetric[],
  division: Division | null,
): Series[] => {
  const groupBy = division?.by ?? null
  const numbers = numbersIn(metrics)
  const groups = new Map<Key, DataRow[]>(groupBy === null ? [[null, []]] : [])
  for (const sample of samples)
    for (const { key, part } of split(sample, division)) {
      const tally = newTally()
      addPart(tally, part, numbers)
      groups.set(key, [...(groups.get(key) ?? []), rowOf(sample.startedAt, metrics, tally)])
    }
  return [...groups].sort(([a], [b]) => byKey(a, b)).map(([key, data]) => keyed(groupBy, key, data))
}

/** Whether rows are runs: only numbers without a suffix (and what exists for every run), at least one, no interval. */
export const isPerRun = (metrics: readonly AskedMetric[], intervalMs: number | null): boolean =>
  intervalMs === null &&
  metrics.some((metric) => 'number' in metric) &&
  metrics.every((metric) =>
    'number' in metric ? metric.aggregate === null : commonNames.includes(metric.common),
  )
