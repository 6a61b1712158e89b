/** Numbers and instants as people read them. Pure. */
import { type Html, html } from './html.ts'

/** `0.42 ms`, `42 ms`, `1,204 ms`, `12.3 s` */
export const milliseconds = (ms: number): string => {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms < 10 ? Number(ms.toFixed(2)) : Math.round(ms).toLocaleString('en')} ms`
}

export const bytes = (count: number): string => {
  if (count < 1024) return `${count} bytes`
  return count < 1024 ** 2 ? `${(count / 1024).toFixed(1)} KB` : `${(count / 1024 ** 2).toFixed(1)} MB`
}

/** `14 Mar 2026, 02:13:45 UTC`: whoever reads it is anywhere. */
export const utc = (at: number): Html => {
  const [date = '', time = ''] = new Date(at).toISOString().split(/[T.]/)
  const [year, month = '1', day = '1'] = date.split('-')
  const name = monthNames[Number(month) - 1] ?? ''
  return html`<time datetime="${new Date(at).toISOString()}">${Number(day)} ${name} ${year ?? ''}, ${time} UTC</time>`
}

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** `12 minutes`, in the largest unit that there are two of, or the smallest. */
export const duration = (ms: number): string => {
  const [unit, length] = units.find(([, each]) => ms >= 2 * each) ?? ['second', 1000]
  const count = Math.max(0, Math.floor(ms / length))
  return `${count} ${count === 1 ? unit : `${unit}s`}`
}

/** Clocks of agents may be a little ahead. */
export const ago = (at: number, now: number): string =>
  now - at < 2000 ? 'just now' : `${duration(now - at)} ago`

/** `3 files`, `1 file` */
export const counted = (count: number, noun: string): string => `${count} ${count === 1 ? noun : `${noun}s`}`

/** Of a certificate. */
export const daysInWords = (days: number): string =>
  days < 0
    ? `expired ${counted(-days, 'day')} ago`
    : days === 0
      ? 'expires today'
      : `${counted(days, 'day')} left`
