import { GrpcRequest, type GrpcSpec } from '../../../../../protocol/checks/grpc.ts'
import type { GrpcCheckResult } from '../../../../../protocol/checks/grpc-result.ts'
import type { Violation } from '../../../../../protocol/validate.ts'
import { type Html, html } from '../../../../platform/web/html/html.ts'
import { say } from '../../../../platform/web/html/say.ts'
import { block, code, cut, factList, folded, section } from '../../../../platform/web/html/section.ts'
import { violation } from '../../../../platform/words/errors.ts'
import type { CheckDoc } from '../check-doc.ts'
import { EnvironmentVariables } from '../environment-variables.ts'
import { sharedFields } from '../shared-fields.ts'
import { timingBar } from '../timing-bar.ts'
import { byLocation } from './analytics.ts'
import type { CheckKind } from './check-kind.ts'
import type { DetailReader } from './detail-reader.ts'
import { degradedBeforeMax, responseTimes, subMinuteFrequency } from './fields.ts'
import { timings } from './run-series.ts'

const maxText = 4000

const grpcSections = ({
  request,
  response,
  grpcStatusCode,
  timingPhases: phases,
}: GrpcCheckResult): Array<Html | null> => [
  section('Call', [
    factList([
      ['Target', code(`${request.host}:${request.port}`)],
      ['Method', code(request.grpcMethod)],
      ['Address', response?.resolvedIp ? code(response.resolvedIp) : null],
      [
        'Status',
        grpcStatusCode === null
          ? say('None came')
          : html`<b>${grpcStatusCode}</b> ${response?.grpcStatusMessage ?? ''}`,
      ],
      ['Health', response?.healthStatusLabel ?? null],
    ]),
    response === null || response.responseMessage === ''
      ? null
      : folded('Start of the answer', block('Answer', cut(response.responseMessage, maxText)), true),
    response === null || response.metadata.length === 0
      ? null
      : folded(
          'Metadata',
          html`<table><tbody>${response.metadata.map(
            ({ key, value }) => html`<tr><th scope="row">${key}</th><td>${cut(value, 1000)}</td></tr>`,
          )}</tbody></table>`,
        ),
    response === null || response.discoveredMethods.length === 0
      ? null
      : folded(
          'Methods',
          html`<ul class="plain">${response.discoveredMethods.map((name) => html`<li>${code(name)}</li>`)}</ul>`,
        ),
  ]),
  timingBar(
    [
      { name: 'DNS', ms: phases.dns },
      { name: 'Connect', ms: phases.tcp },
      { name: 'TLS', ms: phases.tls },
      { name: 'Reflection', ms: phases.reflection },
      { name: 'Call', ms: phases.call },
    ],
    phases.total,
  ),
]

const grpcDetail: DetailReader<GrpcCheckResult> = { sections: grpcSections }

/** One unary call, or the health of a service. */
export const grpc: CheckKind = {
  type: 'GRPC',
  path: 'grpc',
  title: 'GrpcCheck',
  words: 'a gRPC check',
  label: 'gRPC monitor',
  purpose: 'Does a gRPC service answer, and what?',
  note: 'One unary call by reflection or a .proto file, or the health service. The response time is that of the call.',
  fields: {
    ...sharedFields,
    request: GrpcRequest,
    ...subMinuteFrequency,
    ...responseTimes(180_000, 10_000, 20_000),
    environmentVariables: EnvironmentVariables,
  },
  required: ['name', 'request'],
  example: {
    name: 'Orders',
    request: { url: 'orders.example.com', port: 443, grpcConfig: { mode: 'HEALTH' } },
    locations: ['eu-west-1'],
  },
  scheduled: true,
  takesVariables: true,
  proxied: true,
  takesClientCertificates: true,
  needsRuntime: () => false,
  problems: (doc) => [...degradedBeforeMax(doc), ...missingParts(doc), ...healthTargets(doc)],
  spec: ({ doc: { request, shouldFail } }): GrpcSpec => {
    const { url, port, ipFamily, skipSSL, timeout, assertions, grpcConfig = {} } = request as GrpcRequest
    return {
      request: {
        hostname: url,
        port,
        ipFamily: ipFamily ?? 'IPv4',
        skipSSL: skipSSL ?? false,
        timeout: timeout ?? 60,
        mode: grpcConfig.mode ?? 'BEHAVIOR',
        tls: grpcConfig.tls ?? true,
        metadata: grpcConfig.metadata ?? [],
        serviceDefinition: grpcConfig.serviceDefinition ?? 'REFLECTION',
        method: grpcConfig.method ?? '',
        protoContent: grpcConfig.protoContent ?? '',
        message: grpcConfig.message ?? '',
        service: grpcConfig.service ?? '',
        assertions: assertions ?? [],
      },
      shouldFail,
    }
  },
  analytics: { path: 'grpc', groupings: [byLocation] },
  address: (request) => {
    const { url, port } = request as Partial<GrpcRequest>
    return { host: url, port }
  },
  series: timings('grpc_monitor_timing_seconds', 'Timings of runs of a gRPC monitor, by phase', {
    dns: 'dns',
    connection: 'tcp',
    tls: 'tls',
    call: 'call',
    total: 'total',
  }),
  detail: grpcDetail,
}

const missingParts = ({ request }: CheckDoc): Violation[] => {
  const {
    mode = 'BEHAVIOR',
    method = '',
    serviceDefinition,
    protoContent = '',
  } = (request as GrpcRequest).grpcConfig ?? {}
  if (mode === 'HEALTH') return []
  return [
    ...(method === ''
      ? [violation('request.grpcConfig.method', 'required', 'is required with the mode "BEHAVIOR"')]
      : []),
    ...(serviceDefinition === 'PROTO_FILE' && protoContent.trim() === ''
      ? [violation('request.grpcConfig.protoContent', 'required', 'is required with "PROTO_FILE"')]
      : []),
  ]
}

/** Numbers of the health service: anything else could never hold. */
const healthTargets = ({ request }: CheckDoc): Violation[] =>
  ((request as GrpcRequest).assertions ?? []).flatMap(({ source, comparison, target = '' }, index) => {
    if (source !== 'GRPC_HEALTHCHECK_STATUS') return []
    const path = `request.assertions.${index}`
    return [
      ...(['EQUALS', 'NOT_EQUALS'].includes(comparison)
        ? []
        : [violation(`${path}.comparison`, 'enum', 'must be EQUALS or NOT_EQUALS')]),
      ...(/^[0-3]$/.test(target)
        ? []
        : [
            violation(
              `${path}.target`,
              'enum',
              'must be 0 (unknown), 1 (serving), 2 (not serving) or 3 (service unknown)',
            ),
          ]),
    ]
  })
