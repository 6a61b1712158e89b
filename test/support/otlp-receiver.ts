/**
 * An OTLP receiver: takes what exporters send over HTTP and reads the protobuf by the field numbers of opentelemetry-proto.
 * Answers as it is told, per request.
 */
import { gunzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { httpServer } from './servers.ts'
import { until } from './until.ts'

type Attributes = Record<string, unknown>

export type OtlpPoint = {
  metric: string
  unit: string
  attributes: Attributes
  value: number
  count: number
  startTime: bigint
  temporality: number
}
export type OtlpSpan = {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string
  startMs: number
  endMs: number
  attributes: Attributes
  events: Array<{ name: string; attributes: Attributes }>
  status: { code: number; message: string }
}

/** Field number → what was read there, in order: numbers of varints and fixed64, bytes of the rest. */
type Fields = Map<number, Array<bigint | Buffer>>

const readVarint = (bytes: Buffer, from: number): [value: bigint, at: number] => {
  let value = 0n
  let shift = 0n
  for (let at = from; ; at++) {
    const byte = bytes.readUInt8(at)
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return [value, at + 1]
    shift += 7n
  }
}

const fieldsOf = (bytes: Buffer): Fields => {
  const fields: Fields = new Map()
  let at = 0
  while (at < bytes.length) {
    const [tag, after] = readVarint(bytes, at)
    const [value, end] = readValue(bytes, Number(tag & 7n), after)
    const number = Number(tag >> 3n)
    fields.set(number, [...(fields.get(number) ?? []), value])
    at = end
  }
  return fields
}

const readValue = (bytes: Buffer, wire: number, at: number): [bigint | Buffer, number] => {
  if (wire === 0) return readVarint(bytes, at)
  if (wire === 1) return [bytes.subarray(at, at + 8), at + 8]
  if (wire === 5) return [bytes.subarray(at, at + 4), at + 4]
  if (wire !== 2) throw new Error(`wire type ${wire}`)
  const [length, from] = readVarint(bytes, at)
  return [bytes.subarray(from, from + Number(length)), from + Number(length)]
}

const none = Buffer.alloc(8)
const all = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map((value) => fieldsOf(value as Buffer))
const one = (fields: Fields, number: number): Fields => all(fields, number)[0] ?? new Map()
const buffer = (fields: Fields, number: number): Buffer => (fields.get(number)?.[0] as Buffer) ?? none
const text = (fields: Fields, number: number): string =>
  fields.has(number) ? buffer(fields, number).toString() : ''
const hex = (fields: Fields, number: number): string =>
  fields.has(number) ? buffer(fields, number).toString('hex') : ''
const integer = (fields: Fields, number: number): number => Number(fields.get(number)?.[0] ?? 0)
const fixed = (fields: Fields, number: number): bigint => buffer(fields, number).readBigUInt64LE()
const ms = (fields: Fields, number: number): number => Number(fixed(fields, number)) / 1e6

const anyValue = (fields: Fields): unknown => {
  if (fields.has(1)) return text(fields, 1)
  if (fields.has(2)) return integer(fields, 2) === 1
  if (fields.has(3)) return integer(fields, 3)
  return fields.has(4) ? buffer(fields, 4).readDoubleLE() : undefined
}

const attributesOf = (fields: Fields, number: number): Attributes =>
  Object.fromEntries(all(fields, number).map((pair) => [text(pair, 1), anyValue(one(pair, 2))]))

const pointsOf = (request: Fields): OtlpPoint[] =>
  all(request, 1)
    .flatMap((resource) => all(resource, 2))
    .flatMap((scope) => all(scope, 2))
    .flatMap((metric) => {
      const about = { metric: text(metric, 1), unit: text(metric, 3) }
      const sums = all(one(metric, 7), 1).map((point) => ({
        ...about,
        attributes: attributesOf(point, 7),
        value: point.has(4) ? buffer(point, 4).readDoubleLE() : Number(fixed(point, 6)),
        count: 0,
        startTime: fixed(point, 2),
        temporality: integer(one(metric, 7), 2),
      }))
      const histograms = all(one(metric, 9), 1).map((point) => ({
        ...about,
        attributes: attributesOf(point, 9),
        value: buffer(point, 5).readDoubleLE(),
        count: Number(fixed(point, 4)),
        startTime: fixed(point, 2),
        temporality: integer(one(metric, 9), 2),
      }))
      return [...sums, ...histograms]
    })

const spansOf = (request: Fields): OtlpSpan[] =>
  all(request, 1)
    .flatMap((resource) => all(resource, 2))
    .flatMap((scope) => all(scope, 2))
    .map((span) => ({
      traceId: hex(span, 1),
      spanId: hex(span, 2),
      parentSpanId: hex(span, 4),
      name: text(span, 5),
      kind: integer(span, 6),
      startMs: ms(span, 7),
      endMs: ms(span, 8),
      attributes: attributesOf(span, 9),
      events: all(span, 11).map((event) => ({ name: text(event, 2), attributes: attributesOf(event, 3) })),
      status: { message: text(one(span, 15), 2), code: integer(one(span, 15), 3) },
    }))

export type OtlpAnswer = number | 'stall'

export const otlpReceiver = async (t: Test, answer: (path: string) => OtlpAnswer = () => 200) => {
  const points: OtlpPoint[] = []
  const spans: OtlpSpan[] = []
  const resources: Attributes[] = []
  const requests: Array<{ path: string; headers: Record<string, unknown> }> = []
  const server = await httpServer(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const sent = Buffer.concat(chunks)
    const path = request.url ?? ''
    requests.push({ path, headers: request.headers })
    const status = answer(path)
    if (status === 'stall') return
    if (status === 200) {
      const body = fieldsOf(request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent)
      resources.push(...all(body, 1).map((resource) => attributesOf(one(resource, 1), 1)))
      if (path.endsWith('/metrics')) points.push(...pointsOf(body))
      if (path.endsWith('/traces')) spans.push(...spansOf(body))
    }
    response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end()
  })
  return {
    origin: server.origin,
    points,
    spans,
    resources,
    requests,
    /** The last point of the metric with these attributes, once there is one. */
    point: async (metric: string, attributes: Attributes): Promise<OtlpPoint> => {
      const find = () =>
        points.findLast(
          (point) =>
            point.metric === metric &&
            Object.entries(attributes).every(([name, value]) => point.attributes[name] === value),
        )
      await until(`a point of ${metric}`, () => find() !== undefined)
      return find() as OtlpPoint
    },
  }
}
