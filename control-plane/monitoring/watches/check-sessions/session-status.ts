/**
 * The status of a session from the states of its runs. Failing beats degraded; a run that
 * was cancelled or could not be run decides over both once all have ended. Pure.
 */
const finalStatuses = ['PASSED', 'FAILED', 'DEGRADED', 'TIMED_OUT', 'CANCELLED'] as const
const runningStatuses = ['STARTED', 'PROGRESS', 'PROGRESS_FAILED', 'PROGRESS_DEGRADED'] as const
export const sessionStatuses = [...runningStatuses, ...finalStatuses] as const
type SessionStatus = (typeof sessionStatuses)[number]

export type RunState = 'running' | 'passed' | 'degraded' | 'failed' | 'errored' | 'cancelled' | 'missed'

export const isFinal = (status: string): boolean => (finalStatuses as readonly string[]).includes(status)

/** A session whose first run has been claimed is in progress: whoever asks is told the same. */
export const shownStatus = (status: string, isClaimed: boolean): string =>
  status === 'STARTED' && isClaimed ? 'PROGRESS' : status

export const sessionStatus = (runs: readonly RunState[]): SessionStatus => {
  const has = (...states: RunState[]): boolean => runs.some((state) => states.includes(state))
  if (runs.every((state) => state === 'running')) return 'STARTED'
  if (has('running')) {
    if (has('failed', 'errored', 'missed')) return 'PROGRESS_FAILED'
    return has('degraded') ? 'PROGRESS_DEGRADED' : 'PROGRESS'
  }
  if (has('cancelled')) return 'CANCELLED'
  if (has('missed')) return 'TIMED_OUT'
  if (has('failed', 'errored')) return 'FAILED'
  return has('degraded') ? 'DEGRADED' : 'PASSED'
}

export const testStatuses = ['RUNNING', 'PASSED', 'FAILED', 'CANCELLED'] as const
type TestStatus = (typeof testStatuses)[number]

/** The status of a test from those of its sessions. A slow check has passed. */
export const testStatus = (sessions: readonly string[]): TestStatus => {
  if (!sessions.every(isFinal)) return 'RUNNING'
  if (sessions.some((status) => status === 'FAILED' || status === 'TIMED_OUT')) return 'FAILED'
  return sessions.includes('CANCELLED') ? 'CANCELLED' : 'PASSED'
}

/** Whoever waits for a session or a test to end listens to this name (app.wakeups). */
export const sessionWakeup = (sessionId: string): string => `session ${sessionId}`
