/** A line of a file of comma-separated values (RFC 4180). Pure. */

export const csvLine = (values: readonly unknown[]): string =>
  `${values.map((value) => cell(value)).join(',')}\r\n`

/** Spreadsheets take what begins like a formula for one. */
const cell = (value: unknown): string => {
  const text = Array.isArray(value)
    ? value.join(' ')
    : value === null || value === undefined
      ? ''
      : String(value)
  return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
}
