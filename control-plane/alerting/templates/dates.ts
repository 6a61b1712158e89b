/** Dates in templates: when (a date, or words such as "2 days ago") and a format of day.js' tokens. All in UTC. Pure. */
import dayjs from 'dayjs'
import advancedFormat from 'dayjs/plugin/advancedFormat.js'
import utc from 'dayjs/plugin/utc.js'

dayjs.extend(utc)
dayjs.extend(advancedFormat)

const maxFormatLength = 200
const defaultFormat = 'YYYY-MM-DDTHH:mm:ss[Z]'

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'
const units = 'second|minute|hour|day|week|month|year'
const ago = new RegExp(`^(\\d{1,6}|an?) (${units})s? ago$`)
const ahead = new RegExp(`^in (\\d{1,6}|an?) (${units})s?$|^(\\d{1,6}|an?) (${units})s? from now$`)
const beside = new RegExp(`^(last|next) (${units})$`)

const amount = (text: string | undefined): number => (text?.startsWith('a') ? 1 : Number(text))

/** @throws Error when `when` is neither a date nor words that are known */
export const formatDate = ({ when, format, now }: { when: string; format: string; now: number }): string => {
  if (format.length > maxFormatLength)
    throw new Error(`A date format has at most ${maxFormatLength} characters`)
  return moment(when.trim(), now).format(format === '' ? defaultFormat : format)
}

const moment = (when: string, now: number): dayjs.Dayjs => {
  const base = dayjs.utc(now)
  const words = when.toLowerCase().replace(/\s+/g, ' ')
  if (words === '' || words === 'now' || words === 'today') return base
  if (words === 'yesterday') return base.subtract(1, 'day')
  if (words === 'tomorrow') return base.add(1, 'day')
  const past = ago.exec(words)
  if (past) return base.subtract(amount(past[1]), past[2] as Unit)
  const future = ahead.exec(words)
  if (future) return base.add(amount(future[1] ?? future[3]), (future[2] ?? future[4]) as Unit)
  const next = beside.exec(words)
  if (next) return base.add(next[1] === 'last' ? -1 : 1, next[2] as Unit)
  const date = dayjs.utc(
    /^\d{11,14}$/.test(when) ? Number(when) : /^\d{9,10}$/.test(when) ? Number(when) * 1000 : when,
  )
  if (!date.isValid()) throw new Error(`"${when.slice(0, 50)}" is not a date`)
  return date
}
