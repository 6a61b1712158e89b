/**
 * Old and read-only names in a body, taken out before it is validated (platform/words/shapes/ignored-names.ts lists them): what
 * was read can be sent back, and older clients are understood. A name that the schema knows is never taken out, and one
 * that no list has stays in and is refused.
 */
import type { TSchema } from 'typebox'
import type { Violation } from '../../../../protocol/validate.ts'
import { violation } from '../errors.ts'

/**
 * `path` leads into objects, and with `[]` into the items of lists: `cards[].created_at`. `only`: not whatever its value
 * is, but only where it holds nothing, or where it says what the parameter of that name in the address says.
 */
export type IgnoredName = { readonly path: string; readonly only?: 'empty' | 'in the address' }

type Parameters = Readonly<Record<string, string>>

/** Changes the body, and lists what makes it wrong nevertheless. */
type Drop = (body: unknown, parameters: Parameters) => Violation[]

type Schema = {
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  items?: Schema
}

type Step = { name: string; isList: boolean }

export const dropIgnored = (names: readonly IgnoredName[], schema: TSchema): Drop => {
  const drops = ignoredIn(names, schema).map(({ path, only }) => ({ steps: stepsOf(path), only }))
  return (body, parameters) =>
    drops.flatMap(({ steps, only }) =>
      holdersOf(body, steps).flatMap(({ holder, path }) => {
        const name = steps.at(-1)?.name ?? ''
        if (!Object.hasOwn(holder, name)) return []
        const value = holder[name]
        if (only === 'empty' && !isEmpty(value)) return []
        delete holder[name]
        return only === 'in the address' && value !== parameters[name]
          ? [
              violation(
                [...path, name].join('.'),
                'constant',
                'must be that of the address: it cannot be changed',
              ),
            ]
          : []
      }),
    )
}

/** Those that are in no place that the schema knows, but beside fields of one that takes no others. */
export const ignoredIn = (names: readonly IgnoredName[], schema: TSchema): IgnoredName[] =>
  names.filter(({ path }) => {
    const steps = stepsOf(path)
    const last = steps.pop()
    const holder = steps.reduce(inner, schema as Schema | undefined)
    if (last === undefined || holder?.properties === undefined) return false
    return holder.additionalProperties === false && !Object.hasOwn(holder.properties, last.name)
  })

const inner = (schema: Schema | undefined, { name, isList }: Step): Schema | undefined => {
  const property = schema?.properties?.[name]
  return isList ? property?.items : property
}

const stepsOf = (path: string): Step[] =>
  path.split('.').map((step) => ({ name: step.replace('[]', ''), isList: step.endsWith('[]') }))

type Holder = { holder: Record<string, unknown>; path: string[] }

/** The objects in which the last step may be a name. */
const holdersOf = (value: unknown, steps: readonly Step[], path: string[] = []): Holder[] => {
  if (!isObject(value)) return []
  const [step, ...rest] = steps
  if (step === undefined || rest.length === 0) return [{ holder: value, path }]
  const next = Object.hasOwn(value, step.name) ? value[step.name] : undefined
  const here = [...path, step.name]
  if (!step.isList) return holdersOf(next, rest, here)
  return Array.isArray(next)
    ? next.flatMap((item, position) => holdersOf(item, rest, [...here, String(position)]))
    : []
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Nothing, or nothing but nothings: what a client sends for a structure that nobody filled in. */
const isEmpty = (value: unknown): boolean => {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty)
  return value === null || value === '' || value === 0 || value === false
}
