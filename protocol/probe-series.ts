/**
 * What one run says in the words of blackbox_exporter, so that dashboards and alerts made for it go on working: the
 * exporter of an account shows it of the last run of each check, an agent's `/probe` of the run that it made. Pure.
 */
import type { CheckType } from './check-type.ts'
import type { DnsCheckResult } from './checks/dns-result.ts'
import type { HttpCheckResult } from './checks/http-result.ts'
import type { IcmpCheckResult } from './checks/icmp-result.ts'
import type { TcpCheckResult } from './checks/tcp-result.ts'
import type { MetricFamily } from './exposition.ts'

const gauge = (help: string): Omit<MetricFamily, 'name'> => ({ help, type: 'gauge' })

const families = {
  probe_success: gauge('Whether the probe was a success'),
  probe_duration_seconds: gauge('How long the probe took'),
  probe_dns_lookup_time_seconds: gauge('Time that the lookup of the name took'),
  probe_ip_protocol: gauge('Version of the IP that the probe used: 4 or 6'),
  probe_http_status_code: gauge('Status code of the answer; 0: there was none'),
  probe_http_duration_seconds: gauge('Duration of the HTTP request by phase, of the last of its redirects'),
  probe_http_redirects: gauge('Redirects that were followed'),
  probe_http_ssl: gauge('Whether TLS was used for the answer'),
  probe_http_version: gauge('Version of HTTP in the answer'),
  probe_http_uncompressed_body_length: gauge('Length of the body in bytes, without its compression'),
  probe_ssl_earliest_cert_expiry: gauge('When the certificate of the server ends, as Unix time'),
  probe_icmp_duration_seconds: gauge('Duration of the pings by phase'),
  probe_dns_query_succeeded: gauge('Whether the name server gave an answer'),
  probe_dns_answer_rrs: gauge('Records in the answer'),
} as const
type ProbeSeriesName = keyof typeof families

export const probeFamilies: readonly (MetricFamily & { name: ProbeSeriesName })[] = Object.entries(
  families,
).map(([name, family]) => ({ name: name as ProbeSeriesName, ...family }))

/** `phase`: the label of that name; absent: none. */
export type ProbeSample = { name: ProbeSeriesName; phase?: string; value: number }

/** A run that is over; `detail` has the shape of its type, or is null where nothing was observed. */
type ProbedRun = { type: CheckType; success: boolean; seconds: number; detail: unknown }

export const probeSamples = ({ type, success, seconds, detail }: ProbedRun): ProbeSample[] => [
  { name: 'probe_success', value: success ? 1 : 0 },
  { name: 'probe_duration_seconds', value: seconds },
  ...(typeof detail === 'object' && detail !== null ? (readers[type]?.(detail) ?? []) : []),
]

const inSeconds = (milliseconds: number | null | undefined): number => (milliseconds ?? 0) / 1000

const phases = (
  name: ProbeSeriesName,
  durations: Readonly<Record<string, number | null | undefined>>,
): ProbeSample[] =>
  Object.entries(durations).map(([phase, duration]) => ({ name, phase, value: inSeconds(duration) }))

const ipVersion = (address: string | null | undefined): ProbeSample[] =>
  address ? [{ name: 'probe_ip_protocol', value: address.includes(':') ? 6 : 4 }] : []

/** Results may be older than a field, or shortened. */
const httpSamples = ({ response }: Partial<HttpCheckResult>): ProbeSample[] => {
  if (!response) return [{ name: 'probe_http_status_code', value: 0 }]
  const { timingPhases, certificate, redirects, httpVersion, bodyBytes } = response as Partial<
    typeof response
  >
  const endsAt = Date.parse(certificate?.validTo ?? '')
  const version = Number(httpVersion)
  return [
    { name: 'probe_http_status_code', value: response.status },
    ...ipVersion(response.remoteAddress),
    { name: 'probe_http_ssl', value: (response.href ?? '').startsWith('https:') ? 1 : 0 },
    ...(redirects === undefined ? [] : [{ name: 'probe_http_redirects' as const, value: redirects.length }]),
    ...(Number.isFinite(version) ? [{ name: 'probe_http_version' as const, value: version }] : []),
    ...(bodyBytes === undefined
      ? []
      : [{ name: 'probe_http_uncompressed_body_length' as const, value: bodyBytes }]),
    ...(Number.isFinite(endsAt)
      ? [{ name: 'probe_ssl_earliest_cert_expiry' as const, value: endsAt / 1000 }]
      : []),
    ...(timingPhases === undefined
      ? []
      : [
          { name: 'probe_dns_lookup_time_seconds' as const, value: inSeconds(timingPhases.dns) },
          ...phases('probe_http_duration_seconds', {
            resolve: timingPhases.dns,
            connect: timingPhases.tcp,
            tls: timingPhases.tls,
            processing: timingPhases.firstByte,
            transfer: timingPhases.download,
          }),
        ]),
  ]
}

const tcpSamples = ({ response, timingPhases }: Partial<TcpCheckResult>): ProbeSample[] => [
  ...ipVersion(response?.resolvedIp),
  ...(typeof timingPhases?.dns === 'number'
    ? [{ name: 'probe_dns_lookup_time_seconds' as const, value: inSeconds(timingPhases.dns) }]
    : []),
]

const icmpSamples = ({ response }: Partial<IcmpCheckResult>): ProbeSample[] =>
  response
    ? [
        ...ipVersion(response.resolvedIp),
        { name: 'probe_dns_lookup_time_seconds', value: inSeconds(response.dnsResolutionTime) },
        ...phases('probe_icmp_duration_seconds', {
          resolve: response.dnsResolutionTime,
          ...(response.latency?.avg == null ? {} : { rtt: response.latency.avg }),
        }),
      ]
    : []

const dnsSamples = ({ response, nameServerInfo }: Partial<DnsCheckResult>): ProbeSample[] => [
  { name: 'probe_dns_query_succeeded', value: response ? 1 : 0 },
  ...ipVersion(nameServerInfo?.host),
  ...(response?.answer === undefined
    ? []
    : [{ name: 'probe_dns_answer_rrs' as const, value: response.answer.Answer.length }]),
]

type SampleReader = (detail: object) => ProbeSample[]

const readers: Partial<Record<CheckType, SampleReader>> = {
  URL: httpSamples,
  API: httpSamples,
  TCP: tcpSamples,
  ICMP: icmpSamples,
  DNS: dnsSamples,
}
