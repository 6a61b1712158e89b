/**
 * How many runs of many checks passed and how long they took, in some buckets of time, for all checks in the same few
 * statements. What is counted is read first; it says which checks have few runs, whose raw results answer exactly, as those
 * of one check do (tally-buckets.ts), as long as the whole question stays small.
 */
import { eachRunOfChecks } from '../../monitoring/results/raw-runs-of-checks.ts'
import { eachVerdict, valuesIn } from '../../monitoring/results/rollups/cells.ts'
import {
  countedUntil,
  eachTimesRollup,
  rollupNumbersOf,
  type TimesRollup,
} from '../../monitoring/results/rollups/read-rollups.ts'
import { daily, dayOf, hourly, hourMs, hourOf } from '../../monitoring/results/rollups/spans.ts'
import type { Part } from '../../monitoring/results/stored/parts.ts'
import {
  type JudgedRun,
  listedChecks,
  partsInUse,
  type Span,
} from '../../monitoring/results/stored/runs-of-checks.ts'
import { planStretches, type Stretch } from './answer-plan.ts'
import { type SampleSource, spend } from './queries.ts'
import { type Bucket, collect, type Tally } from './series.ts'
import { exactResults } from './tally-buckets.ts'

/** Raw results that all checks of a question together are answered from exactly. */
const exactInAll = 50_000

type ChecksReading = {
  source: SampleSource
  buckets: readonly Bucket[]
  stretches: readonly Stretch[]
  hoursUntil: number
  parts: readonly Part[]
  exact: { left: number }
}

/** What is the same for all checks, asked once. */
export const beginChecks = async (
  source: SampleSource,
  buckets: readonly Bucket[],
): Promise<ChecksReading> => {
  const { hours_until: hoursUntil, days_until: daysUntil } = await countedUntil(source)
  const span = { from: hourOf(buckets[0]?.from ?? 0), to: buckets.at(-1)?.to ?? 0 }
  return {
    source,
    buckets,
    stretches: planStretches({ buckets, hoursUntil, daysUntil, exact: false }),
    hoursUntil,
    parts: await partsInUse(source.db, span),
    exact: { left: exactInAll },
  }
}

const cellsAtOnce = 30_000
const maxAtOnce = 250

/** How many checks are worth a batch, so that what is read of them stays a few megabytes. */
export const checksAtOnce = ({ stretches }: Pick<ChecksReading, 'stretches'>): number => {
  const units = stretches.reduce((sum, { read, from, to }) => {
    if (read === 'raw') return sum
    return sum + (to - from) / hourMs / (read === 'days' ? daily : hourly)
  }, 1)
  return Math.max(10, Math.min(maxAtOnce, Math.floor(cellsAtOnce / units)))
}

/** An hour or a day as it is counted, and the raw runs in it where they are wanted. */
type Unit = { rollup: TimesRollup; isCut: boolean; runs: JudgedRun[] }

/** `loose`: runs of no unit: they are not counted yet. */
type Material = { hours: Map<number, Unit>; days: Map<number, Unit>; loose: JudgedRun[]; isExact: boolean }

/** Of each check what `conclude` makes of its buckets. */
export const tallyChecks = async <T>(
  reading: ChecksReading,
  ids: readonly string[],
  conclude: (tallies: readonly Tally[]) => T,
): Promise<Map<string, T>> => {
  const materials = new Map<string, Material>(
    ids.map((id) => [id, { hours: new Map(), days: new Map(), loose: [], isExact: false }]),
  )
  await readCounted(reading, materials)
  for (const material of materials.values()) material.isExact = isExact(reading, material)
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
  for (const { read, from, to } of stretches) {
    if (read === 'raw') continue
    const hours = read === 'days' ? daily : hourly
    await eachTimesRollup(source, { numbers, hours, from, to }, (rollup) => {
      const unit = { rollup, isCut: read === 'counted-raw', runs: [] }
      const material = materials.get(rollup.checkId)
      ;(read === 'days' ? material?.days : material?.hours)?.set(rollup.startAt, unit)
    })
  }
}

const unitsOf = ({ hours, days }: Material): Unit[] => [...days.values(), ...hours.values()]

/** No more is counted than says it. */
const isExact = ({ exact }: ChecksReading, material: Material): boolean => {
  const max = Math.min(exactResults, exact.left)
  let total = 0
  for (const { rollup } of unitsOf(material)) {
    total += valuesIn(rollup.cells)
    if (total > max) return false
  }
  exact.left -= total
  return total > 0
}

/** What is not counted yet of all checks, the hours that buckets are cut in, and all of those that are answered exactly. */
const readRaw = async (reading: ChecksReading, materials: ReadonlyMap<string, Material>): Promise<void> => {
  const { buckets, stretches, hoursUntil } = reading
  const from = buckets[0]?.from ?? 0
  const all = [...materials.keys()]
  const exact = all.filter((id) => materials.get(id)?.isExact)
  const add = (id: string, run: JudgedRun): void => {
    const material = materials.get(id)
    if (material !== undefined) addRun(material, run)
  }
  if (exact.length > 0)
    await readRuns(reading, { ids: exact, span: { from: hourOf(from), to: hoursUntil } }, add)
  for (const { read, ...stretch } of stretches) {
    if (read === 'raw')
      await readRuns(reading, { ids: all, span: { ...stretch, from: Math.max(from, stretch.from) } }, add)
    if (read !== 'counted-raw') continue
    const isIn = ({ rollup: { startAt }, isCut }: Unit): boolean =>
      isCut && startAt >= stretch.from && startAt < stretch.to
    const cut = [...materials].filter(([, one]) => !one.isExact && unitsOf(one).some(isIn))
    await readRuns(reading, { ids: cut.map(([id]) => id), span: stretch }, add)
  }
}

const readRuns = async (
  { source, parts }: ChecksReading,
  { ids, span }: { ids: readonly string[]; span: Span },
  add: (id: string, run: JudgedRun) => void,
): Promise<void> => {
  if (ids.length === 0) return
  const checks = await listedChecks(source.db, ids)
  await eachRunOfChecks(
    source,
    { checks, parts: parts.filter((part) => mayHave(part, span)), span },
    (id, run) => {
      spend(source.budget)
      add(id, run)
    },
  )
}

const mayHave = ({ oldestAt, newestAt }: Part, { from, to }: Span): boolean =>
  oldestAt === null || newestAt === null || (oldestAt < to && newestAt >= from)

const addRun = ({ hours, days, loose }: Material, run: JudgedRun): void => {
  const unit = hours.get(hourOf(run.startedAt)) ?? days.get(dayOf(run.startedAt))
  if (unit === undefined) loose.push(run)
  else unit.runs.push(run)
}

/** A unit whose raw runs are not all there any more is answered as it was counted. */
const talliesOf = (buckets: readonly Bucket[], material: Material): readonly Tally[] => {
  const collector = collect({ buckets, numbers: [], division: null })
  for (const run of material.loose) collector.addRun(run)
  for (const { rollup, isCut, runs } of unitsOf(material))
    if ((isCut || material.isExact) && runs.length >= valuesIn(rollup.cells))
      for (const run of runs) collector.addRun(run)
    else eachVerdict(rollup.cells, (passed, reader) => collector.addTimes(rollup.startAt, passed, reader))
  return collector.groups.get(null) ?? []
}
