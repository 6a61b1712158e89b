/** Requests of one route for fuzzing, and how they are sent: byte by byte as they are, with a deadline. */
import { Agent, request as httpRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Declaration } from '../../control-plane/platform/web/http/route.ts'
import { type Arbitrary, fc } from './fast-check.ts'
import { likely, nastyText, type Schema, spoiled, toText } from './fuzz-values.ts'

export type FuzzRequest = {
  method: string
  path: string
  headers: Record<string, string>
  body: Uint8Array | null
}

export type FuzzAnswer = { status: number; headers: Headers; text: string; body: unknown }

type Known = { address: string; headers: Record<string, string>; body: unknown }

/** `known` is a request that the service accepts: what fuzzing starts from half of the time. */
export const requestsOf = (route: Declaration, known: Known): Arbitrary<FuzzRequest> =>
  fc
    .record({
      path: pathOf(known.address, route.path),
      query: queryOf(route),
      payload: payloadOf(route, known.body),
      headers: oddHeaders,
    })
    .map(({ path, query, payload, headers }) => ({
      method: route.method,
      path: query === '' ? path : `${path}?${query}`,
      headers: { ...known.headers, ...payload.headers, ...headers },
      body: payload.body,
    }))

const rawSegments = [
  '%',
  '%ff',
  '%00',
  '%2e%2e%2f',
  '%F0%9F%98%80',
  '%ed%a0%80',
  'x'.repeat(3000),
  '-1',
  '0',
  '1.5',
  '99999999999999999999',
]
const oddSegment = fc.oneof(
  fc.constantFrom(...rawSegments),
  fc.uuid(),
  nastyText.map((text) => encodeURIComponent(text.toWellFormed()) || '%20'),
)

/** Mostly what is there, sometimes something else in the place of an id. */
const pathOf = (address: string, declared: string): Arbitrary<string> => {
  const segments = address.split('/')
  const parameters = declared.split('/').flatMap((segment, at) => (segment.startsWith(':') ? [at] : []))
  if (parameters.length === 0) return fc.constant(address)
  const odd = fc
    .tuple(fc.constantFrom(...parameters), oddSegment)
    .map(([at, text]) => segments.with(at, text).join('/'))
  return fc.oneof({ weight: 3, arbitrary: fc.constant(address) }, { weight: 2, arbitrary: odd })
}

const pair = (name: string, value: unknown): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`

const queryOf = ({ query }: Declaration): Arbitrary<string> => {
  const properties = Object.entries((query as Schema | undefined)?.properties ?? {})
  const names = [...properties.map(([name]) => name), 'unknown', '__proto__', 'limit', 'page', 'nextId']
  const good = fc
    .record(Object.fromEntries(properties.map(([name, schema]) => [name, likely(schema)])), {
      requiredKeys: [],
    })
    .map((values) =>
      Object.entries(values)
        .flatMap(([name, value]) =>
          Array.isArray(value) ? value.map((item) => pair(`${name}[]`, item)) : [pair(name, value)],
        )
        .join('&'),
    )
  const odd = fc
    .array(fc.tuple(fc.constantFrom(...names), nastyText), { minLength: 1, maxLength: 3 })
    .map((pairs) => pairs.map(([name, value]) => pair(name, value)).join('&'))
  const broken = fc.constantFrom(
    '%',
    '=',
    '&&&',
    '%00=%ff',
    'limit',
    'limit=1&limit=2',
    'limit[]=1',
    'page=-1',
    'nextId=AAAA',
    'nextId=W10',
  )
  return fc.oneof({ weight: 4, arbitrary: good }, { weight: 3, arbitrary: odd }, broken, fc.constant(''))
}

type Payload = { headers: Record<string, string>; body: Uint8Array | null }
const json = { 'content-type': 'application/json' }
const none: Payload = { headers: {}, body: null }

const payloadOf = ({ body: schema, method }: Declaration, known: unknown): Arbitrary<Payload> => {
  const asJson = (value: unknown): Payload => ({ headers: json, body: Buffer.from(toText(value)) })
  if (!schema) return fc.constantFrom(none, none, ...(method === 'GET' ? [] : [asJson({ unexpected: true })]))
  const accepted = known === undefined ? likely(schema as Schema) : fc.constant(known)
  const generated = fc.oneof(accepted, likely(schema as Schema))
  const bytes = generated.map((value) => Buffer.from(toText(value)))
  const odd: Arbitrary<Payload> = fc.oneof(
    fc.constant(none),
    fc
      .constantFrom(
        '{',
        'nul',
        '"',
        '[1,]',
        '{"a":1,}',
        '\ufeff{}',
        'NaN',
        '1',
        '"text"',
        '[]',
        'null',
        '{} {}',
      )
      .map((text) => ({ headers: json, body: Buffer.from(text) })),
    fc.uint8Array({ minLength: 1, maxLength: 50 }).map((body) => ({ headers: json, body })),
    fc.constant({ headers: json, body: Buffer.from(`{"name":"${'x'.repeat(1_100_000)}"}`) }),
    // Cut off in the middle.
    fc
      .tuple(bytes, fc.nat())
      .map(([body, at]) => ({ headers: json, body: body.subarray(0, at % Math.max(1, body.length)) })),
    fc
      .tuple(
        bytes,
        fc.constantFrom(
          'text/plain',
          'application/xml',
          'application/json; charset=utf-16',
          'multipart/form-data',
          'json',
          '',
        ),
      )
      .map(([body, type]) => ({ headers: { 'content-type': type }, body })),
    bytes.map((body) => ({ headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(body) })),
    bytes.map((body) => ({ headers: { ...json, 'content-encoding': 'gzip' }, body })),
    bytes.map((body) => ({ headers: { ...json, 'content-encoding': 'br' }, body })),
  )
  return fc.oneof(
    { weight: 4, arbitrary: generated.map(asJson) },
    { weight: 6, arbitrary: spoiled(generated).map(asJson) },
    { weight: 2, arbitrary: odd },
  )
}

const oddHeaders: Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  fc.constantFrom<Record<string, string>>(
    { 'if-match': '"0"' },
    { 'if-match': '*' },
    { 'if-match': '\xff,,"' },
    { 'x-service-account': 'not-an-account' },
    { 'x-service-account': '00000000-0000-0000-0000-000000000000' },
    { 'x-request-id': '\xfe'.repeat(200) },
    { accept: 'text/html' },
    { authorization: 'Bearer' },
  ),
)

const deadlineMs = 60_000

/** Rejects when there is no whole answer before the deadline. */
export const createSender = (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const send = ({ method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(deadlineMs)
      const length = body === null ? {} : { 'content-length': String(body.length) }
      const sent = httpRequest(
        url,
        { method, path, agent, signal, headers: { ...headers, ...length } },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            const type = response.headers['content-type'] ?? ''
            const given = Object.entries(response.headers).map(([name, value]): [string, string] => [
              name,
              String(value),
            ])
            const parsed = type.includes('json') && text !== '' ? JSON.parse(text) : undefined
            resolve({ status: response.statusCode ?? 0, headers: new Headers(given), text, body: parsed })
          })
        },
      )
      sent.on('error', reject)
      sent.end(body ?? undefined)
    })
  return { send, close: () => agent.destroy() }
}
