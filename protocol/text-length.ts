/** Characters of all texts in a value, names of properties left out: about what it takes in memory or as JSON. Pure. */
export const textLength = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let length = 0
  for (const item of Object.values(value)) length += textLength(item)
  return length
}
