import { type Static, Type } from 'typebox'
import { assertionOf } from '../assertion.ts'
import { comparisons } from '../comparisons.ts'
import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { DnsCheckResult, dnsRecordTypes } from './dns-result.ts'
import { measured, responseTimeSummary } from './metric.ts'
import { gauge, ipProtocol, ipVersion, type ProbeSeries } from './probe-sample.ts'

/** A DNS check's question and what it asserts. */
const DnsAssertion = assertionOf(
  ['RESPONSE_TIME', 'RESPONSE_CODE', 'TEXT_ANSWER', 'JSON_ANSWER'],
  comparisons,
)

const NameServer = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 100,
  default: null,
  description: 'Name or address of the resolver to ask; null: chosen by the agent',
})

export const DnsRequest = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 100, pattern: '^\\S+$', examples: ['example.com'] }),
    recordType: Type.Enum([...dnsRecordTypes]),
    nameServer: Type.Optional(NameServer),
    port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_535, description: 'Left out: 53', examples: [53] }),
    ),
    protocol: Type.Optional(Type.Enum(['UDP', 'TCP'], { default: 'UDP' })),
    assertions: Type.Optional(Type.Array(DnsAssertion, { maxItems: 100, default: [] })),
  },
  { additionalProperties: false },
)
export type DnsRequest = Static<typeof DnsRequest>

/** What the agent is told to do. Without an assertion on `RESPONSE_CODE` only NOERROR passes. */
export const DnsSpec = Type.Object({
  request: Type.Object({
    query: Type.String(),
    recordType: Type.Enum([...dnsRecordTypes]),
    nameServer: Type.Union([Type.String(), Type.Null()]),
    port: Type.Integer(),
    protocol: Type.Enum(['UDP', 'TCP']),
    assertions: Type.Array(DnsAssertion),
  }),
  shouldFail: Type.Boolean(),
})
export type DnsSpec = Static<typeof DnsSpec>

const succeeded = gauge('probe_dns_query_succeeded', 'Whether the name server gave an answer')
const records = gauge('probe_dns_answer_rrs', 'Records in the answer')

const probe: ProbeSeries<DnsCheckResult> = {
  families: [ipProtocol, succeeded, records],
  read: ({ response, nameServerInfo }) => [
    { name: succeeded.name, value: response ? 1 : 0 },
    ...ipVersion(nameServerInfo?.host),
    ...(response?.answer === undefined ? [] : [{ name: records.name, value: response.answer.Answer.length }]),
  ],
}

export const dnsProtocol: CheckProtocol = {
  queue: 'uptime',
  runLimitMs: runLimits.uptime,
  spec: DnsSpec,
  detail: DnsCheckResult,
  resultProperty: 'dnsCheckResult',
  metrics: [measured('total', 'Total time')],
  summary: responseTimeSummary,
  probe,
}
