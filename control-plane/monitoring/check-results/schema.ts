import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../protocol/check-type.ts'
import { DnsCheckResult } from '../../../protocol/checks/dns-result.ts'
import { HttpCheckResult } from '../../../protocol/checks/http-result.ts'
import { IcmpCheckResult } from '../../../protocol/checks/icmp-result.ts'
import { TcpCheckResult } from '../../../protocol/checks/tcp-result.ts'
import { nullable } from '../../platform/shapes/nullable.ts'

const DateTime = Type.String({ format: 'date-time' })

/**
 * One attempt of a run (service-interface "Check result"). Times in milliseconds. `hasErrors` is a failure of the
 * service, `hasFailures` one of the target; `attempts` counts the repetitions before this attempt; all attempts of a
 * run share `sequenceId`, all runs of one due time share `checkRunId`.
 */
export const CheckResult = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    checkId: Type.String(),
    checkType: Type.Enum([...checkTypes]),
    resultType: Type.Enum(['FINAL', 'ATTEMPT']),
    hasFailures: Type.Boolean(),
    hasErrors: Type.Boolean(),
    isDegraded: Type.Boolean(),
    isCancelled: Type.Boolean(),
    overMaxResponseTime: Type.Boolean(),
    runLocation: Type.String(),
    startedAt: DateTime,
    stoppedAt: DateTime,
    created_at: DateTime,
    responseTime: Type.Number(),
    apiCheckResult: nullable(HttpCheckResult),
    tcpCheckResult: nullable(TcpCheckResult),
    dnsCheckResult: nullable(DnsCheckResult),
    icmpCheckResult: nullable(IcmpCheckResult),
    browserCheckResult: Type.Null(),
    multiStepCheckResult: Type.Null(),
    agenticCheckResult: Type.Null(),
    checkRunId: Type.Number(),
    attempts: Type.Integer(),
    sequenceId: Type.String(),
    error: nullable(Type.String(), { description: 'Why it failed or could not be run, in one sentence' }),
    errorGroupIds: Type.Array(Type.String()),
  },
  { title: 'CheckResult' },
)
export type CheckResult = Static<typeof CheckResult>

export const CheckResultPage = Type.Object(
  {
    length: Type.Integer({ minimum: 0, description: 'Entries on this page' }),
    entries: Type.Array(CheckResult, { description: 'Newest first' }),
    nextId: nullable(Type.String(), { description: 'Cursor of the next page; null: there are no more' }),
  },
  { title: 'CheckResultPage' },
)
