/**
 * What happened in some buckets of time: from rollups where hours are counted, else from raw results. A question about few
 * results is answered from them exactly; so is an hour that lies in two buckets, as long as its results are there. Where
 * they are not, the hour counts whole in the bucket in which it begins.
 */
import type { CheckType } from '../../../protocol/check-type.ts'
import { hasFewRawResults, type RawFilter } from '../../monitoring/results/raw-results.ts'
import { eachCell } from '../../monitoring/results/rollups/cells.ts'
import { measuresOf, retriesSeries, seriesOf } from '../../monitoring/results/rollups/measures.ts'
import type { Division, NumberMetric, Sample } from '../../monitoring/results/rollups/number-metric.ts'
import { countedUntil, eachRollup } from '../../monitoring/results/rollups/read-rollups.ts'
import { newSketch } from '../../monitoring/results/rollups/sketch.ts'
import { addSketchBytes } from '../../monitoring/results/rollups/sketch-bytes.ts'
import { daily, hourly, hourMs, hourOf } from '../../monitoring/results/rollups/spans.ts'
import { planStretches, type Stretch } from './answer-plan.ts'
import { eachSample, type SampleSource } from './queries.ts'
import { type Bucket, type Collector, collect } from './series.ts'

/** Raw results within which an answer is exact: a few milliseconds. */
export const exactResults = 2000

type TallyQuestion = {
  checkId: string
  checkType: CheckType
  /** In the order of time; each begins where the one before it ends. */
  buckets: readonly Bucket[]
  numbers: readonly NumberMetric[]
  division: Division | null
  status: 'success' | 'failure' | null
  /** Of what the type's runs are told apart by (the state of a heartbeat); null: all. */
  keys: readonly string[] | null
}

export const tallyBuckets = async (
  source: SampleSource,
  question: TallyQuestion,
): Promise<Collector['groups']> => {
  const { buckets } = question
  const collector = collect(question)
  const from = buckets[0]?.from ?? 0
  const to = buckets.at(-1)?.to ?? 0
  const { hours_until: hoursUntil, days_until: daysUntil } = await countedUntil(source)
  const filter = { ...filterOf(question), from, to }
  const exact =
    from < hoursUntil && (await source.reading.piece(() => hasFewRawResults(source.db, filter, exactResults)))
  const reading = { source, question, collector }
  for (const stretch of planStretches({ buckets, hoursUntil, daysUntil, exact })) {
    if (stretch.read === 'raw')
      await eachSample(source, { ...filter, from: Math.max(from, stretch.from) }, adder(reading))
    else if (stretch.read === 'counted-raw') await readCountedHours(reading, stretch)
    else await readRollups(reading, stretch)
  }
  return collector.groups
}

type Reading = { source: SampleSource; question: TallyQuestion; collector: Collector }

/** Only the parts of the documents that the question needs are read. */
const filterOf = ({ checkId, checkType, status, numbers, division, keys }: TallyQuestion): RawFilter => {
  const parts = numbers.flatMap(({ part }) => part ?? [])
  return {
    checkId,
    from: 0,
    to: 0,
    status,
    parts:
      keys === null
        ? [...new Set([...parts, ...(division?.part ? [division.part] : [])])]
        : measuresOf(checkType).parts,
  }
}

const adder = ({ question: { keys, checkType }, collector }: Reading): ((sample: Sample) => void) => {
  if (keys === null) return collector.add
  const { keyOf } = measuresOf(checkType)
  return (sample) => {
    if (keys.includes(keyOf(sample) ?? '')) collector.add(sample)
  }
}

/** Whether the question is about a cell. */
const isAsked = ({ status, keys }: TallyQuestion, cell: { passed: boolean; key: string | null }): boolean =>
  (status === null || cell.passed === (status === 'success')) &&
  (keys === null || keys.includes(cell.key ?? ''))

const readRollups = async (
  { source, question, collector }: Reading,
  { from, to, read }: Pick<Stretch, 'from' | 'to' | 'read'>,
): Promise<void> => {
  const { checkId, numbers, division } = question
  const hours = read === 'days' ? daily : hourly
  for (const number of [retriesSeries, ...numbers.map(({ name }) => name)]) {
    const series = seriesOf(number, division?.by === 'pageIndex')
    await eachRollup(source, { checkId, hours, series, from, to }, (startAt, cells) =>
      eachCell(cells, (cell, reader) => {
        if (isAsked(question, cell)) collector.addCell({ cell, startAt, number, reader })
      }),
    )
  }
}

/** From raw results where all that were counted are still there, hour by hour. */
const readCountedHours = async (
  reading: Reading,
  { from, to }: Pick<Stretch, 'from' | 'to'>,
): Promise<void> => {
  const { source, question } = reading
  const counted = await countsOf(reading, { from, to })
  const results = new Map<number, Sample[]>()
  await eachSample(source, { ...filterOf({ ...question, status: null }), from, to }, (sample) => {
    const hour = hourOf(sample.startedAt)
    const known = results.get(hour)
    if (known === undefined) results.set(hour, [sample])
    else known.push(sample)
  })
  const add = adder(reading)
  const { status } = question
  for (const [hour, samples] of results) {
    if (samples.length < (counted.get(hour) ?? 0)) continue
    counted.delete(hour)
    for (const sample of samples) if (status === null || sample.passed === (status === 'success')) add(sample)
  }
  for (const gone of stretchesOf([...counted.keys()])) await readRollups(reading, gone)
}

/** How many results of each hour were counted. */
const countsOf = async (
  { source, question: { checkId } }: Reading,
  { from, to }: Pick<Stretch, 'from' | 'to'>,
): Promise<Map<number, number>> => {
  const counts = new Map<number, number>()
  await eachRollup(source, { checkId, hours: hourly, series: retriesSeries, from, to }, (startAt, cells) => {
    const sum = newSketch()
    eachCell(cells, (_, reader) => addSketchBytes(sum, reader))
    counts.set(startAt, sum.n)
  })
  return counts
}

/** Hours in the order of time as few stretches as they can be. */
const stretchesOf = (hours: readonly number[]): Stretch[] => {
  const stretches: Stretch[] = []
  for (const hour of hours) {
    const before = stretches.at(-1)
    if (before?.to === hour) before.to = hour + hourMs
    else stretches.push({ read: 'hours', from: hour, to: hour + hourMs })
  }
  return stretches
}
