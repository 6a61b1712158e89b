/**
 * What one run says in the words of blackbox_exporter, so that dashboards and alerts made for it go on working: the
 * exporter of an account shows it of the last run of each check, an agent's `/probe` of the run that it made. What a type
 * adds is in its record (protocol/checks). Pure.
 */
import { type CheckType, checkTypes, protocolOf } from './check-type.ts'
import { gauge, type ProbeSample } from './checks/probe-sample.ts'
import type { MetricFamily } from './exposition.ts'

export type { ProbeSample } from './checks/probe-sample.ts'

const success = gauge('probe_success', 'Whether the probe was a success')
const took = gauge('probe_duration_seconds', 'How long the probe took')
const ofTypes = checkTypes.flatMap((type) => protocolOf(type).probe?.families ?? [])

/** Types share some. */
export const probeFamilies: readonly MetricFamily[] = [
  ...new Map([success, took, ...ofTypes].map((family) => [family.name, family])).values(),
]

/** A run that is over; `detail` has the shape of its type, or is null where nothing was observed. */
type ProbedRun = { type: CheckType; success: boolean; seconds: number; detail: unknown }

export const probeSamples = ({ type, success: passed, seconds, detail }: ProbedRun): ProbeSample[] => [
  { name: success.name, value: passed ? 1 : 0 },
  { name: took.name, value: seconds },
  ...(typeof detail === 'object' && detail !== null ? (protocolOf(type).probe?.read(detail) ?? []) : []),
]
