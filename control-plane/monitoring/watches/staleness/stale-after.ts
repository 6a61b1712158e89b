/**
 * When what a check last said is no longer said of now. So many periods and a minute without a result, beside the time that
 * its longest run took: a run reports only when it is over. Pure; the tick beside it is the only one who asks, and all places
 * show what it wrote down.
 */
const silentPeriods = 3
const silentMs = 60_000

/** `fromAt`: since when it has run as it does now; `longestRunMs`: null while it never ran. */
type LastSaid = { lastStartedAt: number; fromAt: number; longestRunMs: number | null; periodMs: number }

/** How long it may say nothing. */
export const allowedSilenceMs = ({
  periodMs,
  longestRunMs,
}: Pick<LastSaid, 'periodMs' | 'longestRunMs'>): number =>
  silentPeriods * periodMs + silentMs + (longestRunMs ?? 0)

export const isStale = (said: LastSaid, now: number): boolean =>
  now > Math.max(said.lastStartedAt, said.fromAt) + allowedSilenceMs(said)
