/** Whether what is there is what a file wants, as far as a file can say it. Pure. */

type Values = Readonly<Record<string, unknown>>

/** What only answers have. */
const added = new Set([
  ...['id', 'created_at', 'updated_at', 'createdAt', 'updatedAt', 'accountId', 'translations'],
  ...['pingUrl', 'pingToken'],
])

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** Beside what is wanted there may be what the service adds, and fields without a value. */
export const isAsWanted = (wanted: unknown, there: unknown): boolean => {
  if (isNothing(wanted)) return isNothing(there)
  if (Array.isArray(wanted))
    return (
      Array.isArray(there) &&
      there.length === wanted.length &&
      wanted.every((item, at) => isAsWanted(item, there[at]))
    )
  if (!isObject(wanted)) return wanted === there
  if (!isObject(there)) return false
  // What is only named is the same whatever it is called by now.
  if (Object.keys(wanted).join() === 'id') return wanted['id'] === there['id']
  const names = new Set([...Object.keys(wanted), ...Object.keys(there)])
  return [...names].every(
    (name) => (!(name in wanted) && added.has(name)) || isAsWanted(wanted[name], there[name]),
  )
}
