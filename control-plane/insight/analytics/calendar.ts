/**
 * Days, weeks (from Monday) and months of an IANA time zone as instants in epoch milliseconds. A day has 23 or 25 hours
 * where the clocks change. Pure.
 */
export type CalendarUnit = 'day' | 'week' | 'month'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Whether this system's ICU knows the zone. */
export const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

export type Calendar = {
  startOf(unit: CalendarUnit, instant: number): number
  /** `count` units after (or before) an instant that is itself the start of one. */
  move(unit: CalendarUnit, start: number, count: number): number
}

export const calendarOf = (zone: string): Calendar => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  /** What the clocks of the zone show, as if it were UTC. */
  const wall = (instant: number): number => {
    if (zone === 'UTC') return instant
    const parts = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    )
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second)
  }
  /** The first instant at which the clocks show at least `shown`: a midnight that is skipped is the end of the gap. */
  const instantOf = (shown: number): number => {
    if (zone === 'UTC') return shown
    const candidates = [shown - dayMs, shown + dayMs]
      .map((near) => shown - (wall(near) - Math.floor(near / 1000) * 1000))
      .sort((a, b) => a - b)
    return candidates.find((instant) => wall(instant) === shown) ?? candidates.at(-1) ?? shown
  }
  const truncate = (unit: CalendarUnit, shown: number): number => {
    const date = new Date(shown)
    if (unit === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
    const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
    return unit === 'day' ? midnight : midnight - ((date.getUTCDay() + 6) % 7) * dayMs
  }
  return {
    startOf: (unit, instant) => instantOf(truncate(unit, wall(instant))),
    move: (unit, start, count) => {
      const shown = truncate('day', wall(start))
      const date = new Date(shown)
      if (unit === 'month') return instantOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1))
      return instantOf(shown + count * (unit === 'week' ? 7 : 1) * dayMs)
    },
  }
}
