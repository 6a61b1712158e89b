/**
 * Uptime of services as status pages show it: what incidents took away from the last 90 days. Pure. Check results alone
 * do not count; downtime within a maintenance does not count either.
 */
export const uptimeDays = 90

/** Epoch milliseconds; `to` is exclusive, null for what has not ended. */
export type Span = { from: number; to: number | null }

/** The part of a span, which is not empty, without downtime, from 0 to 1. Overlapping incidents count once. */
export const spanUptime = (
  incidents: readonly Span[],
  maintenances: readonly Span[],
  within: Interval,
): number => {
  const totalMs = within.to - within.from
  const excused = union(clip(maintenances, within))
  const down = union(clip(incidents, within))
  const downMs = lengthOf(down) - lengthOf(down.flatMap((span) => clip(excused, span)))
  return (totalMs - downMs) / totalMs
}

type Interval = { from: number; to: number }

const clip = (spans: readonly Span[], within: Interval): Interval[] =>
  spans.flatMap((span) => {
    const from = Math.max(span.from, within.from)
    const to = Math.min(span.to ?? Number.POSITIVE_INFINITY, within.to)
    return from < to ? [{ from, to }] : []
  })

const union = (spans: readonly Interval[]): Interval[] => {
  const result: Interval[] = []
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = result.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else result.push({ from, to })
  }
  return result
}

const lengthOf = (spans: readonly Interval[]): number =>
  spans.reduce((sum, { from, to }) => sum + to - from, 0)
