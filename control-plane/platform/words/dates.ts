/** The one way in which messages write instants and spans: whoever reads them is anywhere, and may search for them. Pure. */

// Months are written out because `Intl` changes its abbreviations.
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `14 Mar 2026, 02:13 UTC` */
export const instantInWords = (at: number): string => {
  const [date = '', time = ''] = new Date(at).toISOString().split('T')
  const [year, month = '1', day = '1'] = date.split('-')
  return `${Number(day)} ${monthNames[Number(month) - 1]} ${year}, ${time.slice(0, 5)} UTC`
}

/** The same in the words of a language: `14.03.2026, 02:13 UTC`. */
export const instantIn = (lang: string, at: number): string =>
  lang === 'en'
    ? instantInWords(at)
    : `${new Intl.DateTimeFormat(lang, {
        ...{ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' },
        ...{ timeZone: 'UTC', calendar: 'gregory' },
      }).format(at)} UTC`

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** In the largest unit that there are two of, or the smallest. */
export const spanOf = (ms: number): { count: number; unit: (typeof units)[number][0] } => {
  const [unit, length] = units.find(([, each]) => ms >= 2 * each) ?? ['second', 1000]
  return { count: Math.max(0, Math.floor(ms / length)), unit }
}

/** `12 minutes` */
export const durationInWords = (ms: number): string => {
  const { count, unit } = spanOf(ms)
  return `${count} ${count === 1 ? unit : `${unit}s`}`
}
