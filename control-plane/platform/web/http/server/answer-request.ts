/** From a request whose route is known to what its handler answers: authenticate → role → rate limit → body → validate → handle. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../../app/app.ts'
import type { HasReadReplica } from '../../../app/open-store.ts'
import { ApiError } from '../../../words/errors.ts'
import type { HasAudit } from '../../audit/audit-scope.ts'
import { goOnIn, type HasLocales } from '../../html/locales.ts'
import { accountNamedIn } from '../auth/account-header.ts'
import { requireRole } from '../auth/auth.ts'
import { doorOf } from '../auth/door.ts'
import { requireSameOrigin } from '../auth/same-origin.ts'
import { sessionOf } from '../auth/session.ts'
import type { ClientAddress } from '../limits/client-address.ts'
import type { CountedClient, Principal } from '../limits/enforce-rate-limit.ts'
import { createPatientLimit } from '../limits/patient-limit.ts'
import { rateLimitHeaders } from '../limits/rate-limiter.ts'
import { readBody, requireType } from '../request/body.ts'
import { inputOf } from '../request/input.ts'
import { type AccountPrincipal, type Declaration, isForPrograms } from '../route.ts'
import { createAuditRequest } from './audit-request.ts'
import type { Endpoint } from './endpoint.ts'
import { createLaggingReads } from './lagging-reads.ts'
import type { WaitSignals } from './waiting.ts'

type Surroundings = { waiting: WaitSignals; clientOf: CountedClient; addressOf: ClientAddress }

type Asked = {
  request: IncomingMessage
  response: ServerResponse
  querystring: string
  /** Of the answer, whatever it will be. */
  setHeader(name: string, value: string): void
}

type Found = { target: Endpoint; params: Record<string, string> }

/** @throws ApiError */
export type AnswerRequest = (asked: Asked, found: Found) => Promise<unknown>

export const createAnswerRequest = (
  app: App & HasAudit & HasLocales & HasReadReplica,
  endpoints: Endpoint[],
  { waiting, clientOf, addressOf }: Surroundings,
): AnswerRequest => {
  const authenticate = authentication(app)
  const audit = createAuditRequest(app, endpoints)
  const limit = createPatientLimit(app)
  const laggingReads = createLaggingReads(app)

  return async ({ request, response, querystring, setHeader }, { target: endpoint, params }) => {
    const { route } = endpoint
    const principal = await authenticate(route, request)
    const chosen = principal.kind === 'account' ? app.locales.named(principal.language) : undefined
    if (chosen !== undefined) goOnIn(chosen)
    if (principal.kind === 'account') requireRole(principal, route.access as AccountPrincipal['role'])
    const caller = { principal, request, clientOf }
    const usage = await limit(endpoint, caller, () => waiting.signalFor(response))
    if (principal.kind !== 'program')
      for (const [name, value] of Object.entries(rateLimitHeaders(usage))) setHeader(name, value)
    if (route.upload !== undefined) requireType(request, route.upload)
    const body = route.body ? await readBody(request, endpoint.bodyRules) : undefined
    const valid = endpoint.validate({ params, querystring, body })
    const input = inputOf(valid, principal, { request, response, waiting, addressOf })
    const accountId = principal.kind === 'account' ? principal.accountId : null
    const handle = () => laggingReads({ route, accountId, response }, async () => endpoint.handle(input))
    if (principal.kind !== 'account' || route.method === 'GET') return handle()
    const exchange = { endpoint, principal, params: textsOf(params), request, address: addressOf(request) }
    return audit(exchange, handle)
  }
}

/** As the path has them: validating has made numbers of some. */
const textsOf = (params: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))

type Authenticate = (route: Declaration, request: IncomingMessage) => Promise<Principal>

const authentication = (app: App): Authenticate => {
  const door = doorOf(app)
  return async ({ access, page, form, method }, request) => {
    if (form || (page && method !== 'GET')) requireSameOrigin(request.headers)
    if (access === 'PUBLIC') return { kind: 'public' }
    if (page) return (await sessionOf(app, request.headers)) ?? signInFirst(request)
    const { authorization } = request.headers
    return isForPrograms(access)
      ? door.program(request, authorization, access)
      : door.account(request, authorization, accountNamedIn(request.headers))
  }
}

/** Leads to where people sign in, and back from there. @throws ApiError 303, or 401 where going back makes no sense */
const signInFirst = ({ method, url = '/' }: IncomingMessage): never => {
  if (method !== 'GET') throw new ApiError(401, 'Sign in first')
  throw new ApiError(303, 'Sign in first', {
    headers: { location: `/sign-in?next=${encodeURIComponent(url)}` },
  })
}
