/**
 * Knows for how long the event loop of this process has stood: a timer that should have fired fires late. Work that does not
 * give way, a process that was stopped or had no processor, and a machine that was asleep look the same. Ticks only while
 * somebody watches.
 */
import type { TimerClock } from './clock.ts'

export type LoopWatch = {
  /** Begins to watch; the returned function ends it, and says for how many milliseconds the loop has stood meanwhile. */
  begin(): () => number
  /** `tell` is called for each stall, with its milliseconds. */
  onStall(tell: (stallMs: number) => void): void
}

export const tickMs = 20
/** A tick that is less late is ordinary work. */
export const shortestStallMs = 50
/** Only a clock that goes on while its machine sleeps gets ahead by so much. */
const shortestSleepMs = 1000

type WatchClock = Pick<TimerClock, 'now' | 'monotonic' | 'at'>

type WatchState = {
  clock: WatchClock
  watching: number
  ticking: boolean
  /** When the next tick should be, on the monotonic clock. */
  dueAt: number
  /** By how much the machine's clock is ahead of the monotonic one, which stands while a machine is asleep. */
  ahead: number
  /** All stalls until now. */
  stoodMs: number
  tells: ((stallMs: number) => void)[]
}

export const createLoopWatch = (clock: WatchClock): LoopWatch => {
  const state: WatchState = {
    clock,
    watching: 0,
    ticking: false,
    dueAt: 0,
    ahead: 0,
    stoodMs: 0,
    tells: [],
  }
  return { begin: () => begin(state), onStall: (tell) => state.tells.push(tell) }
}

const begin = (state: WatchState): (() => number) => {
  state.watching += 1
  if (!state.ticking) arm(state)
  // A stall that is under way has its part from before this moment.
  const before = state.stoodMs + lateMs(state)
  let stoodMs: number | null = null
  return () => {
    if (stoodMs !== null) return stoodMs
    state.watching -= 1
    // Whoever ends may be told so before the tick that is late by now.
    stoodMs = Math.max(0, Math.round(state.stoodMs + stallOf(state) - before))
    return stoodMs
  }
}

const arm = (state: WatchState): void => {
  const { clock } = state
  state.ticking = true
  state.dueAt = clock.monotonic() + tickMs
  state.ahead = clock.now() - clock.monotonic()
  clock.at(tickMs, () => tick(state))
}

const tick = (state: WatchState): void => {
  const stallMs = stallOf(state)
  state.stoodMs += stallMs
  state.ticking = false
  if (stallMs > 0) for (const tell of state.tells) tell(stallMs)
  if (state.watching > 0) arm(state)
}

/** A stall may have begun right after the tick before: it counts for the longest that it can have been. */
const stallOf = (state: WatchState): number => {
  const late = lateMs(state)
  return late < shortestStallMs ? 0 : late + tickMs
}

const lateMs = ({ clock, dueAt, ahead }: WatchState): number => {
  const asleepMs = clock.now() - clock.monotonic() - ahead
  return Math.max(0, clock.monotonic() - dueAt) + (asleepMs < shortestSleepMs ? 0 : asleepMs)
}
