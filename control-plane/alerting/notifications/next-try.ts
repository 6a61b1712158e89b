/** What becomes of a notification after a try. Pure. */
import type { NotificationStatus } from '../messages/alert-types.ts'

export const maxTries = 5
const retryAfterFailureMs = 20_000
/** A pause that the receiver asks for is no failed try, but not for ever. */
const patienceMs = 60 * 60 * 1000
const shortestPauseMs = 1000

export type TryOutcome =
  | { ok: true }
  | { ok: false; permanent: boolean /** The receiver asked for it. */; retryAfterMs: number | null }

export type Next = {
  status: NotificationStatus
  tries: number
  /** null: it is finished. */
  dueAt: number | null
}

/** `tries`: before this one. */
export const nextTry = (
  tried: TryOutcome,
  { tries, createdAt, now }: { tries: number; createdAt: number; now: number },
): Next => {
  if (tried.ok) return { status: 'SUCCESS', tries: tries + 1, dueAt: null }
  const { permanent, retryAfterMs } = tried
  const isPause = retryAfterMs !== null && now - createdAt < patienceMs
  const count = isPause ? tries : tries + 1
  if (permanent || count >= maxTries) return { status: 'FAILURE', tries: count, dueAt: null }
  if (retryAfterMs === null) return { status: 'IN_PROGRESS', tries: count, dueAt: now + retryAfterFailureMs }
  return { status: 'RATE_LIMITED', tries: count, dueAt: now + Math.max(retryAfterMs, shortestPauseMs) }
}
