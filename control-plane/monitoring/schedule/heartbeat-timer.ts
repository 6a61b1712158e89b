/**
 * The timer of a heartbeat check. Nothing is expected before the first ping. Every ping, early or late, and
 * every alarm set the timer anew: the next ping is expected one period later, and the alarm is raised when its grace is
 * over. All times are epoch milliseconds. Pure.
 */
export type Timer = {
  periodMs: number
  graceMs: number
  state: TimerState
  lastPingAt: number | null
  expectedAt: number | null
  deadlineAt: number | null
}

export const timerStates = ['waiting', 'running', 'failing'] as const
export type TimerState = (typeof timerStates)[number]

export const eventStates = ['EARLY', 'RECEIVED', 'GRACE', 'LATE', 'FAILING'] as const
export type EventState = (typeof eventStates)[number]

const units = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const
const timeUnits = ['seconds', 'minutes', 'hours', 'days'] as const
export type TimeUnit = (typeof timeUnits)[number]

export const durationMs = (value: number, unit: TimeUnit): number => Math.round(value * units[unit])

/** How far from the expected moment a ping still counts as being on time. */
const toleranceMs = (periodMs: number): number => Math.min(maxToleranceMs, periodMs / 10)
export const maxToleranceMs = 5000

export const receivePing = (timer: Timer, now: number): { timer: Timer; event: EventState } => ({
  timer: { ...expectNext(timer, now), state: 'running', lastPingAt: now },
  event: eventOf(timer, now),
})

/** A ping after the alarm is on time again: there is nothing it could still be late for. */
const eventOf = ({ state, expectedAt, deadlineAt, periodMs }: Timer, now: number): EventState => {
  if (state !== 'running' || expectedAt === null || deadlineAt === null) return 'RECEIVED'
  if (now > deadlineAt) return 'LATE'
  if (now > expectedAt + toleranceMs(periodMs)) return 'GRACE'
  return now < expectedAt - toleranceMs(periodMs) ? 'EARLY' : 'RECEIVED'
}

/** No ping by the end of the grace. */
export const raiseAlarm = (timer: Timer, now: number): Timer => ({
  ...expectNext(timer, now),
  state: 'failing',
})

/**
 * Saved with another period or grace, or activated again: what was expected is expected anew. Only a ping ends an alarm.
 */
export const restartTimer = (timer: Timer, now: number): Timer =>
  timer.lastPingAt === null
    ? { ...timer, state: 'waiting', expectedAt: null, deadlineAt: null }
    : { ...expectNext(timer, now), state: timer.state === 'failing' ? 'failing' : 'running' }

export const stopTimer = (timer: Timer): Timer => ({ ...timer, expectedAt: null, deadlineAt: null })

/**
 * We were not there to be pinged over the deadline: the grace starts again, and is at least long enough for somebody who
 * tried in vain to try again.
 */
export const restartGraceMs = ({ graceMs, periodMs }: Pick<Timer, 'graceMs' | 'periodMs'>): number =>
  Math.max(graceMs, Math.min(periodMs, units.minutes))

const expectNext = (timer: Timer, now: number): Timer => ({
  ...timer,
  expectedAt: now + timer.periodMs,
  deadlineAt: now + timer.periodMs + timer.graceMs,
})
