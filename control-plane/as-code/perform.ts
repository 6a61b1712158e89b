/**
 * Calls the API's own routes inside of the program, as a program would from outside: with their role, their rules, their
 * handlers and an entry of the audit log for each.
 */
import type { App } from '../platform/app/app.ts'
import type { HasAudit } from '../platform/web/audit/audit-scope.ts'
import { pickerFor } from '../platform/web/http/answers/serialize.ts'
import { requireRole } from '../platform/web/http/auth/auth.ts'
import { type InputValidator, inputValidator } from '../platform/web/http/request/validate.ts'
import {
  type AccountPrincipal,
  type AnyInput,
  type Declaration,
  replyOf,
} from '../platform/web/http/route.ts'

export type Served = Declaration & { handle: (input: AnyInput, app: never) => Promise<unknown> }

export type Performer = (asked: Asked) => Promise<Record<string, unknown>>

type Asked = {
  app: App & HasAudit
  /** Of the request that all this is part of. */
  input: Pick<AnyInput, 'address' | 'signal' | 'upload'> & { principal: AccountPrincipal }
  method: 'POST' | 'PUT' | 'DELETE'
  path: string
  params?: Record<string, string>
  querystring?: string
  body?: unknown
}

type Prepared = { route: Served; read: InputValidator; pick: (body: unknown) => unknown }

export const createPerformer = (routes: () => readonly Served[]): Performer => {
  const known = new Map<string, Prepared>()
  const prepared = (name: string): Prepared => {
    const found = known.get(name) ?? prepare(routes(), name)
    known.set(name, found)
    return found
  }
  return async ({ app, input, method, path, params = {}, querystring = '', body }) => {
    const { route, read, pick } = prepared(`${method} ${path}`)
    requireRole(input.principal, route.access as AccountPrincipal['role'])
    // Reading fills in and leaves out.
    const valid = read({ params: { ...params }, querystring, body: structuredClone(body) })
    // What the request brings along is made when a handler looks at it.
    const asked: AnyInput = Object.assign(Object.create(input), valid, { headers: {} })
    const work = () => route.handle(asked, app as never)
    const answer = await (app.audit.current()?.part({ method, path, params }, work) ?? work())
    const picked = pick(replyOf(answer).body)
    return typeof picked === 'object' && picked !== null ? { ...picked } : {}
  }
}

const prepare = (routes: readonly Served[], name: string): Prepared => {
  const route = routes.find(({ method, path }) => `${method} ${path}` === name)
  if (route === undefined) throw new Error(`The API has no ${name}`)
  const { response, whole: _, ...rules } = route
  return {
    route,

    // Files say every list, and of a channel only those that they mean to.
    read: inputValidator(rules),
    pick: response === undefined ? () => null : pickerFor(response),
  }
}
