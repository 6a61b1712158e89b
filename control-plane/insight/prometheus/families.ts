/** Every metric of an account's exporter but the probe series (protocol/probe-series.ts). docs/monitoring/exporter.md shows them. */
import type { MetricFamily } from '../../../protocol/exposition.ts'
import { checkKinds } from '../../monitoring/definitions/checks/types/index.ts'
import type { SeriesFamily } from '../../monitoring/definitions/checks/types/run-series.ts'
import type { Histogram } from './histogram.ts'

/** `labels`: in parts, as labelText writes them; empty ones say nothing. Many series share the first part. */
export type Series = { labels: readonly string[] } & ({ value: number } | { histogram: Histogram })

export type Piece = string | Buffer

/** Some series of a family; `isFirst`: none of it was printed before. */
export type Printer = (family: MetricFamily, series: readonly Series[], isFirst: boolean) => Piece

const family = (type: MetricFamily['type'], name: string, help: string): MetricFamily => ({
  name: `watchpost_${name}`,
  type,
  help,
})

export const checkFamilies = {
  status: family('gauge', 'check_status', 'Status of a check: 1 for the one it has, 0 for the others'),
  stale: family(
    'gauge',
    'check_stale',
    '1: no result has come for three periods and a minute; 0: results come',
  ),
  results: family('counter', 'check_result_total', 'Finished runs of a check by what they said'),
  lateResults: family(
    'counter',
    'check_late_result_total',
    'Runs of a check that came in after an outage of the control plane, by what they said: they are counted here alone',
  ),
  icmpLoss: family('gauge', 'icmp_monitor_packet_loss_ratio', 'Lost pings of the last run, 0 to 1'),
  heartbeatSuccess: family(
    'gauge',
    'heartbeat_last_success_timestamp_seconds',
    'When the last ping came, as Unix time; 0: never',
  ),
  heartbeatInterval: family(
    'gauge',
    'heartbeat_expected_interval_seconds',
    'Time within which a ping is expected',
  ),
  certificate: family(
    'gauge',
    'time_to_ssl_expiry_seconds',
    'Time until the certificate of a domain ends; negative: it has ended',
  ),
} as const satisfies Record<string, MetricFamily>

type RunFamily = MetricFamily & Pick<SeriesFamily, 'buckets'>

/** Of runs, by the name that their type gives them (definitions/checks/types). */
export const runFamilies: ReadonlyMap<string, RunFamily> = new Map(
  Object.values(checkKinds).flatMap(({ series }) =>
    (series?.families ?? []).map(({ name, help, buckets }) => [
      name,
      { ...family('histogram', name, help), buckets },
    ]),
  ),
)

export const locationFamilies = {
  queueSize: family(
    'gauge',
    'private_location_queue_size',
    'Due runs that wait for an agent of the private location',
  ),
  oldestRun: family(
    'gauge',
    'private_location_oldest_scheduled_check_run',
    'Seconds since the oldest run that waits was due; 0: none waits',
  ),
  agents: family('gauge', 'private_location_agent_count', 'Agents that are connected'),
  queueDuration: family(
    'gauge',
    'private_location_queue_duration_ms',
    'Milliseconds from when a run was due until it started, of the last ten minutes',
  ),
  runs: family(
    'gauge',
    'private_location_check_runs',
    'Runs that are due: queued ones wait for an agent, inflight ones are with one',
  ),
} as const satisfies Record<string, MetricFamily>

export type LocationFamily = keyof typeof locationFamilies

/** The two whose names Prometheus' own rules of naming do not allow, as these would have them. */
export const standardNames: Partial<Record<LocationFamily, MetricFamily>> = {
  agents: family('gauge', 'private_location_agents', locationFamilies.agents.help),
  queueDuration: family(
    'gauge',
    'private_location_queue_duration_seconds',
    'Time from when a run was due until it started, of the last ten minutes',
  ),
}
