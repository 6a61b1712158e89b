/** When a message that names many leaves. Pure. */

/** Milliseconds: from the first of them to its message, between two messages, and how late a recovery is at most. */
export type Pace = { openingMs: number; intervalMs: number; recoveryMs: number }

/** Long enough for what fails together to come in, short enough for who waits. */
export const stormPace: Pace = { openingMs: 3000, intervalMs: 60_000, recoveryMs: 30_000 }

export const groupPace = (intervalMs: number): Pace => ({
  openingMs: 0,
  intervalMs,
  recoveryMs: Math.min(30_000, intervalMs),
})

/** Of what is told together in a channel: when the next message leaves, and when the last one did; null: there is none. */
export type Course = { waitingUntil: number | null; lastAt: number | null }

type Joining = { now: number; isRecovery: boolean }

export const joinsAt = (
  { waitingUntil, lastAt }: Course,
  { now, isRecovery }: Joining,
  pace: Pace,
): number => {
  const soon = now + pace.openingMs
  // A clock that was set back makes nobody wait for longer than an interval.
  const next =
    waitingUntil ?? (lastAt === null ? soon : Math.max(soon, Math.min(lastAt, now) + pace.intervalMs))
  return isRecovery ? Math.min(next, now + pace.recoveryMs) : next
}
