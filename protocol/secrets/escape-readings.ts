/** Characters behind backslashes, as programs and JSON write them. Pure. */
import { readEntity } from './entity-readings.ts'
import {
  add,
  addByte,
  addCodePoint,
  digitOf,
  hexPair,
  paired,
  type Readings,
  readNumber,
  wellFormed,
} from './readings.ts'

const [ampersand, backslash] = [38, 92]

/** As many as four: a text that was quoted was quoted again. */
export const maxBackslashes = 4
const controls = new Map(
  [...'nrtbfv'].map((letter, at) => [letter.charCodeAt(0), '\n\r\t\b\f\v'.charCodeAt(at)]),
)

export const readEscapes = (units: Uint16Array, end: number, at: number, into: Readings): void => {
  for (let position = at + 1; position < end && position <= at + maxBackslashes; position += 1) {
    readEscaped(units, end, position, into)
    if (units[position] !== backslash) return
  }
}

/** What a character means behind a backslash. */
const readEscaped = (units: Uint16Array, end: number, at: number, into: Readings): void => {
  const unit = units[at] as number
  const control = controls.get(unit)
  if (control !== undefined) add(into, control, at + 1)
  else if (unit === 117) readUnicode(units, end, at, into)
  else if (unit === 120) {
    const byte = hexPair(units, end, at + 1)
    if (byte !== -1) addByte(into, byte, at + 3)
  } else if (unit >= 48 && unit <= 55) readOctal(units, end, at, into)
  else if (isPunctuation(unit)) add(into, unit, at + 1)
  if (unit === ampersand) readEntity(units, end, at, into)
}

const isPunctuation = (unit: number): boolean =>
  unit > 32 && unit < 127 && !(unit >= 48 && unit <= 57) && !((unit | 32) >= 97 && (unit | 32) <= 122)

/** Up to three digits, or four of which the first is a zero. */
const readOctal = (units: Uint16Array, end: number, at: number, into: Readings): void => {
  const last = Math.min(end, at + (units[at] === 48 ? 4 : 3))
  let value = 0
  for (let position = at; position < last; position += 1) {
    const digit = digitOf(units[position] as number)
    if (digit > 7) return
    value = value * 8 + digit
    if (value < 256) addByte(into, value, position + 1)
  }
}

/** `at` is of the `u`. */
const readUnicode = (units: Uint16Array, end: number, at: number, into: Readings): void => {
  if (at + 1 < end && units[at + 1] === 123) {
    const { value, end: brace } = readNumber(units, { at: at + 2, end, base: 16, max: 8 })
    if (brace > at + 2 && brace < end && units[brace] === 125) addCodePoint(into, value, brace + 1)
    return
  }
  const high = unicodeUnit(units, end, at)
  if (high === -1) return
  let low = at + 5
  while (low < end && low < at + 5 + maxBackslashes && units[low] === backslash) low += 1
  const pair = high >= 0xd800 && high <= 0xdbff && low > at + 5 ? unicodeUnit(units, end, low) : -1
  if (pair >= 0xdc00 && pair <= 0xdfff) add(into, paired(high, pair), low + 5)
  else add(into, wellFormed(high), at + 5)
}

const unicodeUnit = (units: Uint16Array, end: number, at: number): number => {
  if (at + 5 > end || units[at] !== 117) return -1
  const read = readNumber(units, { at: at + 1, end, base: 16, max: 4 })
  return read.end === at + 5 ? read.value : -1
}
