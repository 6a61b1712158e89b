import { longFormats, momentTokens } from './moment-tokens.ts'

const longestFirst = [...Object.keys(momentTokens), ...Object.keys(longFormats)]
  .toSorted((a, b) => b.length - a.length)
  .join('|')
const pieces = new RegExp(`\\[([^[]*)\\]|\\\\(${longestFirst}|[^\\\\]?)|${longestFirst}`, 'g')

/** Moment.js' own format of a time in UTC that was given none. */
const defaultFormat = 'YYYY-MM-DDTHH:mm:ss[Z]'

/**
 * The instant (epoch milliseconds) in a format of Moment.js, in UTC and English. What stands in `[brackets]` or behind a
 * backslash is kept, and so is what is no token.
 */
export const formatMoment = (instant: number, format: string): string => {
  const date = new Date(instant)
  const written = (text: string): string =>
    text.replace(pieces, (piece, bracketed: string | undefined, escaped: string | undefined) => {
      const kept = bracketed ?? escaped
      if (kept !== undefined) return kept
      const long = longFormats[piece]
      return long === undefined ? (momentTokens[piece]?.(date) ?? piece) : written(long)
    })
  return written(format === '' ? defaultFormat : format)
}
