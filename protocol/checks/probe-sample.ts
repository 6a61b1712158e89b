/** What a run says in the words of blackbox_exporter: what the records of the types are made with. */
import type { MetricFamily } from '../exposition.ts'

/** `phase`: the label of that name; absent: none. */
export type ProbeSample = { name: string; phase?: string; value: number }

/** What a type says of its runs beside what every one says. `read`: results may be older than a field, or shortened. */
export type ProbeSeries<Detail extends object = object> = {
  families: readonly MetricFamily[]
  read(detail: Partial<Detail>): ProbeSample[]
}

export const gauge = (name: string, help: string): MetricFamily => ({ name, help, type: 'gauge' })

/** Of several types; a family is shown once. */
export const lookupTime = gauge('probe_dns_lookup_time_seconds', 'Time that the lookup of the name took')
export const ipProtocol = gauge('probe_ip_protocol', 'Version of the IP that the probe used: 4 or 6')

export const certificateExpiry = gauge(
  'probe_ssl_earliest_cert_expiry',
  'When the certificate of the server ends, as Unix time',
)

export const inSeconds = (milliseconds: number | null | undefined): number => (milliseconds ?? 0) / 1000

export const phases = (
  { name }: MetricFamily,
  durations: Readonly<Record<string, number | null | undefined>>,
): ProbeSample[] =>
  Object.entries(durations).map(([phase, duration]) => ({ name, phase, value: inSeconds(duration) }))

export const ipVersion = (address: string | null | undefined): ProbeSample[] =>
  address ? [{ name: ipProtocol.name, value: address.includes(':') ? 6 : 4 }] : []
