import type { OtherTargets } from './evidence.ts'

/** How the hosts of this agent's checks have answered, as far as one failure among them says something of the others. */
export type RecentTargets = {
  passed(host: string): void
  /** Nobody answered; whose doing that was is not known yet. */
  silent(host: string): void
  /** It was the host's. */
  isDown(host: string): void
  /** Those beside it. Only what answered after `since` counts: the network may have gone meanwhile. */
  others(host: string, since: number): OtherTargets
}

/** What happened within so many milliseconds happened at once. */
const atOnceMs = 2000
const maxHosts = 10_000

type Instants = Map<string, number>

export const createRecentTargets = (clock: { monotonic(): number }): RecentTargets => {
  // The oldest first.
  const passing: Instants = new Map()
  const failing: Instants = new Map()
  const down: Instants = new Map()
  const note = (instants: Instants, host: string): void => {
    instants.delete(host)
    instants.set(host, clock.monotonic())
    for (const [oldest] of instants) {
      if (instants.size <= maxHosts) break
      instants.delete(oldest)
    }
  }
  const forget = (instants: Instants): void => {
    for (const [host, at] of instants) {
      if (at >= clock.monotonic() - atOnceMs) break
      instants.delete(host)
    }
  }
  const count = (instants: Instants, host: string, since: number): number => {
    forget(instants)
    let found = 0
    for (const [other, at] of instants) if (other !== host && at >= since) found += 1
    return found
  }
  return {
    passed: (host) => {
      down.delete(host)
      failing.delete(host)
      forget(passing)
      note(passing, host)
    },
    silent: (host) => {
      passing.delete(host)
      forget(failing)
      // A target that has been down for long says nothing about the network now.
      if (!down.has(host)) note(failing, host)
    },
    isDown: (host) => note(down, host),
    others: (host, since) => ({
      passing: count(passing, host, since),
      failing: count(failing, host, Number.NEGATIVE_INFINITY),
    }),
  }
}
