/** Dates as texts: ISO 8601 in all the forms that Moment.js reads, and as mails and people write them. Pure. */
const minuteMs = 60_000
const dayMs = 86_400_000

/** ECMA-262: the last instant that a Date can hold. */
const maxInstant = 8.64e15

export const validInstant = (instant: number): number | null =>
  Math.abs(instant) <= maxInstant ? instant : null

const year = '(?<year>\\d{4}|[+-]\\d{6})'
const dates = [
  `${year}(?:[-/](?<month>\\d{1,2})(?:[-/](?<day>\\d{1,2}))?)?`,
  `${year}(?<month>\\d{2})(?<day>\\d{2})?`,
  `${year}-?W(?<week>\\d{2})(?:-?(?<weekday>[1-7]))?`,
  `${year}-?(?<dayOfYear>\\d{3})`,
]
const time = '(?<hour>\\d{1,2})(?::?(?<minute>\\d{2})(?::?(?<second>\\d{2})(?:[.,](?<fraction>\\d{1,9}))?)?)?'
const zone = '(?<zone>z|(?<sign>[+-])(?<zoneHour>\\d{2})(?::?(?<zoneMinute>\\d{2}))?)'
const isoForms = dates.map((date) => new RegExp(`^${date}(?:(?:T|\\s+)${time}\\s*${zone}?)?$`, 'i'))

type Parts = Partial<Record<string, string>>

/** Epoch milliseconds; null when the text is no date. A date that names no zone is one in UTC. */
export const readDate = (text: string): number | null => {
  const trimmed = text.trim()
  if (trimmed.length > 100) return null
  const matches = isoForms.map((form) => form.exec(trimmed)).find((match) => match !== null)
  return matches ? isoInstant(matches.groups ?? {}) : readEnglish(trimmed)
}

const isoInstant = (parts: Parts): number | null => {
  const day = startOfDay(parts)
  const withinDay = timeOfDay(parts)
  if (day === null || withinDay === null) return null
  return validInstant(day + withinDay - zoneOffset(parts))
}

const startOfDay = ({ year: ofYear, month, day, week, weekday, dayOfYear }: Parts): number | null => {
  const start = (monthOfYear: number, dayOfMonth: number): number =>
    new Date(0).setUTCFullYear(Number(ofYear), monthOfYear - 1, dayOfMonth)
  if (week !== undefined) {
    // Week 1 has the 4th of January.
    const fourth = start(1, 4)
    const monday = fourth - ((new Date(fourth).getUTCDay() || 7) - 1) * dayMs
    const isWeek = Number(week) >= 1 && Number(week) <= 53
    return isWeek ? monday + ((Number(week) - 1) * 7 + Number(weekday ?? 1) - 1) * dayMs : null
  }
  const instant = start(Number(month ?? 1), Number(day ?? dayOfYear ?? 1))
  const date = new Date(instant)
  // The 31st of February and the 366th day of a common year are no dates.
  const exists =
    date.getUTCFullYear() === Number(ofYear) &&
    (dayOfYear === undefined
      ? date.getUTCMonth() + 1 === Number(month ?? 1) && date.getUTCDate() === Number(day ?? 1)
      : Number(dayOfYear) > 0)
  return exists ? instant : null
}

const timeOfDay = ({ hour = '0', minute = '0', second = '0', fraction = '' }: Parts): number | null => {
  if (Number(hour) > 24 || Number(minute) > 59 || Number(second) > 59) return null
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second)
  const ms = seconds * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
  return ms <= dayMs ? ms : null
}

const zoneOffset = ({ sign, zoneHour = '0', zoneMinute = '0' }: Parts): number =>
  (sign === '-' ? -1 : 1) * (Number(zoneHour) * 60 + Number(zoneMinute)) * minuteMs

const words =
  'jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sep(tember)?|oct(ober)?|nov(ember)?|dec(ember)?' +
  '|mon(day)?|tue(sday)?|wed(nesday)?|thu(rsday)?|fri(day)?|sat(urday)?|sun(day)?|am|pm|utc|gmt|z'
const english = new RegExp(`^(?:[\\d\\s,:/.+-]|(?<![a-z])(?:${words})(?![a-z]))+$`, 'i')
const namesZone = /(?<![a-z])(?:utc|gmt|z)(?![a-z])|:\d{2}\s*[+-]\d{2}:?\d{2}$/i

/** `Fri, 02 Jan 2026 03:04:05 +0000` (RFC 5322), `Jan 2, 2026 3:04 PM`, `1/2/2026`, and how JavaScript prints a date. */
const readEnglish = (text: string): number | null => {
  const bare = text.replace(/\s*\([^()]*\)$/, '')
  if (!english.test(bare) || !/(?<!\d)\d{4}(?!\d)/.test(bare)) return null
  // Without a zone it would be read in that of this machine.
  const instant = Date.parse(namesZone.test(bare) ? bare : `${bare} UTC`)
  return Number.isNaN(instant) ? null : instant
}
