/** Characters as HTML and XML name and number them. Pure. */
import { add, addCodePoint, digitOf, type Readings } from './readings.ts'

const ampersand = 38

const names = new Map([
  ['amp;', 38],
  ['lt;', 60],
  ['gt;', 62],
  ['quot;', 34],
  ['apos;', 39],
])

/** Its ampersand may itself be escaped, up to three times. */
export const readEntity = (units: Uint16Array, end: number, at: number, into: Readings): void => {
  let position = at + 1
  for (let times = 0; times <= 3; times += 1) {
    if (position < end && units[position] === 35) {
      readNumeric(units, end, position + 1, into)
      return
    }
    const name = nameAt(units, end, position)
    if (name === null) return
    position += name.length
    const code = names.get(name) as number
    add(into, code, position)
    if (code !== ampersand) return
  }
}

const nameAt = (units: Uint16Array, end: number, at: number): string | null => {
  for (const name of names.keys()) {
    let same = 0
    while (same < name.length && at + same < end && units[at + same] === name.charCodeAt(same)) same += 1
    if (same === name.length) return name
  }
  return null
}

/** `at` is behind the `#`. Without a semicolon nobody knows which digits are still of the number. */
const readNumeric = (units: Uint16Array, end: number, at: number, into: Readings): void => {
  const isHex = at < end && ((units[at] as number) | 32) === 120
  const base = isHex ? 16 : 10
  const from = isHex ? at + 1 : at
  let position = from
  let value = 0
  for (const last = Math.min(end, from + maxDigits); position < last; position += 1) {
    const digit = digitOf(units[position] as number)
    if (digit >= base) break
    value = value * base + digit
    if (value > 0) addCodePoint(into, value, position + 1)
  }
  if (position === from) return
  if (value === 0) add(into, 0, position)
  if (position < end && units[position] === 59) addCodePoint(into, value, position + 1)
}

/** With leading zeros. */
const maxDigits = 10
