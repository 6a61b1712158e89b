/** Series as text: Prometheus' own format and OpenMetrics. Histograms are classic: neither knows others. Pure. */
import {
  type ExpositionFormat,
  familyHead,
  type MetricFamily,
  numberText,
  sampleLine,
} from '../../../protocol/exposition.ts'
import type { Printer, Series } from './families.ts'
import type { Histogram } from './histogram.ts'

export const textPrinter =
  (format: ExpositionFormat): Printer =>
  (family, series, isFirst) => {
    let text = isFirst ? familyHead(family, format) : ''
    for (const one of series) text += linesOf(family, one)
    return text
  }

const linesOf = ({ name }: MetricFamily, one: Series): string => {
  const labels = one.labels.filter((part) => part !== '').join(',')
  return 'value' in one ? sampleLine(name, labels, one.value) : histogramLines(name, labels, one.histogram)
}

const histogramLines = (name: string, labels: string, { counts, bounds, sum }: Histogram): string => {
  let text = ''
  let below = 0
  counts.forEach((count, bucket) => {
    below += count
    const bound = bounds[bucket]
    text += `${name}_bucket{${labels},le="${bound === undefined ? '+Inf' : boundText(bound)}"} ${below}\n`
  })
  return `${text}${name}_sum{${labels}} ${numberText(sum)}\n${name}_count{${labels}} ${below}\n`
}

/** As OpenMetrics writes numbers of `le`: `1.0`. */
const boundText = (bound: number): string => (Number.isInteger(bound) ? `${bound}.0` : String(bound))
