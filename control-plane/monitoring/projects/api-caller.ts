/**
 * Calls routes of the API inside of the program, with the app of a transaction: their roles, schemas and handlers hold for what a
 * deployment does, and nothing is validated or written a second way.
 */
import type { App } from '../../platform/app/app.ts'
import { pickerFor } from '../../platform/web/http/answers/serialize.ts'
import { requireRole } from '../../platform/web/http/auth/auth.ts'
import {
  type InputValidator,
  inputValidator,
  type ValidInput,
} from '../../platform/web/http/request/validate.ts'
import {
  type AccountPrincipal,
  type AnyInput,
  type Declaration,
  isForPrograms,
  replyOf,
} from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'

type Method = Declaration['method']

type Call = {
  method: Method
  /** With `:` for each parameter, whose values are `ids`. */
  shape: string
  ids?: readonly string[]
  query?: string
  body?: unknown
}

type Caller = { app: App; principal: AccountPrincipal }

/** What a route answers: its body as others see it. */
export type ApiCaller = {
  /** @throws ApiError as the route does; 400 where the API has no such route */
  call(caller: Caller, call: Call): Promise<unknown>
  /** The body of a creation with all defaults filled in. @throws ApiError 400 */
  filled(call: Call): unknown
}

type Known = { route: Declaration; read: InputValidator; pick(body: unknown): unknown }

export const createApiCaller = (listed: () => readonly Declaration[]): ApiCaller => {
  let known: Map<string, Known> | undefined
  const find = ({ method, shape }: Call): Known => {
    known ??= knownOf(listed())
    const found = known.get(`${method} ${shape}`)
    if (found === undefined) throw new ApiError(400, `This API has no ${method} ${shape}`)
    return found
  }
  const valid = ({ route, read }: Known, { ids = [], query = '', body }: Call): ValidInput =>
    read({ params: paramsOf(route, ids), querystring: query, body: structuredClone(body) })
  return {
    call: async ({ app, principal }, call) => {
      const target = find(call)
      const { access } = target.route
      if (access !== 'PUBLIC' && !isForPrograms(access)) requireRole(principal, access)
      const input = { ...valid(target, call), principal, headers: {}, address: '' }
      // Its validators have made the input what the route's types say; the app has all that any route needs.
      const answer = await target.route.handle(input as unknown as AnyInput, app as never)
      return target.pick(replyOf(answer).body)
    },
    filled: (call) => valid(find(call), call).body,
  }
}

const knownOf = (routes: readonly Declaration[]): Map<string, Known> =>
  new Map(routes.map((route) => [`${route.method} ${shapeOf(route.path)}`, lazily(route)]))

const shapeOf = (path: string): string => path.replace(/:\w+/g, ':')

const lazily = (route: Declaration): Known => {
  let read: InputValidator | undefined
  let pick: Known['pick'] | undefined
  return {
    route,
    read: (raw) => {
      read ??= inputValidator(route)
      return read(raw)
    },
    pick: (body) => {
      pick ??= route.response === undefined ? (value) => value : pickerFor(route.response)
      return pick(body)
    },
  }
}

const paramsOf = ({ path }: Declaration, ids: readonly string[]): Record<string, string> =>
  Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = ''], at) => [name, ids[at] ?? '']))
