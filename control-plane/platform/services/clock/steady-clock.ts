/**
 * The control plane's time: it follows the machine's clock, but never goes back and never leaps, because due times,
 * leases, deadlines and reminders are all read off it.
 *
 * A clock that was set back is waited for: our time goes on from where it was, one hundredth slower, until the two meet.
 * A clock that was set forward, or a machine that was asleep, is noticed as `leapMs`: our time stays on its old course
 * until `catchUp`, so that whoever keeps promises by the clock can be prepared first. Steps forward of up
 * to `smallStepMs` are followed at once.
 */
export type SteadyClock = {
  /** Epoch milliseconds. */
  now(): number
  /** How far the machine's clock is ahead: 0 but after a leap. */
  leapMs(): number
  /** Follows the leap. */
  catchUp(): void
  /** How far the machine's clock is behind, in milliseconds. */
  behindMs(): number
  /** Our time has been here already: it goes on from there. */
  notBefore(instant: number): void
}

/** `wall`: the machine's clock in epoch milliseconds; `monotonic`: milliseconds that nobody can set. */
type Clocks = { wall(): number; monotonic(): number }

/** What synchronized clocks are corrected by, and what a busy process may notice late. */
const smallStepMs = 2000
const slowdown = 0.01

export const createSteadyClock = ({ wall, monotonic }: Clocks): SteadyClock => {
  let time = wall()
  let readAt = monotonic()
  let ahead = 0

  const read = (): void => {
    const at = monotonic()
    const passed = Math.max(0, at - readAt)
    readAt = at
    const target = wall()
    const onCourse = time + passed
    if (target >= onCourse) {
      ahead = target - onCourse > smallStepMs ? target - onCourse : 0
      time = ahead > 0 ? onCourse : target
      return
    }
    ahead = 0
    time = Math.max(target, onCourse - passed * slowdown)
  }

  return {
    now: () => {
      read()
      return Math.floor(time)
    },
    leapMs: () => {
      read()
      return Math.floor(ahead)
    },
    catchUp: () => {
      read()
      time += ahead
      ahead = 0
    },
    behindMs: () => {
      read()
      return Math.max(0, Math.floor(time - wall()))
    },
    notBefore: (instant) => {
      read()
      time = Math.max(time, instant)
    },
  }
}

/** What `clock.now` is read off in a running program, for those who steer it. */
export type HasSteadyClock = { steadyClock: SteadyClock }
