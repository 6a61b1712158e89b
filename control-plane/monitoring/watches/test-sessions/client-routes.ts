/** What command-line clients start tests with, and ask of them, beside `/v1/test-sessions`; results come by MQTT (result-feed.ts). */
import { type Static, Type } from 'typebox'
import { linkOfEvent } from '../../../alerting/messages/result-link.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import { type Route, reply, route } from '../../../platform/web/http/route.ts'
import { errorBody, notFound } from '../../../platform/words/errors.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { RetryStrategy } from '../../definitions/checks/retry-strategy.ts'
import { chooseChecks } from './chosen-checks.ts'
import { finalResultOf, requireTestedRun } from './final-result.ts'
import { findTest } from './queries.ts'
import { clearVariables, TestVariables } from './schema.ts'
import { testLink } from './serialize-test.ts'
import { startTest } from './start-test.ts'
import type { TestMetadata } from './test-doc.ts'
import { TestLocation, testLocation } from './test-location.ts'

const tag = 'Test sessions'
const Id = Type.String({ format: 'uuid' })
const exampleId = '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10'
const text = Type.Optional(nullable(Type.String({ maxLength: 65_536 })))

/** Of the repository that a client stands in; what else it tells of it is not kept. */
const RepoInfo = nullable(
  Type.Object({ commitId: text, repoUrl: text, branchName: text, commitOwner: text, commitMessage: text }),
)

/** What all tests of clients are told. */
export const clientTestFields = {
  shouldRecord: Type.Optional(Type.Boolean({ description: 'Without effect: tests are kept for their time' })),
  runLocation: Type.Optional(TestLocation),
  repoInfo: Type.Optional(RepoInfo),
  environment: text,
  refreshCache: Type.Optional(Type.Boolean({ default: false })),
}

type ClientTest = {
  repoInfo?: Static<typeof RepoInfo>
  environment?: string | null
}

export const metadataOf = ({ repoInfo, environment }: ClientTest): TestMetadata => {
  const { commitId, repoUrl, branchName, commitOwner, commitMessage } = repoInfo ?? {}
  const told = { environment, commitId, repoUrl, branchName, commitOwner, commitMessage }
  return Object.fromEntries(
    Object.entries(told).flatMap(([name, value]) => (value ? [[name, value.slice(0, 2048)]] : [])),
  )
}

const Tag = Type.String({ minLength: 1, maxLength: 256 })

const ClientTrigger = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    checkRunSuiteId: Type.Optional(
      Type.String({ format: 'uuid', description: 'What whoever listens for results calls the test' }),
    ),
    targetTags: Type.Optional(
      Type.Array(Type.Array(Tag, { minItems: 1, maxItems: 100 }), {
        maxItems: 100,
        description: 'Outer list OR, inner AND, `!tag` negates',
      }),
    ),
    checkId: Type.Optional(
      Type.Array(Id, { maxItems: 1000, description: 'Of these; with tags, those of them that carry them' }),
    ),
    environmentVariables: Type.Optional(TestVariables),
    testRetryStrategy: Type.Optional(nullable(RetryStrategy)),
    ...clientTestFields,
  },
  { additionalProperties: false, title: 'ClientTestTrigger' },
)

const StartedChecks = Type.Object(
  {
    testSessionId: Id,
    checks: Type.Array(Type.Object({ id: Id, name: Type.String(), checkType: Type.String() })),
    sequenceIds: Type.Record(Type.String(), Id, {
      description: 'By the id of the check: what its results are told by',
    }),
  },
  { title: 'ClientTestStarted' },
)

const noMatch = 'ERR_NO_MATCHING_CHECKS'

/** Clients know the case by its code, which they look for beside the message. */
const NothingStarted = Type.Object(
  {
    statusCode: Type.Integer(),
    error: Type.String(),
    message: Type.String(),
    errorCode: Type.Literal(noMatch),
    attributes: Type.Object({}),
  },
  { title: 'ClientTestRefused' },
)

const trigger = route({
  method: 'POST',
  path: '/next/test-sessions/trigger',
  access: 'READ_RUN',
  tag,
  summary: 'Run saved checks as a test, in the words of command-line clients',
  description:
    'As `POST /v1/test-sessions/trigger`. Results are told by MQTT over WebSocket at `/mqtt` to whoever has subscribed to ' +
    '`account/{accountId}/ad-hoc-check-results/{checkRunSuiteId}/+/+/+`.',
  body: ClientTrigger,
  status: 201,
  otherStatuses: { 403: 'No check matches', 429: 'Too many tests are running' },
  response: Type.Union([StartedChecks, NothingStarted]),
  example: { body: { name: 'Before the release', targetTags: [['production']] } },
  handle: async ({ body, principal: { accountId } }, app: App & HasCipher & HasWakeups) => {
    const { targetTags = [], checkId = [], checkRunSuiteId } = body
    const target = targetTags.length > 0 ? { matchTags: targetTags } : checkId.length > 0 ? { checkId } : {}
    const matching = await chooseChecks(app, { accountId, target, allowDeactivated: false })
    const named = new Set(checkId.map((id) => id.toLowerCase()))
    const checks = matching.filter((check) => named.size === 0 || named.has(check.checkId))
    if (checks.length === 0)
      return reply({ ...errorBody(403, 'No check matches'), errorCode: noMatch } as const, { status: 403 })
    const { test, sessions } = await startTest(app, {
      accountId,
      name: body.name,
      provider: 'API',
      runSource: 'TRIGGER_RECORD',
      metadata: metadataOf(body),
      project: null,
      suiteId: checkRunSuiteId?.toLowerCase(),
      location: await testLocation(app, accountId, body.runLocation),
      variables: clearVariables(body.environmentVariables),
      retryStrategy: body.testRetryStrategy ?? null,
      refreshCache: body.refreshCache ?? false,
      checks,
    })
    return {
      testSessionId: test.id,
      checks: checks.map(({ checkId: id, name, type: checkType }) => ({ id, name, checkType })),
      sequenceIds: Object.fromEntries(sessions.map(({ id, check_id }) => [check_id, id])),
    }
  },
})

const link = route({
  method: 'GET',
  path: '/next/test-sessions/:testSessionId/link',
  access: 'READ_ONLY',
  tag,
  summary: 'Where people look at a test',
  params: Type.Object({ testSessionId: Id }),
  status: 200,
  response: Type.Object({ link: Type.String() }),
  example: { params: { testSessionId: exampleId } },
  handle: async ({ params: { testSessionId: id }, principal: { accountId } }, app) => {
    if ((await app.db.get(findTest, { id, accountId })) === undefined) throw notFound()
    return { link: testLink(app, id) }
  },
})

const links = route({
  method: 'GET',
  path: '/next/test-sessions/:testSessionId/results/:resultId/links',
  access: 'READ_ONLY',
  tag,
  summary: 'Where people look at what came of one check of a test',
  description: 'Its page names its files: traces and videos have no links of their own.',
  params: Type.Object({ testSessionId: Id, resultId: Id }),
  status: 200,
  response: Type.Object({
    testResultLink: Type.String(),
    testTraceLinks: Type.Array(Type.String()),
    videoLinks: Type.Array(Type.String()),
  }),
  example: { params: { testSessionId: exampleId, resultId: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a11' } },
  handle: async ({ params, principal: { accountId } }, app: App & HasCipher) => {
    const session = await requireTestedRun(app, { accountId, ...params })
    const { id: checkResultId } = await finalResultOf(app, session)
    const event = { checkId: session.id, checkResultId, at: session.created_at }
    return { testResultLink: linkOfEvent(app, event), testTraceLinks: [], videoLinks: [] }
  },
})

export const clientTestRoutes: Route<App & HasCipher & HasWakeups>[] = [trigger, link, links]
