/** A visit of a page of the dashboard: what its handler is given, and the routes that such pages are. */
import type { HasAudit } from '../../platform/web/audit/audit-scope.ts'
import { type TSchema, Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import { type AccountPrincipal, type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { type Role, roles } from '../../platform/words/shapes/roles.ts'
import { type Answered, type Ask, callApi, type Door, operationOf, type PageInput } from './door.ts'

export type Query = Readonly<Record<string, string | readonly string[]>>

export type Visit = {
  app: App
  door: Door
  principal: AccountPrincipal
  params: Readonly<Record<string, string>>
  query: Query
  /** Of forms: as form-body.ts reads them. */
  body: Readonly<Record<string, unknown>>
  now: number
  input: PageInput
  call(name: string, ask?: Ask): Promise<Answered>
  can(role: Role): boolean
}

/** The first value of a parameter; empty when it is not there. */
export const textOf = ({ query }: Pick<Visit, 'query'>, name: string): string => {
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
  /** The name of the API's route that does what the form asks for. */
  standsFor?: string
  show: (visit: Visit) => Promise<Reply<string>>
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
  door: Door,
  { method = 'GET', access = 'READ_ONLY', standsFor, show, ...rest }: PageRoute,
): Route => {
  const params = paramsOf(rest.path)
  return route({
    responseType: 'text/html',
    ...rest,
    method,
    access,
    page: true,
    tag: 'Dashboard',
    ...(params === undefined ? {} : { params }),
    ...(standsFor === undefined ? {} : { standsFor: operationOf(door, standsFor).route }),
    query: Anything,
    ...(method === 'POST' ? { form: true as const, body: AnyForm, bodyLimit: formLimit } : {}),
    status: 200,
    response: Type.String(),
    handle: (input: PageInput, app: App & HasAudit) => show(visitOf(door, input, app)),
  } as never)
}

const visitOf = (door: Door, input: PageInput, app: App & HasAudit): Visit => {
  const { principal, params, query, body } = input as unknown as Pick<
    Visit,
    'principal' | 'params' | 'query' | 'body'
  >
  return {
    ...{ app, door, principal, input, query: singled(query), params: params ?? {}, body: body ?? {} },
    now: app.clock.now(),
    call: (name, ask = {}) => callApi(app, operationOf(door, name), input, ask),
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
export const noteMade = ({ app }: Pick<Visit, 'app'>, made: unknown): void => {
  const entry = app.audit.current()
  if (entry !== undefined) entry.made = made
}

/** After a form: the browser asks for the page anew, so that loading it again sends nothing twice. */
export const seeOther = (location: string): Reply<string> => reply('', { status: 303, headers: { location } })
