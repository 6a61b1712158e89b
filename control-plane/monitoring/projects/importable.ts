/** What of an account could become part of a project: all that no project has, as the API shows it. */
import type { App } from '../../platform/app/app.ts'
import type { AccountPrincipal } from '../../platform/web/http/route.ts'
import type { ApiCaller } from '../../platform/web/http/server/api-caller.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { ownedResources } from './import-queries.ts'
import type { ResourceTypeName } from './resource-types.ts'
import { type ImportFilter, maxResources, type PlannedResource } from './schema.ts'

type Values = Record<string, unknown>
type Asking = { app: App; api: ApiCaller; principal: AccountPrincipal }

/** Where each kind is listed, in pages by number or by a cursor, or as a whole. */
const lists: ReadonlyArray<{ type: ResourceTypeName; shape: string; pages: 'numbers' | 'cursor' | 'whole' }> =
  [
    { type: 'private-location', shape: '/v1/private-locations', pages: 'whole' },
    { type: 'status-page-service', shape: '/v1/status-pages/services', pages: 'cursor' },
    { type: 'status-page', shape: '/v1/status-pages', pages: 'cursor' },
    { type: 'alert-channel', shape: '/v1/alert-channels', pages: 'numbers' },
    { type: 'check-group', shape: '/v1/check-groups', pages: 'numbers' },
    { type: 'check', shape: '/v1/checks', pages: 'numbers' },
    { type: 'maintenance-window', shape: '/v1/maintenance-windows', pages: 'numbers' },
  ]
const pageSize = 100

const readAll = async (
  { app, api, principal }: Asking,
  { shape, pages }: (typeof lists)[number],
): Promise<Values[]> => {
  const found: Values[] = []
  let cursor: unknown = null
  for (let page = 1; ; page++) {
    const query = {
      whole: '',
      numbers: `limit=${pageSize}&page=${page}`,
      cursor: `limit=${pageSize}${cursor === null ? '' : `&nextId=${encodeURIComponent(String(cursor))}`}`,
    }[pages]
    const answer = await api.call({ app, principal }, { method: 'GET', shape, query })
    const { entries, nextId = null } = Array.isArray(answer)
      ? { entries: answer }
      : (answer as { entries: Values[]; nextId?: unknown })
    found.push(...(entries as Values[]))
    if (found.length > maxResources) return found
    cursor = nextId
    if (pages === 'whole' || (pages === 'numbers' ? entries.length < pageSize : cursor === null)) return found
  }
}

/** The last filter that says something of it counts. */
const isWanted = (filters: readonly ImportFilter[], type: string, id: string): boolean => {
  const last = filters.findLast(
    ({ resource }) =>
      resource === undefined ||
      (resource.type === type && (resource.physicalId === undefined || String(resource.physicalId) === id)),
  )
  return last?.type === 'include'
}

const logicalIdOf = (shown: Values, id: string): string => {
  const config = (shown['config'] ?? {}) as Values
  const name = String(shown['name'] ?? config['name'] ?? config['address'] ?? shown['type'] ?? '')
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80)
  return [slug, id.slice(-12)].filter((part) => part !== '').join('-')
}

type Found = { resource: PlannedResource; shown: Values }

const readOne = async (asking: Asking, type: ResourceTypeName, shown: Values): Promise<Found> => {
  const id = String(shown['id'])
  const whole =
    type === 'check'
      ? ((await asking.api.call(asking, {
          ...{ method: 'GET', shape: '/v1/checks/:', ids: [id] },
          query: 'includeDependencies=true',
        })) as Values)
      : type === 'check-group'
        ? // What it leaves to its checks is null, which only this version takes.
          { ...shown, v: 2 }
        : shown
  const physicalId = typeof shown['id'] === 'number' ? shown['id'] : id
  return {
    resource: { type, logicalId: logicalIdOf(shown, id), physicalId, member: true, payload: whole },
    shown: whole,
  }
}

/** Of checks and groups what they subscribe to, and the private locations where they run. */
const linksOf = ({ resource, shown }: Found, locationIds: ReadonlyMap<string, string>): PlannedResource[] => {
  if (resource.type !== 'check' && resource.type !== 'check-group') return []
  const [subject, assignment] =
    resource.type === 'check'
      ? [{ checkId: resource.physicalId }, 'private-location-check-assignment']
      : [{ groupId: resource.physicalId }, 'private-location-group-assignment']
  const link = (type: string, of: string | number, payload: Values): PlannedResource => ({
    ...{ type, logicalId: `${type}#${resource.logicalId}#${of}`, physicalId: of, member: true },
    payload: { ...payload, ...subject },
  })
  const subscriptions = (shown['alertChannelSubscriptions'] ?? []) as Array<{ alertChannelId: number }>
  const slugs = (shown['privateLocations'] ?? []) as string[]
  return [
    ...subscriptions.map((one) => link('alert-channel-subscription', one.alertChannelId, one)),
    ...slugs.flatMap((slug) => {
      const privateLocationId = locationIds.get(slug)
      return privateLocationId === undefined
        ? []
        : [link(assignment as string, privateLocationId, { privateLocationId })]
    }),
  ]
}

/** @throws ApiError 404 where there is nothing, 413 where there is too much */
export const importable = async (
  asking: Asking,
  filters: readonly ImportFilter[],
): Promise<PlannedResource[]> => {
  const { app, principal } = asking
  const rows = await app.db.all(ownedResources, { accountId: principal.accountId })
  const owned = new Set(rows.map(({ type, physical_id }) => `${type} ${physical_id}`))
  const found: Found[] = []
  const locationIds = new Map<string, string>()
  for (const list of lists) {
    for (const shown of await readAll(asking, list)) {
      const id = String(shown['id'])
      if (list.type === 'private-location') locationIds.set(String(shown['slugName']), id)
      if (owned.has(`${list.type} ${id}`) || !isWanted(filters, list.type, id)) continue
      if (found.length >= maxResources)
        throw new ApiError(413, `A plan takes up at most ${maxResources} resources: say which with filters`)
      found.push(await readOne(asking, list.type, shown))
    }
  }
  if (found.length === 0) throw new ApiError(404, 'No importable resources were found')
  return found.flatMap((one) => [one.resource, ...linksOf(one, locationIds)])
}
