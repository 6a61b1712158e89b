/**
 * Who changed what: every request of an account that is no GET has an entry, by its route's declaration alone. Before and after are what the
 * route that reads the same thing answers to somebody of the weakest role, so that what readers never see, the log never has.
 */
import type { IncomingMessage } from 'node:http'
import type { App } from '../../../app/app.ts'
import type { HasAudit, OpenEntry, PartOf } from '../../audit/audit-scope.ts'
import { completeAuditEntry, nameOfKey, nameOfUser } from '../../audit/queries.ts'
import {
  readerOf,
  readerOfNew,
  readersOfNamed,
  resourceParameterOf,
  resourceTypeOf,
} from '../../audit/resource-of-route.ts'
import { nameIn, shownChange, withoutSecretFields } from '../../audit/shown-change.ts'
import { jsonValue } from '../request/json-text.ts'
import { type AccountPrincipal, type AnyInput, type Declaration, replyOf } from '../route.ts'
import type { Endpoint } from './endpoint.ts'

type Params = Record<string, string>
type Exchange = {
  endpoint: Endpoint
  principal: AccountPrincipal
  params: Params
  request: IncomingMessage
  address: string
}

type Outcome = {
  exchange: Exchange
  reader: Declaration | undefined
  made: unknown
  resourceId: string | null
}

type AuditRequest = <T>(exchange: Exchange, handle: () => Promise<T>) => Promise<T>

export const createAuditRequest = (app: App & HasAudit, endpoints: readonly Endpoint[]): AuditRequest => {
  const routes = endpoints.map(({ route }) => route)
  const byRoute = new Map(endpoints.map((endpoint) => [endpoint.route, endpoint]))
  const read = reading(app, byRoute)
  const documentAfter = async ({ exchange, reader, made, resourceId }: Outcome): Promise<unknown> => {
    const route = changed(exchange)
    if (route.method === 'DELETE') return null
    if (reader !== undefined) return read(reader, exchange, exchange.params)
    const ofNew = route.method === 'POST' ? readerOfNew(route, routes) : undefined
    const parameter = ofNew === undefined ? null : resourceParameterOf(ofNew)
    if (ofNew === undefined || parameter === null || resourceId === null) return withoutSecretFields(made)
    return read(ofNew, exchange, { ...exchange.params, [parameter]: resourceId })
  }
  /** Of what is not changed itself, but something that belongs to it. */
  const nameOfOwner = async (exchange: Exchange): Promise<string | null> => {
    for (const reader of readersOfNamed(changed(exchange), routes)) {
      const name = nameIn(await read(reader, exchange, paramsOf(reader, exchange)))
      if (name !== null) return name
    }
    return null
  }
  const endpointOf = ({ method, path }: PartOf): Endpoint => {
    const endpoint = endpoints.find(({ route }) => route.method === method && route.path === path)
    if (endpoint === undefined) throw new Error(`The API has no ${method} ${path}`)
    return endpoint
  }
  const audited: AuditRequest = async (exchange, handle) => {
    const route = changed(exchange)
    const reader = readerOf(route, routes)
    const before = reader === undefined ? null : await read(reader, exchange, exchange.params)
    const entry: OpenEntry = {
      row: await newRow(app, exchange),
      isWritten: false,
      isOver: false,
      part: (part, work) => audited({ ...exchange, endpoint: endpointOf(part), params: part.params }, work),
    }
    const answer = await app.audit.run(entry, handle).finally(() => {
      entry.isOver = true
    })
    if (!entry.isWritten) return answer
    const made = newDocument(entry.made ?? answer)
    const resourceId = entry.row.resource_id ?? idOf(made)
    const after = await documentAfter({ exchange, reader, made, resourceId })
    // In the scope of this entry, which is over: else it would count as a change of the request that this one is a part of.
    const resourceName =
      nameIn(after) ?? nameIn(before) ?? (await nameOfOwner(exchange)) ?? nameIn(withoutSecretFields(made))
    await app.audit.run(entry, () =>
      complete(app, entry, { resourceId, resourceName, ...shownChange({ before, after }) }),
    )
    return answer
  }
  return audited
}

/** A form of a page does what a route of the API does, and is named after it. */
const changed = ({ endpoint: { route } }: Exchange): Declaration => route.standsFor ?? route

const newRow = async (app: App, exchange: Exchange): Promise<OpenEntry['row']> => {
  const { principal, params, address } = exchange
  const route = changed(exchange)
  const { accountId, userId, keyId, sessionId } = principal
  const user = userId === null ? undefined : await app.db.get(nameOfUser, { userId })
  const key = user === undefined ? await app.db.get(nameOfKey, { keyId }) : undefined
  const parameter = resourceParameterOf(route)
  return {
    id: app.newId(),
    account_id: accountId,
    created_at: app.clock.now(),
    actor_kind: sessionId === undefined ? (userId === null ? 'SERVICE_KEY' : 'USER_KEY') : 'SESSION',
    actor_id: userId ?? keyId,
    actor_name: user?.email ?? key?.name ?? '',
    address,
    action: `${route.method} ${route.path}`,
    resource_type: resourceTypeOf(route),
    resource_id: parameter === null ? null : (params[parameter]?.slice(0, 200) ?? null),
    resource_name: null,
    before: null,
    after: null,
  }
}

/** Of all that the request names, what this route names. */
const paramsOf = ({ path }: Declaration, { params }: Exchange): Params =>
  Object.fromEntries(Object.entries(params).filter(([name]) => path.split('/').includes(`:${name}`)))

/** What cannot be read is not kept: the request goes on. */
const reading =
  (app: App, byRoute: ReadonlyMap<Declaration, Endpoint>) =>
  async (route: Declaration, { principal, request, address }: Exchange, params: Params): Promise<unknown> => {
    const endpoint = byRoute.get(route)
    if (endpoint === undefined || route.responseType !== undefined) return null
    try {
      const valid = endpoint.validate({ params: { ...params }, querystring: '', body: undefined })
      const reader = { ...principal, role: 'READ_ONLY' as const }
      const input = { ...valid, principal: reader, headers: request.headers, upload: request, address }
      // As input.ts: the validators have made it what the route's types say.
      const answer = await endpoint.handle({
        ...input,
        signal: AbortSignal.timeout(10_000),
      } as unknown as AnyInput)
      return jsonValue(endpoint.serialize(replyOf(answer).body, true))
    } catch (error) {
      app.log.debug({ err: error, route: route.path }, 'What is changed could not be read for the audit log')
      return null
    }
  }

const newDocument = (answer: unknown): unknown => {
  const body = replyOf(answer).body
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body) ? body : null
}

const idOf = (document: unknown): string | null => {
  const { id, key } = (document ?? {}) as { id?: unknown; key?: unknown }
  const named = id ?? key
  return typeof named === 'string' || typeof named === 'number' ? String(named).slice(0, 200) : null
}

const complete = async (
  app: App,
  { row }: OpenEntry,
  outcome: {
    resourceId: string | null
    resourceName: string | null
    before: string | null
    after: string | null
  },
): Promise<void> => {
  try {
    await app.db.run(completeAuditEntry, { id: row.id, ...outcome })
  } catch (error) {
    // The change and its entry are in the store: only what it said is missing.
    app.log.warn({ err: error }, 'An audit entry could not be completed')
  }
}
