/**
 * How many runs of many checks passed and how long they took, in some buckets of time, for all checks in the same few
 * statements. What is counted is read first; it says which checks have few runs, whose raw results answer exactly, as those
 * of one check do (tally-buckets.ts), as long as the whole question stays small.
 */
import { eachCountOfChecks, eachRunOfChecks } from '../../monitoring/results/raw-runs-of-checks.ts'
import { eachCount, eachVerdict, valuesIn } from '../../monitoring/results/rollups/cells.ts'
import type { Horizons } from '../../monitoring/results/rollups/horizons.ts'
import {
  eachTimesRollup,
  rollupNumbersOf,
  type TimesRollup,
} from '../../monitoring/results/rollups/read-rollups.ts'
import { dayMs, hourMs, quarterMs } from '../../monitoring/results/rollups/spans.ts'
import { type Part, partsWithStarts } from '../../monitoring/results/stored/parts.ts'
import { type JudgedRun, listedChecks, type Span } from '../../monitoring/results/stored/runs-of-checks.ts'
import { grainOf, planStretches, type Stretch } from './answer-plan.ts'
import { type SampleSource, spend } from './queries.ts'
import { type Bucket, collect, type Tally } from './series.ts'
import { knownOf } from './snap.ts'
import { exactResults } from './tally-buckets.ts'

/** Raw results that all checks of a question together are answered from exactly. */
const exactInAll = 50_000

type ChecksReading = {
  source: SampleSource
  buckets: readonly Bucket[]
  stretches: readonly Stretch[]
  horizons: Horizons
  parts: readonly Part[]
  exact: { left: number }
}

/** What is the same for all checks, asked once. */
export const beginChecks = async (
  source: SampleSource,
  buckets: readonly Bucket[],
  horizons: Horizons,
): Promise<ChecksReading> => ({
  source,
  buckets,
  stretches: planStretches({ buckets, horizons, apart: false }),
  horizons,
  parts: await partsWithStarts(source.db, spanOf(buckets)),
  exact: { left: exactInAll },
})

const spanOf = (buckets: readonly Bucket[]): Span => ({
  from: buckets[0]?.from ?? 0,
  to: buckets.at(-1)?.to ?? 0,
})

const cellsAtOnce = 30_000
const maxAtOnce = 250

/** How many checks are worth a batch, so that what is read of them stays a few megabytes. */
export const checksAtOnce = ({ stretches }: Pick<ChecksReading, 'stretches'>): number => {
  const units = stretches.reduce((sum, { read, from, to }) => {
    if (read === 'raw') return sum
    return sum + (to - from) / (read === 'days' ? dayMs : hourMs)
  }, 1)
  return Math.max(10, Math.min(maxAtOnce, Math.floor(cellsAtOnce / units)))
}

type Counts = Pick<Tally, 'runs' | 'passed'>

/** Of each check how many runs all buckets together have, exactly, and how many of these passed: no response time is looked at for it. */
export const countChecks = async (
  { source, buckets, stretches, parts }: ChecksReading,
  ids: readonly string[],
): Promise<Map<string, Counts>> => {
  const counts = new Map<string, Counts>(ids.map((id) => [id, { runs: 0, passed: 0 }]))
  const add = (id: string, { runs, passed }: Counts): void => {
    const known = counts.get(id)
    if (known === undefined) return
    known.runs += runs
    known.passed += passed
  }
  const { from, to } = spanOf(buckets)
  const numbers = await rollupNumbersOf(source, ids)
  const checks = await listedChecks(source.db, ids)
  for (const { read, ...span } of stretches)
    if (read === 'raw') await eachCountOfChecks(source, { checks, parts: partsOf(parts, span), span }, add)
    else if (numbers.size > 0)
      await eachTimesRollup(
        source,
        { numbers, minutes: grainOf(read), ...span },
        ({ checkId, startAt, cells }) =>
          eachCount(cells, ({ passed, quarter }, runs) => {
            const at = startAt + quarter * quarterMs
            if (at >= from && at < to) add(checkId, { runs, passed: passed ? runs : 0 })
          }),
      )
  return counts
}

type Material = { rollups: TimesRollup[]; runs: JudgedRun[] }

/** Of each check what `conclude` makes of its buckets. */
export const tallyChecks = async <T>(
  reading: ChecksReading,
  ids: readonly string[],
  conclude: (tallies: readonly Tally[]) => T,
): Promise<Map<string, T>> => {
  const materials = new Map<string, Material>(ids.map((id) => [id, { rollups: [], runs: [] }]))
  await readCounted(reading, materials)
  await readRaw(reading, materials)
  const figures = new Map<string, T>()
  for (const [id, material] of materials)
    figures.set(
      id,
      await reading.source.reading.piece(async () => conclude(talliesOf(reading.buckets, material))),
    )
  return figures
}

const readCounted = async (
  { source, stretches }: ChecksReading,
  materials: ReadonlyMap<string, Material>,
): Promise<void> => {
  const numbers = await rollupNumbersOf(source, [...materials.keys()])
  if (numbers.size === 0) return
  for (const { read, from, to } of stretches)
    if (read !== 'raw')
      await eachTimesRollup(source, { numbers, minutes: grainOf(read), from, to }, (rollup) =>
        materials.get(rollup.checkId)?.rollups.push(rollup),
      )
}

/** Whether its few runs are all there; no more is counted than says it. */
const isExact = ({ exact, buckets, horizons }: ChecksReading, { rollups }: Material): boolean => {
  if (spanOf(buckets).from < knownOf(horizons, false).exactSince) return false
  const max = Math.min(exactResults, exact.left)
  let total = 0
  for (const { cells } of rollups) {
    total += valuesIn(cells)
    if (total > max) return false
  }
  exact.left -= total
  return total > 0
}

/** All of the checks that are answered exactly; of the others what is not counted, or cut within a quarter of an hour. */
const readRaw = async (reading: ChecksReading, materials: ReadonlyMap<string, Material>): Promise<void> => {
  const [exact, others]: [string[], string[]] = [[], []]
  for (const [id, material] of materials)
    if (isExact(reading, material)) {
      material.rollups = []
      exact.push(id)
    } else others.push(id)
  const add = (id: string, run: JudgedRun): unknown => materials.get(id)?.runs.push(run)
  await readRuns(reading, { ids: exact, span: spanOf(reading.buckets) }, add)
  for (const { read, from, to } of reading.stretches)
    if (read === 'raw') await readRuns(reading, { ids: others, span: { from, to } }, add)
}

const readRuns = async (
  { source, parts }: ChecksReading,
  { ids, span }: { ids: readonly string[]; span: Span },
  add: (id: string, run: JudgedRun) => unknown,
): Promise<void> => {
  if (ids.length === 0) return
  const checks = await listedChecks(source.db, ids)
  await eachRunOfChecks(source, { checks, parts: partsOf(parts, span), span }, (id, run) => {
    spend(source.budget)
    add(id, run)
  })
}

/** Those that may have runs of that time. */
const partsOf = (parts: readonly Part[], { from, to }: Span): Part[] =>
  parts.filter(
    ({ oldestAt, newestAt }) => oldestAt === null || newestAt === null || (oldestAt < to && newestAt >= from),
  )

const talliesOf = (buckets: readonly Bucket[], { rollups, runs }: Material): readonly Tally[] => {
  const collector = collect({ buckets, numbers: [], division: null })
  for (const run of runs) collector.addRun(run)
  for (const { startAt, cells } of rollups)
    eachVerdict(cells, (verdict, reader) => collector.addTimes(startAt, verdict, reader))
  return collector.groups.get(null) ?? []
}
