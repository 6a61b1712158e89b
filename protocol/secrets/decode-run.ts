/**
 * The bytes that a run of base64 or hex may stand for: nobody knows where in it a byte begins, so every alignment counts.
 * Pure.
 */
import type { Alphabet, DigitRun } from './digit-runs.ts'

/** Of a byte at either end of a run, only some bits may be known: a unit above 255 says how many, and which. */
const lowBits = 0x1000
const highBits = 0x2000

/** Which digits of the run a byte came from. `firstBit`: where the first byte begins, before the run if it is negative. */
type Decoded = { length: number; firstBit: number }

/** Decodes a run whose first digit is number `alignment` of its group. */
export const decodeRun = (
  run: DigitRun,
  { bits }: Alphabet,
  alignment: number,
  into: Uint16Array,
): Decoded => {
  const unknown = (alignment * bits) % 8
  let length = 0
  let held = 0
  let value = 0
  let at = 0
  let isWhole = unknown === 0
  held = unknown
  for (; at < run.count; at += 1) {
    value = ((value << bits) | (run.digits[at] as number)) & 0xffff
    held += bits
    if (held < 8) continue
    held -= 8
    const byte = (value >> held) & 0xff
    if (isWhole) into[length++] = byte
    else if (unknown <= 4) into[length++] = partial(lowBits, 8 - unknown, byte)
    isWhole = true
  }
  if (held >= 4 && isWhole) into[length++] = partial(highBits, held, value & ((1 << held) - 1))
  return { length, firstBit: unknown === 0 ? 0 : unknown <= 4 ? -unknown : 8 - unknown }
}

const partial = (kind: number, known: number, bits: number): number => kind | (known << 8) | (bits & 0xff)

/** Every byte that such a unit may be. */
export const possibleBytes = (unit: number, tell: (byte: number) => void): void => {
  const known = (unit >> 8) & 0xf
  const bits = unit & 0xff
  for (let rest = 0; rest < 1 << (8 - known); rest += 1)
    tell(unit >= highBits ? (bits << (8 - known)) | rest : (rest << known) | (bits & ((1 << known) - 1)))
}
