/** References become what the API names a resource by, once that is known. */
import { referenceIn } from '../files/read-files.ts'
import { isObject, type Json, type KindName, kinds } from '../kinds.ts'

/** By `kind.key`: the ids of what is there. */
export type Ids = ReadonlyMap<string, string>
/** By `kind.key`: what the files say. */
export type Bodies = ReadonlyMap<string, Json>

type Known = { ids: Ids; bodies: Bodies }

/** With `null` where the resource is still to be made. */
export const resolved = (value: unknown, known: Known): unknown => {
  if (Array.isArray(value)) return value.map((item) => resolved(item, known))
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolved(item, known)]))
  const reference = referenceIn(value)
  return reference === null ? value : referred(reference, known)
}

const referred = ({ kind, key }: { kind: KindName; key: string }, { ids, bodies }: Known): unknown => {
  const { refersBy } = kinds[kind]
  if (refersBy === 'slugName' || refersBy === 'key') return bodies.get(`${kind}.${key}`)?.[refersBy]
  const id = ids.get(`${kind}.${key}`)
  if (id === undefined) return null
  return refersBy === 'number' ? Number(id) : id
}

/** With values of the right kind in their places: what the rules of the control plane are asked about before anything is made. */
export const standIns = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(standIns)
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, standIns(item)]))
  const reference = referenceIn(value)
  if (reference === null) return value
  const { refersBy } = kinds[reference.kind]
  if (refersBy === 'number') return 1
  return refersBy === 'id' ? '00000000-0000-4000-8000-000000000000' : 'a'
}
