/** What is read at a place of a text, and the small things that all spellings are made of. Pure. */

/** What may be read at a place, and where each reading ends. Made once and filled again. */
export type Readings = { codes: number[]; ends: number[]; count: number }

/** Of codes: a byte of its own, where the number alone would mean the character. */
export const byteCode = 0x400000
/** Of codes: nothing (a soft line break). */
export const emptyCode = -1

export const createReadings = (): Readings => ({ codes: [], ends: [], count: 0 })

export const add = (into: Readings, code: number, end: number): void => {
  into.codes[into.count] = code
  into.ends[into.count] = end
  into.count += 1
}

/** A byte: of UTF-8, or a character of Latin-1. */
export const addByte = (into: Readings, byte: number, end: number): void => {
  add(into, byte, end)
  if (byte >= 128) add(into, byteCode | byte, end)
}

export const addCodePoint = (into: Readings, value: number, end: number): void => {
  if (value <= 0x10ffff) add(into, wellFormed(value), end)
}

export const paired = (high: number, low: number): number =>
  0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)
export const wellFormed = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? 0xfffd : unit)

export const digitOf = (unit: number): number =>
  unit >= 48 && unit <= 57
    ? unit - 48
    : unit >= 65 && unit <= 70
      ? unit - 55
      : unit >= 97 && unit <= 102
        ? unit - 87
        : 99

/** A number of up to `most` digits at `at`, and where it ends; none if that is at `at`. */
export const readNumber = (
  units: Uint16Array,
  { at, end, base, max }: { at: number; end: number; base: number; max: number },
): { value: number; end: number } => {
  let value = 0
  let position = at
  for (const last = Math.min(end, at + max); position < last; position += 1) {
    const digit = digitOf(units[position] as number)
    if (digit >= base) break
    value = value * base + digit
  }
  return { value, end: position }
}

export const hexPair = (units: Uint16Array, end: number, at: number): number => {
  if (at + 2 > end) return -1
  const [high, low] = [digitOf(units[at] as number), digitOf(units[at + 1] as number)]
  return high > 15 || low > 15 ? -1 : high * 16 + low
}
