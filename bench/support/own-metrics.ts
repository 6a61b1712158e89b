/** What a program says of itself on `/metrics`, between two scrapes. */
export type OwnMetrics = Map<string, number>

/** By name with labels, as they stand in the text. */
export const readOwnMetrics = async (url: string): Promise<OwnMetrics> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

export const sumOf = (metrics: OwnMetrics, prefix: string): number =>
  [...metrics].reduce((sum, [name, value]) => (name.startsWith(prefix) ? sum + value : sum), 0)

export type Stalls = {
  /** The end of the bucket in which the longest statement is; null: beyond the last. */
  longestStatementMs: number | null
  statementsOver20Ms: number
  statements: number
  /** Since the scrape before. */
  longestLoopMs: number
  stallsOver50Ms: number
}

const statements = 'watchpost_store_statement_seconds'
const stalls = 'watchpost_event_loop_stall_seconds_count'

const countsByBucket = (before: OwnMetrics, after: OwnMetrics): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const [name, value] of after) {
    if (!name.startsWith(`${statements}_bucket`)) continue
    const end = /le="([^"]+)"/.exec(name)?.[1]
    const key = end === '+Inf' ? Number.POSITIVE_INFINITY : Number(end)
    counts.set(key, (counts.get(key) ?? 0) + value - (before.get(name) ?? 0))
  }
  return counts
}

export const stallsBetween = (before: OwnMetrics, after: OwnMetrics): Stalls => {
  const counts = [...countsByBucket(before, after)].sort(([a], [b]) => a - b)
  const total = counts.at(-1)?.[1] ?? 0
  const longest = counts.find(([, count]) => count === total)?.[0] ?? 0
  const within20 = counts.find(([end]) => end === 0.02)?.[1] ?? 0
  return {
    longestStatementMs: Number.isFinite(longest) ? longest * 1000 : null,
    statementsOver20Ms: total - within20,
    statements: total,
    longestLoopMs: (after.get('nodejs_eventloop_lag_max_seconds') ?? 0) * 1000,
    stallsOver50Ms: (after.get(stalls) ?? 0) - (before.get(stalls) ?? 0),
  }
}
