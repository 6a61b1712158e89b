/** The phases of a run's last request, one behind the other. Pure. */
import type { HttpTimingPhases } from '../../../protocol/checks/http-result.ts'
import type { FinalResult } from '../../monitoring/outcomes/consequences.ts'
import { httpDetailOf } from './run-attributes.ts'

/** Instants in epoch milliseconds. */
type Phase = { name: string; from: number; to: number }

const order = [
  ['dns', 'dns'],
  ['tcp', 'tcp'],
  ['tls', 'tls'],
  ['firstByte', 'ttfb'],
  ['download', 'download'],
] as const satisfies readonly (readonly [keyof HttpTimingPhases, string])[]

/** The chain of requests is taken to begin with the run: when it did is not measured by the same clock. */
export const phasesOf = (run: FinalResult): Phase[] => {
  const response = httpDetailOf(run)?.response
  if (!response?.timings || !response.timingPhases) return []
  const { timings, timingPhases } = response
  const before = Math.max(0, (timingPhases.total ?? 0) - (timings.end ?? 0))
  let at = run.startedAt + before + (timingPhases.wait ?? 0)
  return order.flatMap(([key, name]) => {
    const duration = timingPhases[key]
    if (duration === null) return []
    const from = at
    at += duration
    return [{ name, from, to: at }]
  })
}
