/**
 * What happened in some buckets of time: from rollups where hours are counted, else from raw results. A question about few
 * results that are all there is answered from them exactly. What several questions about one check need is read once.
 */
import type { CheckType } from '../../../protocol/check-type.ts'
import { responseTime } from '../../../protocol/checks/metric.ts'
import { hasFewRawResults, type RawFilter } from '../../monitoring/results/raw-results.ts'
import { type CellKey, eachCell, eachVerdict } from '../../monitoring/results/rollups/cells.ts'
import type { Horizons } from '../../monitoring/results/rollups/horizons.ts'
import { measuresOf, retriesSeries, seriesOf } from '../../monitoring/results/rollups/measures.ts'
import type { Division, NumberMetric, Sample } from '../../monitoring/results/rollups/number-metric.ts'
import { eachRollup } from '../../monitoring/results/rollups/read-rollups.ts'
import { skipSketchBytes } from '../../monitoring/results/rollups/sketch-bytes.ts'
import type { Grain } from '../../monitoring/results/rollups/spans.ts'
import { grainOf, planStretches, type Stretch } from './answer-plan.ts'
import { eachSample, type SampleSource } from './queries.ts'
import { type Bucket, type Collector, collect } from './series.ts'
import { readShared, type Wanted } from './shared-reads.ts'
import { knownOf } from './snap.ts'
import type { Window } from './window.ts'

/** Raw results within which an answer is exact: a few milliseconds. */
export const exactResults = 2000

type TallyQuestion = {
  checkId: string
  checkType: CheckType
  /** In the order of time; each begins where the one before it ends. */
  buckets: readonly Bucket[]
  numbers: readonly NumberMetric[]
  /** How often runs were repeated is asked for, too. */
  hasRetries: boolean
  division: Division | null
  status: 'success' | 'failure' | null
  /** Of what the type's runs are told apart by (the state of a heartbeat); null: all. */
  keys: readonly string[] | null
}

/** Told apart by something that rows of hours lose with age. */
export const isApart = ({ division, keys }: Pick<TallyQuestion, 'division' | 'keys'>): boolean =>
  division !== null || keys !== null

/** Of questions about one check and the same of its runs, in their order. */
export const tallyBuckets = async (
  source: SampleSource,
  questions: readonly TallyQuestion[],
  horizons: Horizons,
): Promise<Collector['groups'][]> => {
  const readings = questions.map((question) => {
    const runsIn = runsInOf(question)
    return { question, runsIn, collector: collect({ ...question, runsIn }) }
  })
  const isFew = fewness(source)
  const raw: Wanted<Sample>[] = []
  const counted: (Wanted<Counted> & { minutes: Grain; series: string })[] = []
  for (const reading of readings)
    for (const { read, from, to } of await stretchesOf(reading.question, { horizons, isFew }))
      if (read === 'raw') raw.push({ from, to, take: adder(reading) })
      else counted.push(...rollupsOf(reading, { from, to, minutes: grainOf(read) }))
  const [first] = questions
  if (first === undefined) return []
  const parts = [...new Set(questions.flatMap((question) => filterOf(question).parts))]
  await readShared(raw, (span, take) =>
    eachSample(source, { ...filterOf(first), ...span, parts }, (sample) => take(sample.startedAt, sample)),
  )
  for (const wanted of Map.groupBy(counted, ({ minutes, series }) => `${minutes} ${series}`).values())
    await readShared(wanted, (span, take) => {
      const { minutes, series } = wanted[0] as (typeof wanted)[number]
      return eachRollup(source, { checkId: first.checkId, minutes, series, ...span }, (startAt, cells) =>
        take(startAt, { startAt, cells }),
      )
    })
  return readings.map(({ collector }) => collector.groups)
}

type Reading = { question: TallyQuestion; runsIn: string; collector: Collector }

/** Every run has one response time: where it is read anyway, it counts the runs. */
const runsInOf = ({ numbers, hasRetries }: TallyQuestion): string =>
  !hasRetries && numbers.some(({ name }) => name === responseTime.name) ? responseTime.name : retriesSeries

type IsFew = (filter: RawFilter) => Promise<boolean>

/** Whether a time has few results; what is in a time with few has few, and what is around one with many has many. */
const fewness = ({ db, reading }: SampleSource): IsFew => {
  const known: (Window & { isFew: boolean })[] = []
  return async (filter) => {
    const { from, to } = filter
    const said = known.find((one) =>
      one.isFew ? one.from <= from && to <= one.to : from <= one.from && one.to <= to,
    )
    if (said !== undefined) return said.isFew
    const isFew = await reading.piece(() => hasFewRawResults(db, filter, exactResults))
    known.push({ from, to, isFew })
    return isFew
  }
}

const stretchesOf = async (
  question: TallyQuestion,
  { horizons, isFew }: { horizons: Horizons; isFew: IsFew },
): Promise<Stretch[]> => {
  const { buckets } = question
  const apart = isApart(question)
  const span = { from: buckets[0]?.from ?? 0, to: buckets.at(-1)?.to ?? 0 }
  const isThere = span.from < horizons.hoursUntil && span.from >= knownOf(horizons, apart).exactSince
  return isThere && (await isFew({ ...filterOf(question), ...span }))
    ? [{ ...span, read: 'raw' }]
    : planStretches({ buckets, horizons, apart })
}

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

type Rows = Window & { minutes: Grain }
type Counted = { startAt: number; cells: Buffer }

const rollupsOf = ({ question, runsIn, collector }: Reading, { from, to, minutes }: Rows) => {
  const { numbers, division } = question
  const eachOf = isApart(question) ? eachCell : eachVerdictAsCell
  return [...new Set([runsIn, ...numbers.map(({ name }) => name)])].map((number) => ({
    ...{ from, to, minutes },
    series: seriesOf(number, division?.by === 'pageIndex'),
    take: ({ startAt, cells }: Counted): void =>
      eachOf(cells, (cell, reader) => {
        if (isAsked(question, cell)) collector.addCell({ cell, startAt, number, reader })
      }),
  }))
}

/** Where runs are not told apart, the names of cells are not read. */
const eachVerdictAsCell: typeof eachCell = (cells, read) =>
  eachVerdict(cells, ({ passed, quarter }, reader) => {
    const { at } = reader
    read({ location: '', key: null, passed, quarter } satisfies CellKey, reader)
    if (reader.at === at) skipSketchBytes(reader)
  })
