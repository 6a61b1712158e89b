/** Reads variables of an environment one by one. What is wrong with one is told in `problems`, and never thrown. */
export type Environment = Readonly<Record<string, string | undefined>>

/** `readText` reads a file that a variable names, and throws if it cannot. */
export type VariableSource = { env: Environment; readText(path: string): string; problems: string[] }

/** The variable without blanks around it. One that is empty counts as unset, which is null. */
export const textOf = ({ env }: VariableSource, name: string): string | null => env[name]?.trim() || null

type Parser<T> = {
  /** For a variable that is unset or wrong. */
  fallback: T
  /** The value, or what is wrong with it: a text that begins with `must `. */
  parse(value: string): T | string
}

/** The variable as its parser understands it. */
export const parsed = <T>(source: VariableSource, name: string, { fallback, parse }: Parser<T>): T => {
  const value = textOf(source, name)
  if (value === null) return fallback
  const result = parse(value)
  if (typeof result !== 'string' || !result.startsWith('must ')) return result as T
  source.problems.push(`${name} ${result}`)
  return fallback
}

/** A whole number, both ends of the range included. */
export const integer = (
  source: VariableSource,
  name: string,
  { fallback, range: [min, max] }: { fallback: number; range: [number, number] },
): number =>
  parsed<number>(source, name, {
    fallback,
    parse: (value) => {
      const number = Number(value)
      const valid = /^\d+$/.test(value) && number >= min && number <= max
      return valid ? number : `must be a whole number from ${min} to ${max}, not "${value}"`
    },
  })

/** An amount that is not negative; null where the variable is unset or wrong. */
export const decimal = (source: VariableSource, name: string): number | null =>
  parsed<number | null>(source, name, {
    fallback: null,
    parse: (value) =>
      /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : 'must be a decimal number such as 2.50',
  })

/** `on` or `off`, in any case. */
export const onOrOff = (source: VariableSource, name: string, fallback: boolean): boolean =>
  parsed<boolean>(source, name, {
    fallback,
    parse: (value) => {
      const known: Record<string, boolean> = { on: true, off: false }
      return known[value.toLowerCase()] ?? 'must be on or off'
    },
  })

/** An http or https address as it is written; null where the variable is unset or wrong. */
export const httpUrl = (source: VariableSource, name: string): string | null =>
  parsed<string | null>(source, name, {
    fallback: null,
    parse: (value) => (isHttpUrl(value) ? value : 'must be an http or https URL'),
  })

const isHttpUrl = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '')

/** Items between commas or blanks. `kind`: what they have to be, in words. */
export const list = (
  source: VariableSource,
  name: string,
  { isValid, kind }: { isValid(item: string): boolean; kind: string },
): readonly string[] => {
  const items = (textOf(source, name) ?? '').split(/[\s,]+/).filter(Boolean)
  const wrong = items.filter((item) => !isValid(item))
  if (wrong.length > 0)
    source.problems.push(`${name} must be a list of ${kind}; these are not: ${wrong.join(', ')}`)
  return Object.freeze(items.filter(isValid))
}

/** The text of the file that the variable names, and an empty one if it cannot be read; null where it names none. */
export const fileText = (source: VariableSource, name: string): string | null => {
  const path = textOf(source, name)
  if (path === null) return null
  try {
    return source.readText(path)
  } catch (error) {
    source.problems.push(
      `${name} names a file that cannot be read: ${error instanceof Error ? error.message : error}`,
    )
    return ''
  }
}
