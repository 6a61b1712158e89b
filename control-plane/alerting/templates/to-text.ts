/** What a template shows of a value. */
export const toText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(toText).join(',')
  if (typeof value === 'object') return JSON.stringify(value) ?? ''
  return String(value)
}
