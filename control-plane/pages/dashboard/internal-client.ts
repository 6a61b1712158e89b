/**
 * Calls the API's own routes inside of the program: what a page shows and does goes through them, with their role, their schemas and their
 * handlers. Nothing is validated or queried a second time, and what a route does not declare in its answer does not reach a page either.
 */

import type { Violation } from '../../../protocol/validate.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasAudit } from '../../platform/web/audit/audit-scope.ts'
import { pickerFor } from '../../platform/web/http/answers/serialize.ts'
import { requireRole } from '../../platform/web/http/auth/auth.ts'
import { type InputValidator, inputValidator } from '../../platform/web/http/request/validate.ts'
import {
  type Access,
  type AccountPrincipal,
  type Declaration,
  type Input,
  isForPrograms,
  type RouteAnswering,
  replyOf,
} from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'

export type Operation = {
  /** `PUT /v1/variables/:key` */
  name: string
  route: Declaration
  read: InputValidator
  pick: (body: unknown) => unknown
}

export type InternalClient = ReadonlyMap<string, Operation>

export type Parameters = Readonly<Record<string, unknown>>

/** As text and forms say it: what is wrong or missing is told by the route. */
type Ask = {
  params?: Readonly<Record<string, string>>
  query?: Parameters
  body?: unknown
  headers?: Record<string, string>
  /** One of several things that a form does: it has an entry of its own in the audit log. */
  isPart?: boolean
}

/** What has a default may be left out. */
export type AskOf<P, Q, B> = Omit<Ask, 'params' | 'query' | 'body'> & {
  query?: Partial<Q>
  body?: Partial<B>
} & (P extends undefined ? unknown : { params: P })

export type Answered<R> = { body: R; headers: Record<string, string> }

/** What the request of a page brings along: who asks, and whether somebody still waits. */
export type PageInput = Input<never, never, never, Access> & { principal: AccountPrincipal }

const nameOf = ({ method, path }: Pick<Declaration, 'method' | 'path'>): string => `${method} ${path}`

export const createInternalClient = (routes: readonly Declaration[]): InternalClient =>
  new Map(
    routes
      .filter(({ access, page }) => !isForPrograms(access) && page !== true)
      .map((route) => {
        const name = nameOf(route)
        return [name, { name, route, read: lazily(route), pick: lazyPicker(route) }]
      }),
  )

/** Forms say numbers and switches as text. */
const lazily = (route: Declaration): InputValidator => {
  let read: InputValidator | undefined
  return (raw) => {
    read ??= inputValidator({ ...route, form: true })
    return read(raw)
  }
}

const lazyPicker = ({ response, responseType }: Declaration): Operation['pick'] => {
  let pick: Operation['pick'] | undefined
  return (body) => {
    pick ??= response === undefined || responseType !== undefined ? (value) => value : pickerFor(response)
    return pick(body)
  }
}

export const operationOf = (client: InternalClient, name: string): Operation => {
  const operation = client.get(name)
  if (operation === undefined) throw new Error(`The API has no ${name}`)
  return operation
}

type Caller = { app: App & HasAudit; client: InternalClient; input: PageInput }

/** @throws ApiError as the API answers: 400 with violations, 403, 404, 409 */
export const callApi = async <R>(
  { app, client, input }: Caller,
  route: RouteAnswering<R>,
  { params = {}, query = {}, body, headers = {}, isPart = false }: Ask,
): Promise<Answered<R>> => {
  const { read, pick } = operationOf(client, nameOf(route))
  if (route.access !== 'PUBLIC') requireRole(input.principal, route.access as AccountPrincipal['role'])
  const valid = refuseNoIds(params, body, () =>
    read({ params: asInPath(params), querystring: querystringOf(query), body }),
  )
  // What the request brings along is made when a handler looks at it.
  const asked: PageInput = Object.assign(Object.create(input), valid, { headers })
  // A page is served with the app that all routes are served with.
  const handle = async () => route.handle(asked, app as never)
  const entry = isPart ? app.audit.current() : undefined
  const answer = await (entry?.part(
    { method: route.method, path: route.path, params: asInPath(params) },
    handle,
  ) ?? handle())
  // The handler was checked against the type of its answer where the route was declared.
  const told = replyOf(answer)
  return { body: pick(told.body) as R, headers: told.headers ?? {} }
}

/** Whoever looks at what cannot be an id finds nothing; programs are told what an id is. */
const refuseNoIds = <Valid>(params: object, body: unknown, read: () => Valid): Valid => {
  try {
    return read()
  } catch (error) {
    const violations = error instanceof ApiError ? violationsOf(error) : []
    const isNoId = violations.length > 0 && violations.every(({ path }) => Object.hasOwn(params, path))
    throw isNoId && body === undefined ? notFound() : error
  }
}

/** An address has texts only. */
const asInPath = (params: object): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))

/** Of routes that are picked by name: whether this is the answer of that one. */
export const isAnswerOf = <R>(wanted: RouteAnswering<R>, route: Declaration, answer: unknown): answer is R =>
  route === wanted

export const querystringOf = (query: Parameters): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== '') parameters.append(name, String(each))
  return parameters.toString()
}

export const violationsOf = (error: ApiError): Violation[] =>
  (error.attributes['violations'] as Violation[] | undefined) ?? []

/** What the caller erred in; everything else goes on its way. */
export const callersError = (error: unknown): ApiError => {
  if (error instanceof ApiError && [400, 402, 409, 412].includes(error.status)) return error
  throw error
}
