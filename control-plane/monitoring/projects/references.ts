/** What resources of a project say of each other: by logical ids in its files, by physical ids here. Pure. */
import type { Violation } from '../../../protocol/validate.ts'
import { violation } from '../../platform/words/errors.ts'
import {
  linkTypes,
  type ResourceType,
  type ResourceTypeName,
  resourceTypes,
  typeOfReference,
} from './resource-types.ts'
import type { ProjectResource } from './schema.ts'

/** The physical id of a resource, as its API has it; undefined: there is none. */
export type Resolve = (type: ResourceTypeName, logicalId: string) => string | number | undefined

type Values = Record<string, unknown>
type Resolved = { payload: Values; problems: Violation[] }

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const refOf = (value: unknown): string | null =>
  isObject(value) && typeof value['ref'] === 'string' && Object.keys(value).length === 1 ? value['ref'] : null

/** A payload with physical ids; items of lists become objects with an `id`, as the API takes them. */
export const resolveReferences = (payload: unknown, resolve: Resolve): Resolved => {
  const problems: Violation[] = []
  const idOf = (field: string, path: string, ref: string): string | number | undefined => {
    const type = typeOfReference[field]
    const id = type === undefined ? undefined : resolve(type, ref)
    if (id === undefined)
      problems.push(violation(path, 'exists', `names no ${type ?? 'resource'} of the project: ${ref}`))
    return id
  }
  const walk = (value: unknown, { field, path }: { field: string; path: string }): unknown => {
    const ref = refOf(value)
    if (ref !== null) return idOf(field, path, ref)
    if (Array.isArray(value))
      return value.map((item, at) => {
        const itemRef = refOf(item)
        if (itemRef !== null) return { id: idOf(field, `${path}.${at}`, itemRef) }
        return walk(item, { field, path: `${path}.${at}` })
      })
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        walk(inner, { field: name, path: path === '' ? name : `${path}.${name}` }),
      ]),
    )
  }
  const walked = walk(payload, { field: '', path: '' })
  return { payload: isObject(walked) ? walked : {}, problems }
}

/** What links a check or group to channels and locations, found by the logical id of either. */
export type Links = ReadonlyMap<string, ProjectResource[]>

const links = new Set<string>(linkTypes)
export const isLink = ({ type }: ProjectResource): boolean => links.has(type)

/** Of those that name one of their own type. */
export const isInsideAnother = ({ type, payload }: ProjectResource): boolean => {
  const { inside }: ResourceType = resourceTypes[type as ResourceTypeName]
  return inside !== undefined && isObject(payload) && refOf(payload[inside]) !== null
}

export const linksOf = (resources: readonly ProjectResource[]): Links =>
  Map.groupBy(resources.filter(isLink), ({ payload }) => {
    const { checkId, groupId } = isObject(payload) ? payload : {}
    return refOf(checkId) === null ? `check-group ${refOf(groupId)}` : `check ${refOf(checkId)}`
  })

/** With `alertChannelSubscriptions` and `privateLocations` of what links it. */
export const withLinks = (
  payload: Values,
  linked: readonly ProjectResource[],
  slugOf: (privateLocationId: unknown) => string | undefined,
  resolve: Resolve,
): Resolved => {
  const problems: Violation[] = []
  const subscriptions: Array<{ alertChannelId: unknown; activated: unknown }> = []
  const slugs: string[] = []
  for (const { type, payload: link } of linked) {
    const resolved = resolveReferences(link, (of, ref) =>
      of === 'check' || of === 'check-group' ? 1 : resolve(of, ref),
    )
    problems.push(...resolved.problems)
    const { alertChannelId, activated = true, privateLocationId } = resolved.payload
    if (type === 'alert-channel-subscription') subscriptions.push({ alertChannelId, activated })
    else {
      const slug = slugOf(privateLocationId)
      if (slug !== undefined) slugs.push(slug)
    }
  }
  return {
    payload: {
      ...payload,
      alertChannelSubscriptions: [...listIn(payload['alertChannelSubscriptions']), ...subscriptions],
      privateLocations: [...listIn(payload['privateLocations']), ...slugs],
    },
    problems,
  }
}

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
