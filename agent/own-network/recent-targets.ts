import { isIP } from 'node:net'
import { nameOfQuery } from '../dns/question.ts'
import type { OtherTargets } from './evidence.ts'

/** How the hosts of this agent's checks have answered, as far as one failure among them says something of the others. */
export type RecentTargets = {
  passed(host: string): void
  /** Nobody answered; whose doing that was is not known yet. */
  silent(host: string): void
  /** It was the host's. */
  isDown(host: string): void
  /** Those beside it. Only what answered after `since` counts as passing: the network may have gone meanwhile. */
  others(host: string, since: number): OtherTargets
  /** Names among them: of the last that passed, and of the last that fell silent. */
  names(): string[]
}

/** What happened within so many milliseconds happened at once. */
const atOnceMs = 2000
/** In which most checks come again. */
const periodMs = 60_000
const maxHosts = 10_000

type Instants = Map<string, number>

export const createRecentTargets = (clock: { monotonic(): number }): RecentTargets => {
  // The oldest first.
  const passing: Instants = new Map()
  const lately: Instants = new Map()
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
  const forget = (instants: Instants, keepMs: number): void => {
    for (const [host, at] of instants) {
      if (at >= clock.monotonic() - keepMs) break
      instants.delete(host)
    }
  }
  const others = (instants: Instants, host: string): number => instants.size - (instants.has(host) ? 1 : 0)
  const passingSince = (host: string, since: number): number => {
    let found = 0
    for (const [other, at] of passing) if (other !== host && at >= since) found += 1
    return found
  }
  const reached = lastNames(3)
  const unreached = lastNames(1)
  return {
    passed: (host) => {
      down.delete(host)
      failing.delete(host)
      forget(passing, atOnceMs)
      note(passing, host)
      forget(lately, periodMs)
      note(lately, host)
      reached.note(host)
    },
    silent: (host) => {
      passing.delete(host)
      lately.delete(host)
      forget(failing, atOnceMs)
      unreached.note(host)
      // A target that has been down for long says nothing about the network now.
      if (!down.has(host)) note(failing, host)
    },
    isDown: (host) => note(down, host),
    others: (host, since) => {
      forget(passing, atOnceMs)
      forget(lately, periodMs)
      forget(failing, atOnceMs)
      return {
        passing: passingSince(host, since),
        failing: others(failing, host),
        lately: others(lately, host),
      }
    },
    names: () => [...reached.all(), ...unreached.all()],
  }
}

/** The last few different ones, of hosts that are no addresses. */
const lastNames = (max: number) => {
  const names = new Set<string>()
  return {
    note: (host: string): void => {
      const name = isIP(host) === 0 ? nameOfQuery(host) : null
      if (name === null || name === '') return
      names.delete(name)
      names.add(name)
      const [oldest] = names
      if (names.size > max && oldest !== undefined) names.delete(oldest)
    },
    all: (): string[] => [...names],
  }
}
