/** Processes that work for one check have less of a processor than the agent: whatever they do, other checks start in time. */
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { TimerClock } from '../../protocol/clock.ts'

/** A tenth of the weight of a process of ordinary priority (setpriority(2), sched(7)): for what is small and may be many. */
export const niceness = 10

/**
 * A third of it, in its session only. Browsers are few (JOB_CONCURRENCY) and have hundreds of milliseconds of work to start at
 * all: with a tenth among the sessions of a busy machine they did not start in half a minute.
 */
export const nicenessOfBrowsers = 5

export type Leader = { pid: number; isAlive(): boolean }

/**
 * Of a leader of a session, at its start: what it starts has it as well. Where the kernel shares processors among sessions
 * first (sched(7), "The autogroup feature"), a niceness counts inside a session only, so the session has one too.
 */
export const lowerPriority = (leader: Leader, clock: Pick<TimerClock, 'at'>): void => {
  if (setNiceness(leader.pid, niceness)) lowerSession(leader, clock, attempts)
}

/** False: it is gone already. */
export const setNiceness = (pid: number, value: number): boolean => {
  try {
    setPriority(pid, value)
    return true
  } catch (error) {
    if (!isGone(error)) throw error
    return false
  }
}

/** The kernel takes ten of these a second from those who may not administrate it. */
const attempts = 10
const betweenAttemptsMs = 150

const lowerSession = (leader: Leader, clock: Pick<TimerClock, 'at'>, left: number): void => {
  if (!leader.isAlive()) return
  try {
    writeFileSync(`/proc/${leader.pid}/autogroup`, String(niceness))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN' && left > 1)
      clock.at(betweenAttemptsMs, () => lowerSession(leader, clock, left - 1))
    // Without the file the kernel does not know sessions, or does not let us: the niceness is what there is.
  }
}

const isGone = (error: unknown): boolean => (error as { info?: { code?: string } }).info?.code === 'ESRCH'
