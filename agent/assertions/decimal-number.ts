const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * A number as JSON and people write it, with an exponent if it has one and blanks around it, or null. `0xff`, `0b1`, `1_000`,
 * `12px` and nothing at all are texts.
 */
export const decimalNumber = (text: string): number | null => {
  const trimmed = text.trim()
  const number = decimal.test(trimmed) ? Number(trimmed) : Number.NaN
  return Number.isFinite(number) ? number : null
}
