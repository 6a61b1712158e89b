import t from 'tap'
import { Temporal } from 'temporal-polyfill'
import {
  lastIndex,
  lastStartedBy,
  localDate,
  occurrenceAt,
  occurrenceOn,
  occurrencesBetween,
  type Recurrence,
  type RepeatUnit,
  startOfDate,
  timeZoneName,
} from '../../../../control-plane/communication/maintenance-windows/occurrences.ts'
import { fc } from '../../../support/fast-check.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const recurrence = (startsAt: string, more: Partial<Recurrence> = {}): Recurrence => ({
  startsAt: Date.parse(startsAt),
  endsAt: Date.parse(startsAt) + hourMs,
  timezone: 'UTC',
  repeatUnit: 'DAY',
  repeatInterval: 1,
  repeatEndsAt: null,
  ...more,
})

const starts = (of: Recurrence, count: number): string[] =>
  Array.from({ length: count }, (_, index) => occurrenceAt(of, index)).flatMap((found) =>
    found === undefined ? [] : [new Date(found.startsAt).toISOString().slice(0, 16)],
  )

t.test('a window that does not repeat happens once', async (t) => {
  const once = recurrence('2026-01-31T10:00:00Z', { repeatUnit: null, repeatInterval: null })
  t.strictSame(starts(once, 3), ['2026-01-31T10:00'])
  t.equal(lastStartedBy(once, once.startsAt - 1), -1)
  t.equal(lastStartedBy(once, once.startsAt + 400 * dayMs), 0)
})

t.test('every n units are counted from the first occurrence', async (t) => {
  t.strictSame(starts(recurrence('2026-01-31T10:00:00Z', { repeatInterval: 365 }), 2), [
    '2026-01-31T10:00',
    '2027-01-31T10:00',
  ])
  t.strictSame(starts(recurrence('2026-01-31T10:00:00Z', { repeatUnit: 'WEEK', repeatInterval: 2 }), 3), [
    '2026-01-31T10:00',
    '2026-02-14T10:00',
    '2026-02-28T10:00',
  ])
})

t.test('monthly on the 31st falls on the last day of shorter months', async (t) => {
  t.strictSame(starts(recurrence('2027-10-31T10:00:00Z', { repeatUnit: 'MONTH' }), 6), [
    '2027-10-31T10:00',
    '2027-11-30T10:00',
    '2027-12-31T10:00',
    '2028-01-31T10:00',
    '2028-02-29T10:00',
    '2028-03-31T10:00',
  ])
})

t.test('local time is kept when the clocks change', async (t) => {
  const newYork = recurrence('2026-03-07T05:30:00Z', { timezone: 'America/New_York' })
  t.strictSame(starts(newYork, 3), ['2026-03-07T05:30', '2026-03-08T05:30', '2026-03-09T04:30'])
})

t.test('a start in the skipped hour moves forward one hour, for that day only', async (t) => {
  const newYork = recurrence('2026-03-07T07:30:00Z', { timezone: 'America/New_York' })
  t.strictSame(
    starts(newYork, 3),
    ['2026-03-07T07:30', '2026-03-08T07:30', '2026-03-09T06:30'],
    '3:30 on the 8th',
  )
})

t.test('of a doubled hour the first one counts', async (t) => {
  const newYork = recurrence('2026-10-31T05:30:00Z', { timezone: 'America/New_York' })
  t.strictSame(starts(newYork, 3), ['2026-10-31T05:30', '2026-11-01T05:30', '2026-11-02T06:30'])
})

t.test('a change of half an hour moves a skipped start by half an hour', async (t) => {
  const lordHowe = recurrence('2026-10-02T15:45:00Z', { timezone: 'Australia/Lord_Howe' })
  t.strictSame(
    starts(lordHowe, 3),
    ['2026-10-02T15:45', '2026-10-03T15:45', '2026-10-04T15:15'],
    '2:15 local time',
  )
})

t.test('a date that a zone never had moves to the next', async (t) => {
  const apia = recurrence('2011-12-29T20:00:00Z', { timezone: 'Pacific/Apia' })
  t.strictSame(starts(apia, 3), ['2011-12-29T20:00', '2011-12-30T20:00', '2011-12-30T20:00'])
  t.equal(occurrenceOn(apia, '2011-12-30')?.startsAt, Date.parse('2011-12-30T20:00:00Z'))
})

t.test('every occurrence runs its full length, also over a change of the clocks', async (t) => {
  const newYork = recurrence('2026-03-07T05:30:00Z', { timezone: 'America/New_York' })
  t.strictSame(
    [0, 1, 2].map((index) => {
      const found = occurrenceAt({ ...newYork, endsAt: newYork.startsAt + 5 * hourMs }, index)
      return (found?.endsAt ?? 0) - (found?.startsAt ?? 0)
    }),
    [5 * hourMs, 5 * hourMs, 5 * hourMs],
  )
})

t.test('repeatEndsAt is the last calendar date in the zone that may have an occurrence', async (t) => {
  // 20:00 on the 1st in New York is the 2nd in UTC.
  const newYork = recurrence('2026-06-02T00:00:00Z', {
    timezone: 'America/New_York',
    repeatEndsAt: '2026-06-03',
  })
  t.strictSame(starts(newYork, 9), ['2026-06-02T00:00', '2026-06-03T00:00', '2026-06-04T00:00'])
  t.equal(lastIndex(newYork), 2)
  t.strictSame(occurrencesBetween(newYork, newYork.endsAt + 3 * dayMs, newYork.endsAt + 9 * dayMs), [])
})

t.test('IANA names are time zones, offsets and inventions are not', async (t) => {
  t.strictSame(
    [
      'europe/berlin',
      'UTC',
      'Asia/Kolkata',
      '+01:00',
      'Mars/Olympus',
      'Z',
      '2026-01-01[Europe/Berlin]',
      '',
    ].map(timeZoneName),
    ['Europe/Berlin', 'UTC', 'Asia/Kolkata', null, null, null, null, null],
  )
})

t.test('a date begins where the zone says so', async (t) => {
  t.equal(startOfDate('2026-06-01', 'America/New_York'), Date.parse('2026-06-01T04:00:00Z'))
  t.equal(
    startOfDate('2026-03-29', 'Asia/Beirut'),
    Date.parse('2026-03-28T22:00:00Z'),
    'there is no midnight',
  )
})

const zones = [
  'UTC',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'America/Santiago',
  'America/St_Johns',
]
const anyRecurrence = fc
  .record({
    startsAt: fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2035, 0, 1) }),
    lengthMs: fc.integer({ min: 1, max: 40 * dayMs }),
    timezone: fc.constantFrom(...zones),
    repeatUnit: fc.constantFrom<RepeatUnit>('DAY', 'WEEK', 'MONTH'),
    repeatInterval: fc.integer({ min: 1, max: 60 }),
    endsAfterDays: fc.option(fc.integer({ min: 0, max: 3000 })),
  })
  .map(({ lengthMs, endsAfterDays, ...rest }): Recurrence => {
    const endsAt = rest.startsAt + lengthMs
    const last = endsAfterDays === null ? null : rest.startsAt + endsAfterDays * dayMs
    return { ...rest, endsAt, repeatEndsAt: last === null ? null : localDate(last, rest.timezone) }
  })
const runs = { numRuns: 300, seed: 20_261_121 }

t.test('in any zone and year, occurrences keep their local time, their date and their order', async (t) => {
  fc.assert(
    fc.property(anyRecurrence, fc.integer({ min: 1, max: 400 }), (of, index) => {
      const found = occurrenceAt(of, index)
      if (found === undefined) return index > lastIndex(of)
      const first = Temporal.Instant.fromEpochMilliseconds(of.startsAt).toZonedDateTimeISO(of.timezone)
      const wanted = Temporal.PlainDate.from(found.date).toPlainDateTime(first.toPlainTime())
      const actual = Temporal.Instant.fromEpochMilliseconds(found.startsAt).toZonedDateTimeISO(of.timezone)
      const late = actual.toPlainDateTime().since(wanted).total('minutes')
      const previous = occurrenceAt(of, index - 1)
      return (
        // On time, or moved forward over a skipped hour (in Apia once over a skipped day).
        (late === 0 || (late > 0 && late <= 60) || (of.timezone === 'Pacific/Apia' && late === 24 * 60)) &&
        previous !== undefined &&
        previous.startsAt <= found.startsAt &&
        previous.date < found.date &&
        (of.repeatEndsAt === null || found.date <= of.repeatEndsAt) &&
        found.endsAt - found.startsAt === of.endsAt - of.startsAt &&
        occurrenceOn(of, found.date)?.index === index
      )
    }),
    runs,
  )
  t.pass()
})

t.test('monthly occurrences are on the first one’s day, or on the last of a month without it', async (t) => {
  fc.assert(
    fc.property(anyRecurrence, fc.integer({ min: 1, max: 200 }), (of, index) => {
      const monthly: Recurrence = { ...of, repeatUnit: 'MONTH', repeatEndsAt: null }
      const day = Temporal.PlainDate.from(localDate(of.startsAt, of.timezone)).day
      const date = Temporal.PlainDate.from(occurrenceAt(monthly, index)?.date ?? '')
      return date.day === Math.min(day, date.daysInMonth)
    }),
    runs,
  )
  t.pass()
})

t.test('looking up a time finds what counting from the first occurrence finds', async (t) => {
  fc.assert(
    fc.property(anyRecurrence, fc.integer({ min: -dayMs, max: 900 * dayMs }), (of, after) => {
      const time = of.startsAt + after
      let counted = -1
      const overlapping: number[] = []
      for (let index = 0; ; index++) {
        const occurrence = occurrenceAt(of, index)
        if (occurrence === undefined || occurrence.startsAt > time) break
        counted = index
        if (occurrence.endsAt > time) overlapping.push(index)
      }
      t.equal(lastStartedBy(of, time), counted)
      t.strictSame(
        occurrencesBetween(of, time, time + 1).map(({ index }) => index),
        overlapping,
      )
    }),
    { ...runs, numRuns: 120 },
  )
})
