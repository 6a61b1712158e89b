/**
 * What happened in some buckets of time: from rollups where hours are counted, else from raw results. A question about few
 * results that are all there is answered from them exactly.
 */
import type { CheckType } from '../../../protocol/check-type.ts'
import { hasFewRawResults, type RawFilter } from '../../monitoring/results/raw-results.ts'
import { eachCell } from '../../monitoring/results/rollups/cells.ts'
import type { Horizons } from '../../monitoring/results/rollups/horizons.ts'
import { measuresOf, retriesSeries, seriesOf } from '../../monitoring/results/rollups/measures.ts'
import type { Division, NumberMetric, Sample } from '../../monitoring/results/rollups/number-metric.ts'
import { eachRollup } from '../../monitoring/results/rollups/read-rollups.ts'
import type { Grain } from '../../monitoring/results/rollups/spans.ts'
import { grainOf, planStretches, type Stretch } from './answer-plan.ts'
import { eachSample, type SampleSource } from './queries.ts'
import { type Bucket, type Collector, collect } from './series.ts'
import { knownOf } from './snap.ts'

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

/** Told apart by something that rows of hours lose with age. */
export const isApart = ({ division, keys }: Pick<TallyQuestion, 'division' | 'keys'>): boolean =>
  division !== null || keys !== null

export const tallyBuckets = async (
  source: SampleSource,
  question: TallyQuestion,
  horizons: Horizons,
): Promise<Collector['groups']> => {
  const { buckets } = question
  const collector = collect(question)
  const apart = isApart(question)
  const span = { from: buckets[0]?.from ?? 0, to: buckets.at(-1)?.to ?? 0 }
  const filter = filterOf(question)
  const reading = { source, question, collector }
  const isThere = span.from < horizons.hoursUntil && span.from >= knownOf(horizons, apart).exactSince
  const exact =
    isThere &&
    (await source.reading.piece(() => hasFewRawResults(source.db, { ...filter, ...span }, exactResults)))
  const stretches: Stretch[] = exact
    ? [{ ...span, read: 'raw' }]
    : planStretches({ buckets, horizons, apart })
  for (const { read, from, to } of stretches)
    if (read === 'raw') await eachSample(source, { ...filter, from, to }, adder(reading))
    else await readRollups(reading, { from, to, minutes: grainOf(read) })
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

type Rows = { from: number; to: number; minutes: Grain }

const readRollups = async (
  { source, question, collector }: Reading,
  { from, to, minutes }: Rows,
): Promise<void> => {
  const { checkId, numbers, division } = question
  for (const number of [retriesSeries, ...numbers.map(({ name }) => name)]) {
    const series = seriesOf(number, division?.by === 'pageIndex')
    await eachRollup(source, { checkId, minutes, series, from, to }, (startAt, cells) =>
      eachCell(cells, (cell, reader) => {
        if (isAsked(question, cell)) collector.addCell({ cell, startAt, number, reader })
      }),
    )
  }
}
