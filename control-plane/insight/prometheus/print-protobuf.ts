/**
 * Series as Prometheus' protobuf (io.prometheus.client.MetricFamily, delimited), the only format that knows native histograms. A family may
 * come in several messages, so that none is held whole. Field numbers are those of metrics.proto.
 */
import type { MetricFamily } from '../../../protocol/exposition.ts'
import type { Printer, Series } from './families.ts'
import type { Histogram } from './histogram.ts'
import { createNative, nativeSchema, zeroThreshold } from './native-histogram.ts'
import { createBytes, doubleLength, zigzag } from './protobuf-bytes.ts'

const types: Record<MetricFamily['type'], number> = { counter: 0, gauge: 1, histogram: 4 }
const gaugeField = 2
const counterField = 3

/** `classic`: buckets of a classic histogram beside the native ones. */
export const protobufPrinter = ({ classic }: { classic: boolean }): Printer => {
  const message = createBytes()
  const histogramBytes = createHistogramBytes(classic)
  const known = new Map<string, Buffer>()
  const labelsOf = (part: string): Buffer => {
    const before = known.get(part)
    if (before !== undefined) return before
    const made = labelPairs(part)
    known.set(part, made)
    return made
  }
  const addMetric = (family: MetricFamily, one: Series): void => {
    const labels = one.labels.filter((part) => part !== '').map(labelsOf)
    const histogram = 'histogram' in one ? histogramBytes(one.histogram) : null
    const valueLength = histogram === null ? doubleLength : histogram.length
    const labelLength = labels.reduce((sum, { length }) => sum + length, 0)
    message.begin(4, labelLength + 1 + lengthOfVarint(valueLength) + valueLength)
    for (const pairs of labels) message.raw(pairs)
    if (histogram !== null) message.bytes(7, histogram)
    else if ('value' in one) {
      message.begin(family.type === 'counter' ? counterField : gaugeField, doubleLength)
      message.double(1, one.value)
    }
  }
  return (family, series) => {
    message.clear()
    message.bytes(1, Buffer.from(family.name))
    message.bytes(2, Buffer.from(family.help))
    message.number(3, types[family.type])
    for (const one of series) addMetric(family, one)
    const start = createBytes()
    start.varint(message.length)
    return Buffer.concat([start.view(), message.view()])
  }
}

const lengthOfVarint = (value: number): number => {
  let length = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length += 1
  return length
}

/** What it gives is gone with the next call. */
const createHistogramBytes = (classic: boolean): ((histogram: Histogram) => Buffer) => {
  const bytes = createBytes()
  const part = createBytes()
  return (histogram) => {
    const { zeros, indexes, counts } = histogram.native ?? createNative()
    bytes.clear()
    bytes.number(
      1,
      counts.reduce((all, count) => all + count, zeros),
    )
    bytes.double(2, histogram.sum)
    if (classic) addClassic({ bytes, part }, histogram)
    bytes.number(5, zigzag(nativeSchema))
    bytes.double(6, zeroThreshold)
    bytes.number(7, zeros)
    for (const { offset, length } of spansOf(indexes)) {
      part.clear()
      part.number(1, zigzag(offset))
      part.number(2, length)
      bytes.bytes(12, part.view())
    }
    part.clear()
    counts.forEach((count, at) => {
      part.varint(zigzag(count - (counts[at - 1] ?? 0)))
    })
    bytes.bytes(13, part.view())
    return bytes.view()
  }
}

/** Buckets side by side; `offset`: from the end of the span before it. */
const spansOf = (indexes: readonly number[]): Array<{ offset: number; length: number }> => {
  const spans: Array<{ offset: number; length: number }> = []
  let next = 0
  for (const index of indexes) {
    const last = spans.at(-1)
    if (last !== undefined && index === next) last.length += 1
    else spans.push({ offset: index - next, length: 1 })
    next = index + 1
  }
  return spans
}

type Sinks = Record<'bytes' | 'part', ReturnType<typeof createBytes>>

const addClassic = ({ bytes, part }: Sinks, { counts, bounds }: Histogram): void => {
  let below = 0
  bounds.forEach((bound, position) => {
    below += counts[position] ?? 0
    part.clear()
    part.number(1, below)
    part.double(2, bound)
    bytes.bytes(3, part.view())
  })
}

const onePair = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g
const escaped: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' }

/** From the text of labelText. */
const labelPairs = (text: string): Buffer => {
  const pairs = createBytes()
  const pair = createBytes()
  for (const [, name = '', value = ''] of text.matchAll(onePair)) {
    const plain = value.replace(/\\./g, (both) => escaped[both] ?? both)
    pair.clear()
    pair.bytes(1, Buffer.from(name))
    pair.bytes(2, Buffer.from(plain))
    pairs.bytes(1, pair.view())
  }
  return Buffer.from(pairs.view())
}
