/** A route made ready to be served: its validators, its limiter and how its answers become bytes. */
import type { TSchema } from 'typebox'
import type { Validator } from '../../../../../protocol/validate.ts'
import type { App } from '../../../app/app.ts'
import { createAnswerValidators } from '../answers/answer-validator.ts'
import { pickerFor } from '../answers/serialize.ts'
import { createRateLimiter, type RateLimiter } from '../limits/rate-limiter.ts'
import { type BodyRules, defaultBodyLimit, publicBodyLimit } from '../request/body.ts'
import { type InputValidator, inputValidator } from '../request/validate.ts'
import {
  type AnyInput,
  type Declaration,
  hasNoBody,
  isForPrograms,
  type ProgramKey,
  type Route,
} from '../route.ts'

/** The contract's rate on most routes; of keys the operator may choose another one. */
export const defaultRateLimit = { requests: 600, seconds: 60 }

/** Of a limiter that many routes share, and of one that a route has for itself: some ten megabytes in all at worst. */
const maxWindows = 20_000
const maxOwnWindows = 2000

type Serialize = (body: unknown, trimmed?: boolean) => string

export type Endpoint = {
  method: Declaration['method']
  path: string
  route: Declaration
  /** The route's handler, with the app that it needs. */
  handle: (input: AnyInput) => Promise<unknown>
  limiter: RateLimiter
  bodyRules: BodyRules
  validate: InputValidator
  /** Needs nothing of Koa (direct-path.ts). */
  isDirect: boolean
  /** The text of a successful answer: what the response schema declares and nothing else. */
  serialize: Serialize
}

export const createEndpoints = <A extends App>(routes: readonly Route<A>[], app: A): Endpoint[] => {
  const keys = createRateLimiter({ requests: app.config.apiRequestsPerMinute, seconds: 60 }, maxWindows)
  const addresses = createRateLimiter(defaultRateLimit, maxWindows)
  const programs = new Map<ProgramKey, RateLimiter>()
  const limiterOfPrograms = (key: ProgramKey): RateLimiter => {
    const limiter = programs.get(key) ?? createRateLimiter(key.rateLimit, maxWindows)
    programs.set(key, limiter)
    return limiter
  }
  const sharedOf = ({ access }: Declaration): RateLimiter => {
    if (isForPrograms(access)) return limiterOfPrograms(access)
    return access === 'PUBLIC' ? addresses : keys
  }
  const validatorOf = createAnswerValidators()
  return routes.map((route) => ({
    method: route.method,
    path: route.path,
    route,
    handle: (input) => route.handle(input, app),
    limiter: route.rateLimit ? createRateLimiter(route.rateLimit, maxOwnWindows) : sharedOf(route),
    bodyRules: bodyRulesOf(route),
    isDirect: isDirect(route),
    validate: inputValidator(route),
    serialize: serializer(route, app, validatorOf),
  }))
}

/** Whether a route reads for whoever has a key of an account, or is for programs, and answers in JSON. */
const isDirect = (route: Declaration): boolean => {
  const { method, access, response, responseType, otherTypes, page, form, upload, status } = route
  if (page || form || upload !== undefined || responseType !== undefined || otherTypes !== undefined)
    return false
  if (response === undefined && !hasNoBody(status)) return false
  return isForPrograms(access) || (access !== 'PUBLIC' && method === 'GET')
}

/** Without a key: a few kilobytes, as they are. */
const bodyRulesOf = ({ method, path, access, bodyLimit, envelope, form }: Declaration): BodyRules => {
  const foreign = envelope !== undefined
  if (access !== 'PUBLIC')
    return { limit: bodyLimit ?? defaultBodyLimit, compressed: true, foreign, form: form === true }
  const limit = bodyLimit ?? publicBodyLimit
  if (limit > publicBodyLimit) throw new Error(`${method} ${path} needs no key and takes ${limit} bytes`)
  return { limit, compressed: false, foreign, form: form === true }
}

type ValidatorOf = (schema: TSchema) => Validator<unknown>

const serializer = (route: Declaration, app: App, validatorOf: ValidatorOf): Serialize => {
  const { response } = route
  if (!response) return () => ''
  if (route.responseType !== undefined) return (body) => String(body)
  let ready: Serialize | undefined
  return (body, trimmed) => {
    ready ??= jsonSerializer(route, app, { pick: pickerFor(response), validate: validatorOf(response) })
    return ready(body, trimmed)
  }
}

type ResponsePlan = { pick: (value: unknown) => unknown; validate: Validator<unknown> }

const jsonSerializer = (route: Declaration, app: App, { pick, validate }: ResponsePlan): Serialize => {
  const toText = (body: unknown, trimmed = false): string => {
    const picked = pick(body)
    const checked = validate(picked)
    const problems = checked.ok
      ? []
      : checked.violations.filter(({ rule }) => !trimmed || rule !== 'required')
    if (problems.length > 0) reportDrift(route, problems, app)
    return JSON.stringify(picked)
  }
  // A frozen answer is the same whenever it comes again: its text is kept for as long as it is.
  const texts = new WeakMap<object, string>()
  return (body, trimmed) => {
    if (typeof body !== 'object' || body === null || !Object.isFrozen(body)) return toText(body, trimmed)
    const known = texts.get(body)
    if (known !== undefined) return known
    const text = toText(body)
    texts.set(body, text)
    return text
  }
}

/** An answer that breaks its own schema is our mistake: fatal in tests, logged where people wait for the answer. */
const reportDrift = (route: Declaration, violations: unknown, app: App): void => {
  const where = `${route.method} ${route.path}`
  if (app.config.strictResponses)
    throw new Error(`The answer of ${where} breaks its schema: ${JSON.stringify(violations)}`)
  app.log.error({ route: where, violations }, 'An answer breaks its schema')
}
