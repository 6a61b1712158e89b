/**
 * The same door as the API: what a page shows and does goes through the API's own routes, with their role, their schemas and their
 * handlers. Nothing is validated or queried a second time, and what a route does not declare in its answer does not reach a page either.
 */

import type { HasAudit } from '../../platform/web/audit/audit-scope.ts'
import type { Violation } from '../../../protocol/validate.ts'
import type { App } from '../../platform/app/app.ts'
import { requireRole } from '../../platform/web/http/auth.ts'
import type { Access, AccountPrincipal, Input, Reply, Route } from '../../platform/web/http/route.ts'
import { pickerFor } from '../../platform/web/http/serialize.ts'
import { type InputValidator, inputValidator } from '../../platform/web/http/validate.ts'
import { ApiError } from '../../platform/words/errors.ts'

export type Operation = {
  /** `PUT /v1/variables/:key` */
  name: string
  route: Route
  read: InputValidator
  pick: (body: unknown) => unknown
}

export type Door = ReadonlyMap<string, Operation>

export type Parameters = {
  readonly [name: string]: string | number | boolean | readonly string[] | undefined
}

export type Ask = {
  params?: Readonly<Record<string, string>>
  query?: Parameters
  body?: unknown
  headers?: Record<string, string>
  /** One of several things that a form does: it has an entry of its own in the audit log. */
  isPart?: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: answers have the shapes of many routes
export type Answered = { body: any; headers: Record<string, string> }

/** What the request of a page brings along: who asks, and whether somebody still waits. */
export type PageInput = Input<never, never, never, Access> & { principal: AccountPrincipal }

export const createDoor = (routes: readonly Route[]): Door =>
  new Map(
    routes
      .filter(({ access, page }) => access !== 'AGENT' && page !== true)
      .map((route) => {
        const name = `${route.method} ${route.path}`
        return [name, { name, route, read: lazily(route), pick: lazyPicker(route) }]
      }),
  )

/** Forms say numbers and switches as text. */
const lazily = (route: Route): InputValidator => {
  let read: InputValidator | undefined
  return (raw) => {
    read ??= inputValidator({ ...route, form: true })
    return read(raw)
  }
}

const lazyPicker = ({ response, responseType }: Route): Operation['pick'] => {
  let pick: Operation['pick'] | undefined
  return (body) => {
    pick ??= response === undefined || responseType !== undefined ? (value) => value : pickerFor(response)
    return pick(body)
  }
}

export const operationOf = (door: Door, name: string): Operation => {
  const operation = door.get(name)
  if (operation === undefined) throw new Error(`The API has no ${name}`)
  return operation
}

/** @throws ApiError as the API answers: 400 with violations, 403, 404, 409 */
export const callApi = async (
  app: App & HasAudit,
  { route, read, pick }: Operation,
  input: PageInput,
  { params = {}, query = {}, body, headers = {}, isPart = false }: Ask,
): Promise<Answered> => {
  if (route.access !== 'PUBLIC') requireRole(input.principal, route.access as AccountPrincipal['role'])
  const valid = read({ params: { ...params }, querystring: querystringOf(query), body })
  // What the request brings along is made when a handler looks at it.
  const asked = Object.assign(Object.create(input), valid, { headers })
  const handle = async () => route.handle(asked as never, app)
  const entry = isPart ? app.audit.current() : undefined
  const answer = await (entry?.part(
    { method: route.method, path: route.path, params: { ...params } },
    handle,
  ) ?? handle())
  return isReply(answer)
    ? { body: pick(answer.body), headers: answer.headers ?? {} }
    : { body: pick(answer), headers: {} }
}

const isReply = (answer: unknown): answer is Reply<unknown> =>
  typeof answer === 'object' && answer !== null && 'reply' in answer && answer.reply === true

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
