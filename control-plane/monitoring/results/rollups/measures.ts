/**
 * What rollups keep of a check type: all its numbers, and the retries of its runs, whose count is the count of runs. Where a
 * series can be divided by pages, everything is kept a second time by page: a run with three pages is three there. Runs are
 * told apart by status only in numbers that somebody can ask about by status. Pure.
 */
import { type CheckType, isRunnable, protocolOf } from '../../../../protocol/check-type.ts'
import { type Metric, responseTime } from '../../../../protocol/checks/metric.ts'
import { checkKinds } from '../../definitions/checks/types/index.ts'
import { addCells, addToCell, type CellKey, type Cells } from './cells.ts'
import { divisionOf, type NumberMetric, numberMetric, type Sample, split } from './number-metric.ts'
import { quarterOf } from './spans.ts'

export const retriesSeries = 'retries'

const pages = 'page/'

/** Its name in the rollups. */
export const seriesOf = (number: string, byPage: boolean): string => (byPage ? `${pages}${number}` : number)

export const isOfPages = (series: string): boolean => series.startsWith(pages)

type Measures = {
  /** Parts of the results' documents that all of it needs. */
  parts: readonly string[]
  series: readonly string[]
  /** What else the runs of the type are told apart by. */
  keyOf(sample: Sample): string | null
  /** By quarters of the sample's hour. */
  count(series: Map<string, Cells>, sample: Sample): void
}

const isFirst = ({ name }: Metric, position: number, all: readonly Metric[]): boolean =>
  all.findIndex((other) => other.name === name) === position

const numbersOf = (type: CheckType): NumberMetric[] => {
  const { metrics, tlsMetrics = [], summary } = protocolOf(type)
  return [responseTime, ...metrics, ...tlsMetrics, ...summary.map(({ metric }) => metric)]
    .filter(isFirst)
    .map((metric) => numberMetric(type, metric))
}

const statePart = 'state'

/** A heartbeat's event has its state since states are known. */
const heartbeatState = ({ parts, passed }: Pick<Sample, 'parts' | 'passed'>): string =>
  String(parts[statePart] ?? (passed ? 'RECEIVED' : 'FAILING'))

export const measuresOf = (type: CheckType): Measures => {
  const numbers = numbersOf(type)
  const divisions = (checkKinds[type].analytics?.groupings ?? []).map((one) => divisionOf(type, one))
  const byStatus = divisions.find(({ by }) => by === 'statusCode')
  const byPage = divisions.find(({ by }) => by === 'pageIndex')
  const isHeartbeat = !isRunnable(type)
  const keyOf = (sample: Sample): string | null => {
    if (isHeartbeat) return heartbeatState(sample)
    const [group] = byStatus === undefined ? [] : split(sample, byStatus)
    return group === undefined || group.key === null ? null : String(group.key)
  }
  const names = [retriesSeries, ...numbers.map(({ name }) => name)]
  const byKey = new Set([
    retriesSeries,
    ...(byStatus === undefined ? [] : protocolOf(type).metrics.map(({ name }) => name)),
  ])
  const parts = numbers.flatMap(({ part }) => part ?? [])
  return {
    parts: [
      ...new Set([
        ...parts,
        ...divisions.flatMap(({ part }) => part ?? []),
        ...(isHeartbeat ? [statePart] : []),
      ]),
    ],
    series: [...names, ...(byPage ? names.map((name) => seriesOf(name, true)) : [])],
    keyOf,
    count: (series, sample) => {
      const key = keyOf(sample)
      countPart(series, numbers, { name: (name) => name, part: sample }, (name) => ({
        location: sample.location,
        key: byKey.has(name) ? key : null,
      }))
      for (const { key: page, part } of byPage === undefined ? [] : split(sample, byPage))
        countPart(series, numbers, { name: (name) => seriesOf(name, true), part }, () => ({
          location: '',
          key: String(page),
        }))
    },
  }
}

type Counted = { name(number: string): string; part: Sample }
type Names = (name: string) => Pick<CellKey, 'location' | 'key'>

const countPart = (
  series: Map<string, Cells>,
  numbers: readonly NumberMetric[],
  { name: seriesName, part }: Counted,
  namesOf: Names,
): void => {
  const { passed, retries, startedAt } = part
  const quarter = quarterOf(startedAt)
  const add = (name: string, values: readonly number[]): void =>
    addToCell(cellsOf(series, seriesName(name)), { ...namesOf(name), passed, quarter }, values)
  add(retriesSeries, [retries])
  for (const { name, read } of numbers) add(name, read(part))
}

/** The same with cells that are one in `into`. */
export const intoCells = (
  series: ReadonlyMap<string, Cells>,
  into: (key: CellKey) => CellKey,
): Map<string, Cells> =>
  new Map(
    [...series].map(([name, cells]) => {
      const made: Cells = new Map()
      addCells(made, cells, into)
      return [name, made]
    }),
  )

export const cellsOf = (series: Map<string, Cells>, name: string): Cells => {
  const known = series.get(name)
  if (known !== undefined) return known
  const made: Cells = new Map()
  series.set(name, made)
  return made
}
