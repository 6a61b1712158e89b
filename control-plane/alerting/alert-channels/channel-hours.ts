/**
 * When a channel is told of what can wait. Times of the week are local ones, so that a change of the clocks moves the hours with the people: a
 * minute is quiet if what a clock on the wall shows in it is. Pure.
 */

import { Temporal } from 'temporal-polyfill'
import { type Static, Type } from 'typebox'
import { timeZoneName } from '../../communication/maintenance-windows/occurrences.ts'
import type { Severity } from '../messages/alert-types.ts'

const closed = { additionalProperties: false }
const days = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
const LocalTime = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['18:00'] })

export const ChannelHours = Type.Object(
  {
    timezone: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'IANA name',
      examples: ['Europe/Berlin'],
    }),
    mode: Type.Enum(['quiet', 'working'], {
      description: 'Whether what can wait does so in these times, or outside of them',
    }),
    waits: Type.Enum(['low', 'normal'], {
      default: 'normal',
      description: 'What waits: what is low, or what is normal, too; what is critical never does',
    }),
    times: Type.Array(
      Type.Object(
        {
          days: Type.Array(Type.Enum([...days]), { minItems: 1, maxItems: 7, uniqueItems: true }),
          from: LocalTime,
          to: LocalTime,
        },
        { ...closed, title: 'ChannelTimes' },
      ),
      {
        minItems: 1,
        maxItems: 20,
        description: 'An end that is not after its beginning is on the next day',
      },
    ),
  },
  closed,
)
export type ChannelHours = Static<typeof ChannelHours>

const minuteMs = 60_000
const dayMinutes = 24 * 60
const weekMinutes = 7 * dayMinutes

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** Minutes of the local week, from Monday on, in which what can wait is told. */
const openMinutes = ({ mode, times }: ChannelHours): Uint8Array => {
  const isQuietMode = mode === 'quiet'
  const open = new Uint8Array(weekMinutes).fill(isQuietMode ? 1 : 0)
  for (const { days: on, from, to } of times) {
    const length = (minuteOf(to) - minuteOf(from) + dayMinutes) % dayMinutes || dayMinutes
    for (const day of on) {
      const first = days.indexOf(day) * dayMinutes + minuteOf(from)
      for (let at = first; at < first + length; at++) open[at % weekMinutes] = isQuietMode ? 0 : 1
    }
  }
  return open
}

/** What is wrong with hours that are well formed; null: nothing. */
export const faultOfHours = (hours: ChannelHours): { field: string; message: string } | null => {
  if (timeZoneName(hours.timezone) === null)
    return { field: 'hours.timezone', message: 'is not an IANA time zone' }
  return openMinutes(hours).includes(1)
    ? null
    : { field: 'hours.times', message: 'leaves no minute of the week in which what waits could be told' }
}

export const canWait = (hours: ChannelHours, severity: Severity): boolean =>
  severity === 'LOW' || (severity === 'NORMAL' && hours.waits === 'normal')

/** The first moment from `now` on in which what waits is told: `now`, or the beginning of a minute. */
export const opensAt = (hours: ChannelHours, now: number): number => {
  const open = openMinutes(hours)
  let at = now
  for (;;) {
    const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(hours.timezone)
    const offsetMs = local.offsetNanoseconds / 1e6
    const turn = local.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY
    const found = firstOpen(open, at + offsetMs)
    if (found - offsetMs < turn) return found - offsetMs
    at = turn
  }
}

/** In local time, as if no clock were ever changed. */
const firstOpen = (open: Uint8Array, localMs: number): number => {
  const minute = Math.floor(localMs / minuteMs)
  // The epoch began on a Thursday.
  const place = minute + 3 * dayMinutes
  for (let ahead = 0; ahead <= weekMinutes; ahead++)
    if (open[(place + ahead) % weekMinutes] === 1) return ahead === 0 ? localMs : (minute + ahead) * minuteMs
  throw new Error('Hours of a channel that never begin')
}
