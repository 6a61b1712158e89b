/** Helpers over texts and lists. Pure. */
type Options = { fn?: (context: unknown) => string; inverse?: (context: unknown) => string }

/** What a helper makes stays within what a template may put out at all. */
const maxLength = 100_000

const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

const isOptions = (value: unknown): boolean => typeof value === 'object' && value !== null && 'hash' in value

const tagValue = (tags: unknown, key: unknown, fallback: unknown): string => {
  const wanted = text(key)
  for (const tag of Array.isArray(tags) ? tags : []) {
    const [, name, value] = /^([^:=]*)[:=](.*)$/s.exec(text(tag)) ?? []
    if (name?.trim() === wanted) return value?.trim() ?? ''
  }
  return isOptions(fallback) ? '' : text(fallback)
}

export const textHelpers: Record<string, (this: unknown, ...given: unknown[]) => unknown> = {
  /** The prefix comes first: `{{#if (startsWith "eu-" REGION)}}`. */
  startsWith(prefix, value, given) {
    const options = given as Options
    const holds = text(value).startsWith(text(prefix))
    if (typeof options.fn !== 'function') return holds
    return holds ? options.fn(this) : (options.inverse?.(this) ?? '')
  },
  replace: (value, from, to) => {
    const found = text(from)
    if (found === '') return text(value)
    const parts = text(value).split(found)
    const by = isOptions(to) ? '' : text(to)
    if (text(value).length + parts.length * by.length > maxLength)
      throw new Error(`"replace" makes more than ${maxLength} characters`)
    return parts.join(by)
  },
  split: (value, separator) => text(value).split(isOptions(separator) ? ',' : text(separator)),
  default: (...given) =>
    given.slice(0, -1).find((value) => value !== undefined && value !== null && value !== ''),
  tagValue,
}

/** What a template shows of a value. */
export const toText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(toText).join(',')
  if (typeof value === 'object') return JSON.stringify(value) ?? ''
  return String(value)
}
