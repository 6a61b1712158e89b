/** What the API still calls by an older name is moved to its present one before a form shows it. Pure. */
import type { Schema } from './fields.ts'
import { type Tree, treeOf } from './read-body.ts'

const newName = ({ description = '' }: Schema): string | undefined =>
  /^Older name of `(\w+)`/.exec(description)?.[1]

/** Nobody is asked twice for the same. */
export const isOlderName = (schema: Schema): boolean => newName(schema) !== undefined

export const withPresentNames = ({ properties = {} }: Schema, value: Tree): Tree => {
  const named: Record<string, unknown> = { ...value }
  for (const [name, schema] of Object.entries(properties)) {
    const now = newName(schema)
    if (now !== undefined) named[now] ??= named[name]
    else if (schema.properties !== undefined && named[name] !== null && named[name] !== undefined)
      named[name] = withPresentNames(schema, treeOf(named[name]))
  }
  return named
}
