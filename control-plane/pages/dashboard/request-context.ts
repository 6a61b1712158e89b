/** What the handler of a page of the dashboard is given, and the routes that such pages are. */

import { type TSchema, Type } from 'typebox'
import type { HasProviders } from '../../alerting/channels/providers.ts'
import type { HasTraceViewer } from '../../insight/trace-viewer/viewer-files.ts'
import type { HasFinishedRuns } from '../../monitoring/outcomes/finished-runs.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasRetention } from '../../platform/retention/settings.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { HasAudit } from '../../platform/web/audit/audit-scope.ts'
import { type Bytes, sentAsIs } from '../../platform/web/http/answers/serialize.ts'
import {
  type AccountPrincipal,
  type Reply,
  type Route,
  type RouteOf,
  reply,
  route,
} from '../../platform/web/http/route.ts'
import { type Role, roles } from '../../platform/words/shapes/roles.ts'
import {
  type Answered,
  type AskOf,
  callApi,
  type InternalClient,
  operationOf,
  type PageInput,
} from './internal-client.ts'

type Query = Readonly<Record<string, string | readonly string[]>>

/** What pages need beside what the API's routes ask for themselves. */
export type PageApp = App &
  HasAudit &
  HasCipher &
  HasFinishedRuns &
  HasProviders &
  HasRetention &
  HasTraceViewer

export type RequestContext = {
  app: PageApp
  client: InternalClient
  principal: AccountPrincipal
  params: Readonly<Record<string, string>>
  query: Query
  /** Of forms: as form-body.ts reads them. */
  body: Readonly<Record<string, unknown>>
  now: number
  input: PageInput
  /** Calls a route of the API as who asks. @throws ApiError as the API answers */
  call<P, Q, B, R>(route: RouteOf<P, Q, B, R, never>, ask: NoInfer<AskOf<P, Q, B>>): Promise<Answered<R>>
  can(role: Role): boolean
}

/** The first value of a parameter; empty when it is not there. */
export const textOf = ({ query }: Pick<RequestContext, 'query'>, name: string): string => {
  const value = query[name]
  return typeof value === 'string' ? value : (value?.[0] ?? '')
}

export type PageRoute = {
  method?: 'GET' | 'POST'
  path: string
  access?: Role
  summary: string
  responseType?: string
  rateLimit?: { requests: number; seconds: number }
  /** A replica may answer it: a page of figures and lists, and of nothing that was made a moment ago by others. */
  mayLag?: true
  /** The name of the API's route that does what the form asks for. */
  standsFor?: string
  show: (context: RequestContext) => Promise<Reply<Bytes>>
}

const Anything = Type.Record(
  Type.String(),
  Type.Union([
    Type.String({ maxLength: 2000 }),
    Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 200 }),
  ]),
)
const AnyForm = Type.Object({}, { additionalProperties: true })
/** Scripts and suites are sent in forms. */
const formLimit = 4 * 1024 * 1024

const paramsOf = (path: string): TSchema | undefined => {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  if (names.length === 0) return undefined
  return Type.Object(Object.fromEntries(names.map((name) => [name, Type.String({ maxLength: 512 })])))
}

export const pageRoute = (
  client: InternalClient,
  { method = 'GET', access = 'READ_ONLY', standsFor, show, ...rest }: PageRoute,
): Route<PageApp> => {
  const params = paramsOf(rest.path)
  // Parameters and body depend on path and method, so their types are those that RequestContext says.
  return route({
    responseType: 'text/html',
    ...rest,
    method,
    access,
    page: true,
    tag: 'Dashboard',
    ...(params === undefined ? {} : { params }),
    ...(standsFor === undefined ? {} : { standsFor: operationOf(client, standsFor).route }),
    query: Anything,
    ...(method === 'POST' ? { form: true as const, body: AnyForm, bodyLimit: formLimit } : {}),
    status: 200,
    response: sentAsIs(),
    handle: (input: PageInput, app: PageApp) => show(contextOf(client, input, app)),
  } as never)
}

const contextOf = (client: InternalClient, input: PageInput, app: PageApp): RequestContext => {
  const { principal, params, query, body } = input as unknown as Pick<
    RequestContext,
    'principal' | 'params' | 'query' | 'body'
  >
  return {
    ...{ app, client, principal, input, query: singled(query), params: params ?? {}, body: body ?? {} },
    now: app.clock.now(),
    call: (route, ask) => callApi({ app, client, input }, route, ask),
    can: (role) => roles.indexOf(principal.role) >= roles.indexOf(role),
  }
}

/** What comes once is a text, whatever a schema that allows lists made of it. */
const singled = (query: Query): Query =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      Array.isArray(value) && value.length === 1 ? (value[0] as string) : value,
    ]),
  )

/** What the audit log keeps of a form's work: its answer only leads on. */
export const noteMade = ({ app }: Pick<RequestContext, 'app'>, made: unknown): void => {
  const entry = app.audit.current()
  if (entry !== undefined) entry.made = made
}

/** After a form: the browser asks for the page anew, so that loading it again sends nothing twice. */
export const seeOther = (location: string): Reply<string> => reply('', { status: 303, headers: { location } })
