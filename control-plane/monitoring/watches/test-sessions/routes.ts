/**
 * Tests: checks run to look at what comes of it. Nobody is alerted, no status or statistic changes, and they end with time. One model lies beneath them
 * and check sessions: each check of a test is run by a session that has a copy of it.
 */

import { Type } from 'typebox'
import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { TestSessionsTable } from '../../../platform/store/database/tables/check-sessions.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { ApiError } from '../../../platform/words/errors.ts'
import { lookUntil } from '../../runs/look-until.ts'
import { sessionsOfTest } from '../check-sessions/advance-test.ts'
import { cancelSession } from '../check-sessions/cancel-session.ts'
import type { Target } from '../check-sessions/match-target.ts'
import { sessionWakeup } from '../check-sessions/session-status.ts'
import { chooseChecks } from './chosen-checks.ts'
import { listTestSessions } from './list-route.ts'
import { findTest } from './queries.ts'
import { testResultRoutes } from './result-routes.ts'
import { NewTestSession, TestSession, type TestVariables } from './schema.ts'
import { serializeTest } from './serialize-test.ts'
import { startTest } from './start-test.ts'
import { testLocation } from './test-location.ts'

const tag = 'Test sessions'
const TestId = Type.Object({ testSessionId: Type.String({ format: 'uuid' }) })
const exampleParams = { testSessionId: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10' }
const defaultWaitSeconds = 30

/** As sessions store them. */
const clearVariables = (variables: TestVariables = []) =>
  variables.map(({ key, value, locked = false, secret = false }) => ({
    key,
    value,
    isHidden: locked || secret,
  }))

/** What command-line clients start their tests with. */
const noBroker = (method: string, path: string): ApiError | undefined =>
  method === 'POST' && path.endsWith('/run')
    ? new ApiError(
        404,
        'Such tests tell their results through a message broker, and there is none here: POST /v1/test-sessions/trigger runs saved checks as a test (docs/clients.md)',
      )
    : undefined

const trigger = route({
  method: 'POST',
  path: '/v1/test-sessions/trigger',
  access: 'READ_RUN',
  tag,
  summary: 'Run checks as a test',
  description:
    'Each check that the target means (as in `POST /v2/check-sessions/trigger`) is copied as it is now and run once. Nobody is alerted, and no status, ' +
    'statistic or error group of the check sees it. A test runs 400 checks at most; 100 tests of an account run at a time.',
  body: NewTestSession,
  status: 201,
  otherStatuses: { 404: 'No check matches', 429: 'Too many tests are running' },
  response: TestSession,
  example: { body: { name: 'Before the release', target: { matchTags: [['production']] } } },
  handle: async ({ body, principal: { accountId } }, app: App & HasCipher & HasWakeups) => {
    const { allowDeactivated = false, ...target } = body.target ?? {}
    const location = await testLocation(app, accountId, body.runLocation)
    const checks = await chooseChecks(app, { accountId, target: target as Target, allowDeactivated })
    const { test } = await startTest(app, {
      accountId,
      name: body.name,
      provider: 'API',
      runSource: 'TRIGGER_RECORD',
      metadata: body.metadata ?? {},
      project: null,
      location,
      variables: clearVariables(body.environmentVariables),
      retryStrategy: body.retryStrategy ?? null,
      refreshCache: body.refreshCache ?? false,
      checks,
    })
    return serializeTest(app, test)
  },
})

const read = route({
  method: 'GET',
  path: '/v1/test-sessions/:testSessionId',
  nothingThere: noBroker,
  access: 'READ_ONLY',
  tag,
  summary: 'A test and its results so far',
  params: TestId,
  status: 200,
  response: TestSession,
  example: { params: exampleParams },
  handle: async ({ params, principal }, app: App & HasCipher) =>
    serializeTest(app, await requireTest(app, principal.accountId, params.testSessionId)),
})

const completion = route({
  method: 'GET',
  path: '/v1/test-sessions/:testSessionId/completion',
  access: 'READ_ONLY',
  tag,
  summary: 'Wait for a test to end',
  params: TestId,
  query: Type.Object(
    { maxWaitSeconds: Type.Integer({ minimum: 1, maximum: 30, default: defaultWaitSeconds }) },
    { additionalProperties: false },
  ),
  status: 200,
  otherStatuses: { 408: 'Still running: ask again' },
  response: TestSession,
  example: { params: exampleParams, query: { maxWaitSeconds: 10 } },
  handle: async ({ params, query, principal, signal }, app: App & HasCipher & HasWakeups) => {
    const waiting = {
      name: sessionWakeup(params.testSessionId),
      waitMs: query.maxWaitSeconds * 1000,
      signal,
    }
    const ended = await lookUntil(app, waiting, async () => {
      const test = await requireTest(app, principal.accountId, params.testSessionId)
      return test.stopped_at === null ? undefined : test
    })
    if (ended) return serializeTest(app, ended)
    throw new ApiError(408, 'The test is still running', { headers: { 'retry-after': '1' } })
  },
})

const Sequence = Type.String({ format: 'uuid' })

const cancel = route({
  method: 'POST',
  path: '/v1/test-sessions/:testSessionId/cancel',
  access: 'READ_RUN',
  tag,
  summary: 'Cancel what still runs of a test',
  description:
    'Checks that have run keep their result. `sequenceId` names those to cancel; without it all are.',
  params: TestId,
  body: Type.Object(
    { sequenceId: Type.Optional(Type.Union([Sequence, Type.Array(Sequence, { maxItems: 400 })])) },
    { additionalProperties: false, title: 'CancelTestSession' },
  ),
  status: 204,
  example: { params: exampleParams, body: {} },
  handle: async ({ params, body, principal }, app: App & HasWakeups) => {
    const test = await requireTest(app, principal.accountId, params.testSessionId)
    const named = body.sequenceId === undefined ? null : [body.sequenceId].flat()
    const sessions = await app.db.all(sessionsOfTest, { testId: test.id })
    // The last ones first: those that wait for their turn are not let go by those that end.
    for (const session of sessions.toReversed())
      if (session.stopped_at === null && (named === null || named.includes(session.id)))
        await cancelSession(app, { session, sequenceIds: null })
  },
})

/** @throws ApiError 404 */
const requireTest = async (app: App, accountId: string, id: string): Promise<TestSessionsTable> => {
  const test = await app.db.get(findTest, { id, accountId })
  if (!test) throw new ApiError(404, 'No such test session.')
  return test
}

export { read as readTestSession }

export const testSessionRoutes: Route<App & HasCipher & HasWakeups>[] = [
  trigger,
  listTestSessions,
  read,
  completion,
  cancel,
  ...testResultRoutes,
]
