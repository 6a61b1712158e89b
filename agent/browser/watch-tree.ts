import { readdirSync, readFileSync } from 'node:fs'
import type { TimerClock } from '../../protocol/clock.ts'

/**
 * The most that a run's processes held together, and what they used of processors. Pages that several share count in each, unless
 * that were more than the run may hold.
 */
export type TreeUse = { peakBytes: number; cpuMs: number }

/** `members`: the processes, as of the last look. */
type TreeWatch = { stop(): TreeUse; members(): readonly string[] }

const lookEveryMs = 100
/** Process ids are used again: one that was of another program may be one of ours later. */
const forgetEvery = 50
/** A close look takes milliseconds for each process: one a second, or as soon as they hold much more. */
const closeLookEvery = 10
const muchMoreBytes = 256 * 1024 * 1024
const pageBytes = 4096
const ticksPerSecond = 100

type Member = { rssBytes: number; cpuTicks: number }

/**
 * Follows all members of a process group, which nothing in isolation can leave, and calls `onTooMuch`, if there is one, once they hold more than
 * `maxBytes` together. A browser's processes share much, so what their sizes add up to is only looked at closely when it is too much.
 */
export const watchTree = (
  { group, maxBytes, clock }: { group: number; maxBytes: number; clock: Pick<TimerClock, 'at'> },
  onTooMuch: (() => void) | null,
): TreeWatch => {
  const others = new Set<string>()
  const cpuTicks = new Map<string, number>()
  let peakBytes = 0
  let looks = 0
  let close = { look: 0, rssBytes: 0, bytes: 0 }
  const closeLook = (pids: readonly string[], rssBytes: number): number => {
    if (looks - close.look >= closeLookEvery || rssBytes > close.rssBytes + muchMoreBytes)
      close = { look: looks, rssBytes, bytes: ownBytes(pids) }
    return close.bytes
  }
  let members: readonly string[] = []
  let cancel = (): void => undefined
  const look = (): void => {
    looks += 1
    if (looks % forgetEvery === 0) others.clear()
    const pids: string[] = []
    let bytes = 0
    for (const pid of processes()) {
      if (others.has(pid)) continue
      const member = memberOf(pid, group)
      if (member === null) others.add(pid)
      else {
        pids.push(pid)
        bytes += member.rssBytes
        cpuTicks.set(pid, Math.max(member.cpuTicks, cpuTicks.get(pid) ?? 0))
      }
    }
    members = pids
    const held = bytes <= maxBytes ? bytes : closeLook(pids, bytes)
    peakBytes = Math.max(peakBytes, held)
    if (held > maxBytes && onTooMuch !== null) onTooMuch()
    else cancel = clock.at(lookEveryMs, look)
  }
  cancel = clock.at(0, look)
  return {
    members: () => members,
    stop: () => {
      cancel()
      const ticks = [...cpuTicks.values()].reduce((sum, one) => sum + one, 0)
      return { peakBytes, cpuMs: Math.round((ticks * 1000) / ticksPerSecond) }
    },
  }
}

const processes = (): string[] => {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    // Not Linux: nothing is known, and nothing is held.
    return []
  }
}

/** proc_pid_stat(5): what follows the name, which may hold anything, begins with the third field. */
const memberOf = (pid: string, group: number): Member | null => {
  const stat = read(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (Number(fields[2]) !== group) return null
  return { rssBytes: Number(fields[21]) * pageBytes, cpuTicks: Number(fields[11]) + Number(fields[12]) }
}

/** Shared pages count in parts (`smaps_rollup`); of a process that does not let us look, all of it. */
const ownBytes = (pids: readonly string[]): number =>
  pids.reduce((sum, pid) => {
    const pss = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1]
    const pages = Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0)
    return sum + (pss === undefined ? pages * pageBytes : Number(pss) * 1024)
  }, 0)

/** What has just ended has no files any more. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
