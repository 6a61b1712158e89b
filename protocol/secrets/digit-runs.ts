/** Runs of base64 and hex in a text. Lines may be broken, and signs spelled as addresses, JSON and HTML do. Pure. */
import { readAt } from './character-readings.ts'
import { emptyCode, type Readings } from './readings.ts'

/** The digits of a run, in the order of the text, and where each begins and ends there. */
export type DigitRun = { digits: Uint8Array; starts: Int32Array; ends: Int32Array; count: number }

export type Alphabet = { bits: 4 | 6; digits: Uint8Array; alignments: number }

const none = 255

const alphabet = (bits: 4 | 6, alignments: number, texts: string[]): Alphabet => {
  const digits = new Uint8Array(256).fill(none)
  for (const text of texts)
    for (const [value, sign] of [...text].entries()) digits[sign.charCodeAt(0)] = value
  return { bits, digits, alignments }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const base64 = `${letters}${letters.toLowerCase()}0123456789`
/** That of RFC 4648 section 4 and that for addresses (section 5). */
export const base64Digits = alphabet(6, 4, [`${base64}+/`, `${base64}-_`])
export const hexDigits = alphabet(4, 2, ['0123456789abcdef', '0123456789ABCDEF'])

type RunSearch = {
  units: Uint16Array
  length: number
  alphabet: Alphabet
  /** Shorter runs hold nothing. */
  shortest: number
  readings: Readings
  /** Made when the first run is long enough. */
  run: DigitRun
}

/** Tells each run, which is there until the next one: those as they stand, and those with signs that are spelled. */
export const eachRun = (search: RunSearch, tell: () => void): void => {
  const { units, length, alphabet, shortest, run } = search
  let spelledUntil = 0
  for (let at = 0; at < length; at += 1) {
    if (!isDigit(alphabet, units[at] as number)) continue
    const from = at
    let count = 0
    for (let end = at; end < length; end = gapEnd(units, length, at)) {
      if (end === at && count > 0) break
      at = end
      while (at < length && isDigit(alphabet, units[at] as number)) at += 1
      count += at - end
    }
    if (count >= shortest) {
      fill(search, { from, isSpelled: false })
      tell()
    }
    if (at < length && at >= spelledUntil && isSign(units[at] as number) && canGoOn(search, at)) {
      spelledUntil = fill(search, { from, isSpelled: true })
      if (run.count >= shortest) tell()
    }
  }
}

const isDigit = ({ digits }: Alphabet, unit: number): boolean => unit < 256 && digits[unit] !== none

/** Those that spellings of digits begin with. */
const isSign = (unit: number): boolean => unit === 37 || unit === 38 || unit === 92

const canGoOn = (search: RunSearch, at: number): boolean => {
  const { run } = search
  run.count = 0
  makeRoom(search)
  return spelledEnd(search, at) > at
}

const makeRoom = ({ units: { length }, run }: RunSearch): void => {
  if (run.digits.length >= length) return
  run.digits = new Uint8Array(length)
  run.starts = new Int32Array(length)
  run.ends = new Int32Array(length)
}

/** Reads the run that begins at `from`, and answers where it ends. */
const fill = (search: RunSearch, { from, isSpelled }: { from: number; isSpelled: boolean }): number => {
  const { units, length, alphabet, run } = search
  makeRoom(search)
  run.count = 0
  for (let at = from; at < length; ) {
    const unit = units[at] as number
    const digit = unit < 256 ? (alphabet.digits[unit] as number) : none
    if (digit !== none) {
      put(run, digit, at, at + 1)
      at += 1
      continue
    }
    const gap = gapEnd(units, length, at)
    const end = gap === at && isSpelled && isSign(unit) ? spelledEnd(search, at) : gap
    if (end === at) return at
    at = end
  }
  return length
}

const put = (run: DigitRun, digit: number, start: number, end: number): void => {
  run.digits[run.count] = digit
  run.starts[run.count] = start
  run.ends[run.count] = end
  run.count += 1
}

const isBreak = (unit: number): boolean => unit === 10 || unit === 13

/** Behind a break of the line with what indents the next one (padding may stand before it), or a zero of UTF-16. */
const gapEnd = (units: Uint16Array, length: number, at: number): number => {
  if (units[at] === 0) return at + 1
  let end = at
  while (end < length && end < at + 2 && units[end] === 61) end += 1
  if (end === length || !isBreak(units[end] as number)) return at
  while (end < length && (isBreak(units[end] as number) || units[end] === 32 || units[end] === 9)) end += 1
  return end
}

/** Behind a digit or a break of the line that is spelled; `at` if there is none. */
const spelledEnd = ({ units, length, alphabet, run, readings }: RunSearch, at: number): number => {
  readAt(units, length, at, readings)
  for (let one = 1; one < readings.count; one += 1) {
    const code = readings.codes[one] as number
    const end = readings.ends[one] as number
    if (code === emptyCode || isBreak(code) || code === 0) return end
    const digit = code < 128 ? (alphabet.digits[code] as number) : none
    if (digit === none) continue
    put(run, digit, at, end)
    return end
  }
  return at
}
