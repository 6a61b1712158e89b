import { type Static, Type } from 'typebox'
import { AssertionOutcome } from '../assertion.ts'

/** What a DNS check may ask for. */
export const dnsRecordTypes = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'TXT',
  'SOA',
  'NS',
  'HTTPS',
  'SRV',
  'CAA',
  'PTR',
] as const

/** What JSON_ANSWER looks at: names end in a dot, `TTL` is seconds, `data` is one line of text. */
const DnsJsonAnswer = Type.Object({
  Status: Type.String(),
  TC: Type.Boolean(),
  RD: Type.Boolean(),
  RA: Type.Boolean(),
  AD: Type.Boolean(),
  CD: Type.Boolean(),
  Question: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  Answer: Type.Array(
    Type.Object({ name: Type.String(), type: Type.String(), TTL: Type.Integer(), data: Type.String() }),
  ),
})

/**
 * `dnsCheckResult`: what a DNS run saw. `nameServerInfo` is the server that had the last word; `responseTime` is
 * milliseconds, from the first question to the answer; `protocol` is TCP where a truncated answer was asked for again.
 * `answer` and `text` are cut for storage, and `truncated` says so: assertions see all of it.
 */
export const DnsCheckResult = Type.Object({
  assertions: Type.Array(AssertionOutcome),
  request: Type.Object({
    query: Type.String(),
    recordType: Type.Enum([...dnsRecordTypes]),
    protocol: Type.Enum(['UDP', 'TCP']),
    nameServer: Type.Union([Type.String(), Type.Null()]),
    port: Type.Integer(),
  }),
  nameServerInfo: Type.Union([
    Type.Object({ name: Type.String(), host: Type.String(), port: Type.Integer() }),
    Type.Null(),
  ]),
  response: Type.Union([
    Type.Object({
      returnCode: Type.String(),
      responseTime: Type.Number({ minimum: 0 }),
      protocol: Type.Enum(['UDP', 'TCP']),
      answer: DnsJsonAnswer,
      text: Type.String(),
      truncated: Type.Boolean(),
    }),
    Type.Null(),
  ]),
  requestError: Type.Union([Type.String(), Type.Null()]),
})
export type DnsCheckResult = Static<typeof DnsCheckResult>
