import { TcpRequest, type TcpSpec } from '../../../../protocol/checks/tcp.ts'
import type { Violation } from '../../../../protocol/validate.ts'
import { violation } from '../../../platform/http/errors.ts'
import { sharedFields } from '../../../platform/shapes/shared-fields.ts'
import type { CheckKind } from './check-kind.ts'
import { degradedBeforeMax, responseTimes, subMinuteFrequency } from './fields.ts'

/** One TCP connection, what is sent over it and what comes back. */
export const tcp: CheckKind = {
  type: 'TCP',
  path: 'tcp',
  title: 'TcpCheck',
  words: 'a TCP check',
  note: 'One TCP connection, with assertions on what comes back.',
  fields: {
    ...sharedFields,
    request: TcpRequest,
    ...subMinuteFrequency,
    ...responseTimes(5000, 3000, 5000),
  },
  required: ['name', 'request'],
  example: {
    name: 'Database',
    request: { hostname: 'db.example.com', port: 5432 },
    locations: ['eu-west-1'],
  },
  scheduled: true,
  takesVariables: false,
  needsRuntime: () => false,
  problems: (doc) => [...degradedBeforeMax(doc), ...oneOfEach(doc.request as TcpRequest)],
  spec: ({ doc: { request, shouldFail } }): TcpSpec => {
    const { hostname, url, data, body, port, ipFamily, assertions } = request as TcpRequest
    return {
      request: {
        hostname: hostname ?? url ?? '',
        port,
        data: data ?? body ?? null,
        ipFamily: ipFamily ?? 'IPv4',
        assertions: assertions ?? [],
      },
      shouldFail,
    }
  },
}

const oneOfEach = ({ hostname, url, data = null, body = null }: TcpRequest): Violation[] => [
  ...(hostname === undefined && url === undefined
    ? [violation('request.hostname', 'required', 'is required')]
    : []),
  ...(hostname !== undefined && url !== undefined
    ? [violation('request.url', 'one', 'is an older name of "request.hostname": send one of them')]
    : []),
  ...(data !== null && body !== null
    ? [violation('request.body', 'one', 'is an older name of "request.data": send one of them')]
    : []),
]
