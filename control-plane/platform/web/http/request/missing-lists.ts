/**
 * A `PUT` that says the whole resource, which is one that has all that a creation needs, says its lists, too: many clients leave
 * empty lists out, and what was taken out of their files would stay for ever. Lists that are left out get their default then.
 * Any other body says what changes, and nothing else does.
 */
import type { TSchema } from 'typebox'

type Schema = {
  type?: string | string[]
  default?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Array<{ required?: string[] }>
}

type MissingLists = {
  /** What the body of a creation must have. */
  needed: readonly string[]
  /** And one of these, if there are any: names of one thing. */
  oneOf: readonly string[]
  /** With what each is where it is left out. */
  lists: ReadonlyArray<readonly [name: string, value: unknown]>
}

export const missingLists = (whole: TSchema): MissingLists => {
  const { properties = {}, required = [], anyOf = [] } = whole as Schema
  return {
    needed: required,
    oneOf: anyOf.flatMap((one) => one.required ?? []),
    lists: Object.entries(properties)
      .filter(([, { type }]) => type === 'array' || (Array.isArray(type) && type.includes('array')))
      .map(([name, { default: value = [] }]) => [name, value]),
  }
}

/** Changes the body. */
export const fillMissingLists = (body: unknown, { needed, oneOf, lists }: MissingLists): void => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return
  if (needed.length === 0 || !needed.every((name) => Object.hasOwn(body, name))) return
  if (oneOf.length > 0 && !oneOf.some((name) => Object.hasOwn(body, name))) return
  for (const [name, value] of lists)
    if (!Object.hasOwn(body, name)) Object.assign(body, { [name]: structuredClone(value) })
}

/** For OpenAPI. */
export const missingListsSentence = ({ needed, oneOf, lists }: MissingLists): string =>
  `A body with ${inWords([...needed, ...oneOf.slice(0, 1)])}${oneOf
    .slice(1)
    .map((name) => ` (or \`${name}\`)`)
    .join(
      '',
    )} is the whole resource: of ${inWords(lists.map(([name]) => name))}, what it leaves out is empty. ` +
  'Any other body, and that of `PATCH`, says what changes.'

const inWords = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')
