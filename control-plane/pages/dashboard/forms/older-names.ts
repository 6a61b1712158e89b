/** What the API still calls by an older name, or by that of other services, is moved to its present one before a form shows it. Pure. */
import { presentName } from '../../../platform/words/shapes/ignored-names.ts'
import type { Schema } from './fields.ts'
import { type Tree, treeOf } from './read-body.ts'

/** Nobody is asked twice for the same. */
export const isOlderName = (schema: Schema): boolean => presentName(schema) !== undefined

export const withPresentNames = ({ properties = {} }: Schema, value: Tree): Tree => {
  const named: Record<string, unknown> = { ...value }
  for (const [name, schema] of Object.entries(properties)) {
    const now = presentName(schema)
    if (now !== undefined) named[now] ??= named[name]
    else if (schema.properties !== undefined && named[name] !== null && named[name] !== undefined)
      named[name] = withPresentNames(schema, treeOf(named[name]))
  }
  return named
}
