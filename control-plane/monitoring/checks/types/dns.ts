import { DnsRequest } from '../../../../protocol/checks/dns.ts'
import { sharedFields } from '../../../platform/shapes/shared-fields.ts'
import type { CheckKind } from './check-kind.ts'
import { degradedBeforeMax, responseTimes, subMinuteFrequency } from './fields.ts'

/** One question to a name server. */
export const dns: CheckKind = {
  type: 'DNS',
  path: 'dns',
  title: 'DnsCheck',
  words: 'a DNS check',
  note: 'One question to a name server. Without an assertion on RESPONSE_CODE only NOERROR passes.',
  fields: {
    ...sharedFields,
    request: DnsRequest,
    ...subMinuteFrequency,
    ...responseTimes(5000, 500, 1000),
  },
  required: ['name', 'request'],
  example: {
    name: 'Mail servers',
    request: { query: 'example.com', recordType: 'MX' },
    locations: ['eu-west-1'],
  },
  scheduled: true,
  takesVariables: false,
  needsRuntime: () => false,
  problems: degradedBeforeMax,
  spec: ({ doc: { request, shouldFail } }) => ({ request, shouldFail }),
}
