/** Days and weeks of the year, in UTC. Pure. */
const dayMs = 86_400_000

export const dayOfYear = (date: Date): number => {
  const first = new Date(date)
  first.setUTCMonth(0, 1)
  first.setUTCHours(0, 0, 0, 0)
  return Math.floor((date.getTime() - first.getTime()) / dayMs) + 1
}

type Week = { year: number; week: number }

/** One day of a week decides which year the week belongs to: the day that is `decides` days after its first. */
const weekOf = (date: Date, { first, decides }: { first: number; decides: number }): Week => {
  const passed = (date.getUTCDay() - first + 7) % 7
  const deciding = new Date(date.getTime() + (decides - passed) * dayMs)
  return { year: deciding.getUTCFullYear(), week: Math.ceil(dayOfYear(deciding) / 7) }
}

/** ISO 8601: from Monday; week 1 has the year's first Thursday. */
export const isoWeek = (date: Date): Week => weekOf(date, { first: 1, decides: 3 })

/** As English calendars of Moment.js count: from Sunday; week 1 has the 1st of January. */
export const englishWeek = (date: Date): Week => weekOf(date, { first: 0, decides: 6 })
