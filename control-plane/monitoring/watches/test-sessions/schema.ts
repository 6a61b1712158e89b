import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../../protocol/check-type.ts'
import { pageOf } from '../../../platform/words/shapes/cursor.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { RetryStrategy } from '../../definitions/checks/retry-strategy.ts'
import { TriggerSessions } from '../check-sessions/schema.ts'
import { testStatuses } from '../check-sessions/session-status.ts'
import { TestMetadata } from './test-doc.ts'
import { TestLocation } from './test-location.ts'

const DateTime = Type.String({ format: 'date-time' })
const Id = Type.String({ format: 'uuid' })
const Status = Type.Enum([...testStatuses])

export const testProviders = ['API', 'GITHUB', 'VERCEL', 'TRIGGER', 'PW_REPORTER'] as const
export const Provider = Type.Enum([...testProviders])

/** Given to scripts, and to requests in which they are named; wins over variables of check, group and account. */
export const TestVariables = Type.Array(
  Type.Object(
    {
      key: Type.String({ minLength: 1, maxLength: 256 }),
      value: Type.String({ maxLength: 32_768 }),
      locked: Type.Optional(Type.Boolean()),
      secret: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  { maxItems: 50 },
)
type TestVariables = Static<typeof TestVariables>

/** As sessions store them. */
export const clearVariables = (variables: TestVariables = []) =>
  variables.map(({ key, value, locked = false, secret = false }) => ({
    key,
    value,
    isHidden: locked || secret,
  }))

/** Left out or null: no run is tried again. */
const Retries = nullable(RetryStrategy, { default: null })

const { target, refreshCache } = TriggerSessions.properties

export const NewTestSession = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    runLocation: Type.Optional(TestLocation),
    target: Type.Optional(
      Type.Object(
        {
          ...target.properties,
          allowDeactivated: Type.Optional(
            Type.Boolean({ default: false, description: 'Deactivated checks, too' }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    environmentVariables: Type.Optional(TestVariables),
    retryStrategy: Type.Optional(Retries),
    refreshCache,
    metadata: Type.Optional(TestMetadata),
  },
  { additionalProperties: false, title: 'NewTestSession' },
)

/** One check of a test. What is not known before it has ended is false or null. */
const TestSessionResult = Type.Object(
  {
    testSessionResultId: Id,
    testSessionResultLink: Type.String({
      description:
        'A page for people: of the result, without a key for 30 days; until there is one, of the test',
    }),
    checkId: Id,
    checkType: Type.Enum([...checkTypes]),
    name: Type.String(),
    runLocation: Type.String(),
    sequenceId: Id,
    resultType: nullable(Type.Enum(['FINAL'])),
    status: Status,
    hasErrors: Type.Boolean(),
    hasFailures: Type.Boolean(),
    isDegraded: Type.Boolean(),
    aborted: Type.Boolean({ description: 'It could not be run' }),
    isCancelled: Type.Boolean(),
    errorGroupIds: Type.Array(Id, { description: 'Of test session error groups' }),
    startedAt: nullable(DateTime),
    stoppedAt: nullable(DateTime),
  },
  { title: 'TestSessionResult' },
)
export type TestSessionResult = Static<typeof TestSessionResult>

export const TestSession = Type.Object(
  {
    testSessionId: Id,
    testSessionLink: Type.String({ description: 'A page for people who are signed in' }),
    name: Type.String(),
    status: Status,
    provider: Provider,
    startedAt: DateTime,
    stoppedAt: nullable(DateTime),
    timeElapsed: Type.Number({ minimum: 0, description: 'Milliseconds' }),
    metadata: TestMetadata,
    errorGroupIds: Type.Array(Id),
    results: Type.Array(TestSessionResult),
  },
  { title: 'TestSession' },
)
export type TestSession = Static<typeof TestSession>

const text = nullable(Type.String())
const Checks = Type.Array(Type.String(), { description: 'Names of checks' })

const TestSessionItem = Type.Object(
  {
    id: Id,
    accountId: Id,
    projectId: text,
    name: Type.String(),
    provider: Provider,
    status: Status,
    running: Checks,
    passed: Checks,
    failed: Checks,
    cancelled: Checks,
    region: Type.String({ description: 'Empty: each check ran in its own first location' }),
    privateLocationId: text,
    invoker: Type.Null(),
    environment: text,
    repoUrl: text,
    commitId: text,
    commitOwner: text,
    commitMessage: text,
    branchName: text,
    startedAt: DateTime,
    stoppedAt: nullable(DateTime),
    created_at: DateTime,
    updated_at: nullable(DateTime),
  },
  { title: 'TestSessionItem' },
)
export type TestSessionItem = Static<typeof TestSessionItem>

export const TestSessionPage = pageOf(TestSessionItem, 'TestSessionPage')
