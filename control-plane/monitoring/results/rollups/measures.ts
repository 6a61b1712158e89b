/**
 * What rollups keep of a check type: all its numbers, and the retries of its runs, whose count is the count of runs. Where a
 * series can be divided by pages, everything is kept a second time by page: a run with three pages is three there. Pure.
 */
import { type CheckType, isRunnable, protocolOf } from '../../../../protocol/check-type.ts'
import { type Metric, responseTime } from '../../../../protocol/checks/metric.ts'
import { checkKinds } from '../../definitions/checks/types/index.ts'
import { addToCell, type Cells } from './cells.ts'
import {
  type Division,
  divisionOf,
  type NumberMetric,
  numberMetric,
  type Sample,
  split,
} from './number-metric.ts'

export const retriesSeries = 'retries'

/** Its name in the rollups. */
export const seriesOf = (number: string, byPage: boolean): string => (byPage ? `page/${number}` : number)

type Measures = {
  /** Parts of the results' documents that all of it needs. */
  parts: readonly string[]
  series: readonly string[]
  /** What else the runs of the type are told apart by. */
  keyOf(sample: Sample): string | null
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
      countParts(series, numbers, { sample, division: null, keyOf })
      if (byPage) countParts(series, numbers, { sample, division: byPage, keyOf })
    },
  }
}

type Counted = { sample: Sample; division: Division | null; keyOf: Measures['keyOf'] }

const countParts = (
  series: Map<string, Cells>,
  numbers: readonly NumberMetric[],
  { sample, division, keyOf }: Counted,
): void => {
  const { location, passed } = sample
  const byPage = division !== null
  for (const { key: page, part } of split(sample, division)) {
    const cell = { location, passed, key: byPage ? String(page) : keyOf(sample) }
    addToCell(cellsOf(series, seriesOf(retriesSeries, byPage)), cell, [sample.retries])
    for (const { name, read } of numbers) addToCell(cellsOf(series, seriesOf(name, byPage)), cell, read(part))
  }
}

export const cellsOf = (series: Map<string, Cells>, name: string): Cells => {
  const known = series.get(name)
  if (known !== undefined) return known
  const made: Cells = new Map()
  series.set(name, made)
  return made
}
