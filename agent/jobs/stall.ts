/**
 * Whether what a run saw may be this agent's own doing, because its event loop stood meanwhile: answers that had come were
 * read too late, and times hold what was waited here. Pure.
 */
import type { AssertionOutcome } from '../../protocol/assertion.ts'
import type { Observation } from '../../protocol/result.ts'

/** `outcome`: that the target failed, or is degraded; `times`: only the times of a run that passed; null: neither. */
export type StallEffect = 'outcome' | 'times' | null

/** Durations in milliseconds: of all stalls, and of the whole run. */
export type Disturbance = { stoodMs: number; tookMs: number }

/** Shorter stalls are within what networks vary. */
const shortestMs = 100
/** Waits are bounded in seconds: what is less of a run than this did not use them up. */
const smallestShare = 0.1

export const stallEffectOf = (seen: Observation, { stoodMs, tookMs }: Disturbance): StallEffect => {
  if (stoodMs < shortestMs) return null
  const isMuch = stoodMs >= tookMs * smallestShare
  if (seen.failure !== null) return isMuch && isWait(seen) ? 'outcome' : null
  const failed = seen.assertions.filter(({ passed }) => !passed)
  if (failed.length > 0) return failed.every((one) => mayHold(one, { stoodMs, isMuch })) ? 'outcome' : null
  if (seen.degraded) return isMuch ? 'outcome' : null
  return stoodMs >= seen.responseTime * smallestShare ? 'times' : null
}

/** Failures that say that something took too long, here or in the eyes of a server that waited for us. */
const waits: ReadonlySet<string> = new Set([
  ...['TIMEOUT', 'ETIMEDOUT', 'ECONNRESET', 'EPIPE', 'ETIMEOUT', 'EAI_AGAIN', 'NO_REPLY', 'PACKET_LOSS'],
  ...['SETUP_SCRIPT_FAILED', 'TEARDOWN_SCRIPT_FAILED'],
])

const requestTimeout = 408

const isWait = ({ failure, detail }: Observation): boolean =>
  waits.has(failure?.code.replace(/^PROXY_/, '') ?? '') ||
  (failure?.code === 'HTTP_STATUS' && statusOf(detail) === requestTimeout)

const statusOf = (detail: unknown): unknown =>
  (detail as { response?: { status?: unknown } | null } | null)?.response?.status

/** Sources that are times, which were shorter by up to all stalls together. */
const times: ReadonlySet<string> = new Set(['RESPONSE_TIME', 'LATENCY'])
/** Sources of which a part may have come too late to be read. */
const readings: ReadonlySet<string> = new Set(['RESPONSE_DATA', 'JSON_RESPONSE'])

/** Whether a failed assertion may hold without the stalls. */
const mayHold = (
  { source, comparison, target, actual }: AssertionOutcome,
  { stoodMs, isMuch }: { stoodMs: number; isMuch: boolean },
): boolean => {
  if (readings.has(source)) return isMuch
  if (source === 'STATUS_CODE') return isMuch && Number(actual) === requestTimeout
  if (!times.has(source) || typeof actual !== 'number') return false
  const min = Math.max(0, actual - stoodMs)
  const limit = Number(target)
  if (comparison === 'LESS_THAN') return min < limit
  if (comparison === 'EQUALS') return min <= limit && limit <= actual
  // Shorter times are no greater, and any other number differs.
  return comparison === 'NOT_EQUALS'
}
