import type { Clock } from '../../../../protocol/clock.ts'
import type { PeerAddress } from '../../connect/lookup.ts'
import type { Trace } from './traceroute.ts'

/** A trace, perhaps of a little while ago; or why there is none, for people. */
export type TraceResult = { trace: Trace } | { reason: string }

/** Rejects when this machine is at fault. Ends within `traceBudgetMs`, and at once when others have used up the room. */
export type Tracer = (target: PeerAddress) => Promise<TraceResult>

/** What the result of a failed check waits for at most. */
export const traceBudgetMs = 3000
const atOnce = 2
const waitersPerTrace = 20
const freshForMs = 60_000
const maxCached = 1000

type Entry = { trace: Promise<Trace>; waiters: number; endedAt: number | null }

/**
 * Bounds what failures can cost: at most two traces at once, one a minute for each target, which all its failures share.
 * Those that find no room go without; nobody queues, since a result must not be late for it.
 */
export const createTracer = (trace: (target: PeerAddress) => Promise<Trace>, clock: Clock): Tracer => {
  const known = new Map<string, Entry>()
  let running = 0

  const forgetOld = (): void => {
    const now = clock.monotonic()
    for (const [key, { endedAt }] of known)
      if (endedAt !== null && (now - endedAt > freshForMs || known.size > maxCached)) known.delete(key)
  }

  const begin = (key: string, target: PeerAddress): Entry => {
    running += 1
    const entry: Entry = { trace: trace(target), waiters: 0, endedAt: null }
    known.set(key, entry)
    const ended = (): void => {
      running -= 1
      entry.endedAt = clock.monotonic()
    }
    entry.trace.then(ended, () => {
      ended()
      known.delete(key)
    })
    return entry
  }

  return async (target) => {
    forgetOld()
    const key = `${target.address} ${target.port}`
    const existing = known.get(key)
    if (existing === undefined && running >= atOnce)
      return { reason: `${atOnce} of other targets were under way` }
    const entry = existing ?? begin(key, target)
    if (entry.endedAt === null && entry.waiters >= waitersPerTrace)
      return { reason: `it was under way for ${waitersPerTrace} other failures of this target` }
    entry.waiters += 1
    return { trace: await entry.trace }
  }
}
