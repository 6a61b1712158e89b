/** The hours of a channel against a clock on the wall: each minute of weeks with and without a change of the clocks. */
import t from 'tap'
import {
  type ChannelHours,
  canWait,
  faultOfHours,
  opensAt,
} from '../../../../control-plane/alerting/alert-channels/channel-hours.ts'
import { fc } from '../../../support/fast-check.ts'

const days = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
const nights: ChannelHours = {
  timezone: 'Europe/Berlin',
  mode: 'quiet',
  waits: 'normal',
  times: [{ days: [...days], from: '22:00', to: '07:00' }],
}
const minuteMs = 60_000
const iso = (at: number): string => new Date(at).toISOString().slice(0, 16)
const opens = (hours: ChannelHours, now: string): string => iso(opensAt(hours, Date.parse(`${now}Z`)))

t.test('nights, weekends, and a day that a change of the clocks makes shorter', async (t) => {
  t.equal(opens(nights, '2026-01-05T12:00'), '2026-01-05T12:00', 'by day at once')
  t.equal(opens(nights, '2026-01-05T20:59'), '2026-01-05T20:59')
  t.equal(opens(nights, '2026-01-05T21:00'), '2026-01-06T06:00', 'over midnight')
  t.equal(opens(nights, '2026-03-28T21:00'), '2026-03-29T05:00', 'the night in which summer time begins')
  const office: ChannelHours = {
    ...nights,
    mode: 'working',
    times: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], from: '09:00', to: '17:00' }],
  }
  t.equal(opens(office, '2026-01-09T16:00'), '2026-01-12T08:00', 'from Friday evening to Monday')
  const skipped: ChannelHours = {
    ...nights,
    mode: 'working',
    times: [{ days: ['SU'], from: '02:15', to: '03:30' }],
  }
  t.equal(opens(skipped, '2026-03-29T00:00'), '2026-03-29T01:00', 'its first hour is skipped')
  const allGone: ChannelHours = { ...skipped, times: [{ days: ['SU'], from: '02:15', to: '02:45' }] }
  t.equal(opens(allGone, '2026-03-28T12:00'), '2026-04-05T00:15', 'the whole of it is skipped')
})

t.test('hours that never begin, and zones that there are not, are refused', async (t) => {
  t.equal(faultOfHours(nights), null)
  t.match(faultOfHours({ ...nights, timezone: 'Europe/Nowhere' }), { field: 'hours.timezone' })
  t.match(faultOfHours({ ...nights, times: [{ days: [...days], from: '00:00', to: '00:00' }] }), {
    field: 'hours.times',
  })
})

t.test('what waits', async (t) => {
  t.strictSame(
    (['LOW', 'NORMAL', 'CRITICAL'] as const).map((severity) => [
      canWait(nights, severity),
      canWait({ ...nights, waits: 'low' }, severity),
    ]),
    [
      [true, true],
      [true, false],
      [false, false],
    ],
  )
})

const two = (value: number): string => String(value).padStart(2, '0')
const time = fc
  .record({ hour: fc.nat(23), minute: fc.nat(59) })
  .map((at) => `${two(at.hour)}:${two(at.minute)}`)
const anyHours: fc.Arbitrary<ChannelHours> = fc.record({
  // Half an hour of summer time, none at all, a change at midnight, and a day that was left out altogether.
  timezone: fc.constantFrom(
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'Africa/Cairo',
  ),
  mode: fc.constantFrom('quiet', 'working'),
  waits: fc.constant('normal'),
  times: fc.array(fc.record({ days: fc.subarray([...days], { minLength: 1 }), from: time, to: time }), {
    minLength: 1,
    maxLength: 4,
  }),
})

/** What a clock on the wall shows, read by another library and without arithmetic over weeks. */
const wall = (zone: string) => {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  })
  return (at: number): { day: number; time: string } => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const names: readonly string[] = days
    const day = names.indexOf(parts['weekday']?.slice(0, 2).toUpperCase() ?? '')
    return { day, time: `${parts['hour']}:${parts['minute']}` }
  }
}

const isOpen = (
  { mode, times }: ChannelHours,
  { day, time: shown }: { day: number; time: string },
): boolean => {
  const today = days[day] as (typeof days)[number]
  const yesterday = days[(day + 6) % 7] as (typeof days)[number]
  const within = times.some(({ days: on, from, to }) =>
    from < to
      ? on.includes(today) && from <= shown && shown < to
      : (on.includes(today) && from <= shown) || (on.includes(yesterday) && shown < to),
  )
  return mode === 'working' ? within : !within
}

/** A few days around changes of the clocks of 2026 in these zones. */
const starts = [
  '2026-03-07',
  '2026-03-28',
  '2026-04-04',
  '2026-04-23',
  '2026-07-01',
  '2026-10-24',
  '2026-10-29',
]

t.test('each minute of the days around changes of the clocks', async () => {
  fc.assert(
    fc.property(anyHours, fc.constantFrom(...starts), (hours, start) => {
      if (faultOfHours(hours) !== null) return
      const shownAt = wall(hours.timezone)
      const from = Date.parse(`${start}T00:00:00Z`)
      let next = from
      for (let at = from; at < from + 3 * 86_400_000; at += minuteMs) {
        const open = isOpen(hours, shownAt(at))
        if (open) {
          if (next > at) throw new Error(`${iso(at)} is open, and was said to be quiet until ${iso(next)}`)
          if (at % (15 * minuteMs) === 0 && opensAt(hours, at) !== at) throw new Error(`${iso(at)} is open`)
          continue
        }
        if (next <= at) next = opensAt(hours, at)
        if (next <= at) throw new Error(`${iso(at)} is quiet`)
      }
      if (next > from && !isOpen(hours, shownAt(next))) throw new Error(`${iso(next)} was to be open`)
    }),
    { numRuns: 15 },
  )
})
