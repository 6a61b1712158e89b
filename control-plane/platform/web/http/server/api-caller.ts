/**
 * Calls routes of the API inside of the program, as a program would from outside: their roles, rules and handlers hold, and
 * nothing is validated or written a second way.
 */
import type { App } from '../../../app/app.ts'
import { ApiError } from '../../../words/errors.ts'
import type { OpenEntry } from '../../audit/audit-scope.ts'
import { pickerFor } from '../answers/serialize.ts'
import { requireRole } from '../auth/auth.ts'
import { type InputValidator, inputValidator, type ValidInput } from '../request/validate.ts'
import { type AccountPrincipal, type AnyInput, type Declaration, isForPrograms, replyOf } from '../route.ts'

type Method = Declaration['method']

type Call = {
  method: Method
  /** With `:`, or a name after it, for each parameter, whose values are `ids`. */
  shape: string
  ids?: readonly string[]
  query?: string
  body?: unknown
}

export type Caller = {
  app: App
  principal: AccountPrincipal
  /** That all this is part of: what it brings along is made when a handler looks at it. */
  request?: Pick<AnyInput, 'address' | 'signal' | 'upload'>
  /** Where each call has an entry of the audit log: that of the request. */
  entry?: OpenEntry | undefined
}

/** What is said by PUT: whole resources, whose lists are empty where they are left out, or only what changes. */
type Puts = { puts: 'wholes' | 'changes' }

/** What a route answers: its body as others see it. */
export type ApiCaller = {
  /** @throws ApiError as the route does; 400 where the API has no such route */
  call(caller: Caller, call: Call): Promise<unknown>
  /** The body of a creation with all defaults filled in. @throws ApiError 400 */
  filled(call: Call): unknown
}

type Known = { route: Declaration; read: InputValidator; pick(body: unknown): unknown }

export const createApiCaller = (listed: () => readonly Declaration[], { puts }: Puts): ApiCaller => {
  let known: Map<string, Known> | undefined
  const find = ({ method, shape }: Call): Known => {
    known ??= new Map(listed().map((route) => [nameOf(route.method, route.path), lazily(route, puts)]))
    const found = known.get(nameOf(method, shape))
    if (found === undefined) throw new ApiError(400, `This API has no ${method} ${shape}`)
    return found
  }
  const valid = ({ route, read }: Known, { ids, query = '', body }: Call): ValidInput =>
    read({ params: paramsOf(route, ids), querystring: query, body: structuredClone(body) })
  return {
    call: async ({ app, principal, request = { address: '' }, entry }, call) => {
      const target = find(call)
      const { route } = target
      const { method, path, access } = route
      if (access !== 'PUBLIC' && !isForPrograms(access)) requireRole(principal, access)
      const input = Object.assign(Object.create(request), valid(target, call), { principal, headers: {} })
      // Its validators have made the input what the route's types say; the app has all that any route needs.
      const work = async () => route.handle(input, app as never)
      const answer = await (entry?.part({ method, path, params: paramsOf(route, call.ids) }, work) ?? work())
      return target.pick(replyOf(answer).body)
    },
    filled: (call) => valid(find(call), call).body,
  }
}

const nameOf = (method: Method, path: string): string => `${method} ${path.replace(/:\w+/g, ':')}`

const lazily = (route: Declaration, puts: Puts['puts']): Known => {
  const { whole: _, ...changes } = route
  let read: InputValidator | undefined
  let pick: Known['pick'] | undefined
  return {
    route,
    read: (raw) => {
      read ??= inputValidator(puts === 'wholes' ? route : changes)
      return read(raw)
    },
    pick: (body) => {
      pick ??= route.response === undefined ? (value) => value : pickerFor(route.response)
      return pick(body)
    },
  }
}

const paramsOf = ({ path }: Declaration, ids: readonly string[] = []): Record<string, string> =>
  Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = ''], at) => [name, ids[at] ?? '']))
