import { type Static, Type } from 'typebox'
import { exampleType } from '../../../../protocol/check-type.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { invalid, violation } from '../../../platform/words/errors.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { NewAnyCheck, newCheckBody } from '../../definitions/checks/generic-routes.ts'
import { checkKinds } from '../../definitions/checks/types/index.ts'
import { CheckResult } from '../../results/schema.ts'
import { serializeResults } from '../../results/serialize-results.ts'
import { type TryingApp, tryCheck } from './try-check.ts'

const CheckTry = Type.Object(
  {
    outcome: Type.Enum(['passed', 'degraded', 'failed', 'not-run']),
    location: Type.String({ description: 'Where it was run' }),
    message: nullable(Type.String(), { description: 'Why it failed or was not run, in one sentence' }),
    result: nullable(CheckResult, { description: 'As results of checks are shown; null: it was not run' }),
  },
  { title: 'CheckTry' },
)
type CheckTry = Static<typeof CheckTry>

const bodyLimit = Math.max(...Object.values(checkKinds).map((kind) => kind.bodyLimit ?? 0))

const tryOut = route({
  method: 'POST',
  path: '/v1/check-tries',
  access: 'READ_WRITE',
  tag: 'Checks',
  summary: 'Run a check once before it is saved',
  description:
    'The body is that of a creation, with `checkType`. It runs once in the first of its locations, without retries, and tells ' +
    'nobody; neither the check nor its result is kept, and addresses of files in the result lead nowhere. Answers when it has ' +
    'run, or after 25 seconds (90 for browsers, suites and agentic checks) with the outcome `not-run`. Ten run at once.',
  body: NewAnyCheck,
  bodyLimit,
  rateLimit: { requests: 60, seconds: 60 },
  status: 200,
  otherStatuses: { 429: 'Ten checks are being tried already' },
  response: CheckTry,
  example: { body: { checkType: exampleType, ...checkKinds[exampleType].example } },
  handle: async ({ body, principal, signal }, app: TryingApp): Promise<CheckTry> => {
    const sent = newCheckBody(app, body)
    const location = firstIn(sent['privateLocations']) ?? firstIn(sent['locations'])
    if (location === undefined)
      throw invalid([violation('privateLocations', 'required', 'or "locations" must say where to run it')])
    const { accountId } = principal
    const tried = await tryCheck(app, { accountId, type: body.checkType, body: sent, location, signal })
    if (tried.result === null) return { outcome: 'not-run', location, message: tried.problem, result: null }
    const [result] = await serializeResults(app, [tried.result])
    if (result === undefined) throw new Error('a result was not serialized')
    const outcome = result.hasErrors
      ? 'not-run'
      : result.hasFailures
        ? 'failed'
        : result.isDegraded
          ? 'degraded'
          : 'passed'
    return { outcome, location, message: result.error, result }
  },
})

const firstIn = (value: unknown): string | undefined =>
  Array.isArray(value) && typeof value[0] === 'string' ? value[0] : undefined

export { tryOut as tryCheckRoute }

export const checkTryRoutes: Route<TryingApp>[] = [tryOut]
