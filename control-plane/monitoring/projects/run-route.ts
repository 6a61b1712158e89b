/** Checks of files are run before anybody saves them, as a test. */
import { Type } from 'typebox'
import { checkTypes, exampleType } from '../../../protocol/check-type.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { route } from '../../platform/web/http/route.ts'
import type { ApiCaller } from '../../platform/web/http/server/api-caller.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { RetryStrategy } from '../definitions/checks/retry-strategy.ts'
import { checkKinds } from '../definitions/checks/types/index.ts'
import { clientTestFields, metadataOf } from '../watches/test-sessions/client-routes.ts'
import { testProviders } from '../watches/test-sessions/schema.ts'
import { startTest } from '../watches/test-sessions/start-test.ts'
import { testLocation } from '../watches/test-sessions/test-location.ts'
import { Deploy, NewProject } from './schema.ts'
import { type ClientJob, unsavedChecks } from './unsaved-checks.ts'

const Id = Type.String({ format: 'uuid' })

/** The body of a creation, and what the client says of its run. */
const Job = Type.Object(
  {
    checkType: Type.Enum([...checkTypes]),
    logicalId: NewProject.properties.logicalId,
    filePath: Type.Optional(nullable(Type.String({ maxLength: 4096 }))),
    group: Type.Optional(nullable(Type.Object({}), { description: 'The body of the creation of its group' })),
    testRetryStrategy: Type.Optional(nullable(RetryStrategy)),
    sourceInfo: Type.Optional(
      Type.Object({
        checkRunSuiteId: Type.Optional(Id),
        updateSnapshots: Type.Optional(Type.Boolean({ description: 'true is refused' })),
      }),
    ),
  },
  { additionalProperties: true, title: 'ClientTestJob' },
)

const ClientRun = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    project: Type.Object({ logicalId: NewProject.properties.logicalId }),
    checkRunJobs: Type.Array(Job, { minItems: 1, maxItems: 400 }),
    sharedFiles: Type.Optional(Deploy.properties.sharedFiles),
    streamLogs: Type.Optional(Type.Boolean({ description: 'Without effect' })),
    ...clientTestFields,
  },
  { additionalProperties: false, title: 'ClientTestRun' },
)

export const runRoute = (api: ApiCaller) =>
  route({
    method: 'POST',
    path: '/v1/test-sessions/run',
    access: 'READ_WRITE',
    tag: 'Test sessions',
    summary: 'Run checks as a test before they are saved, in the words of command-line clients',
    description:
      'Each job is the body of the creation of a check. Nobody is alerted and no check is made; the test goes with its time. Results are told by ' +
      'MQTT as those of `POST /next/test-sessions/trigger`. A group lends its settings, and not its scripts.',
    body: ClientRun,
    bodyLimit: 32 * 1024 * 1024,
    status: 202,
    otherStatuses: { 429: 'Too many tests are running' },
    response: Type.Object(
      {
        testSessionId: Id,
        sequenceIds: Type.Record(Type.String(), Id, { description: 'By logical id' }),
      },
      { title: 'ClientTestRunning' },
    ),
    example: {
      body: {
        name: 'Shop',
        project: { logicalId: 'shop' },
        checkRunJobs: [{ logicalId: 'home', checkType: exampleType, ...checkKinds[exampleType].example }],
      },
    },
    handle: async ({ body, principal: { accountId } }, app: App & HasCipher & HasWakeups) => {
      const { name, project, sharedFiles = [], refreshCache = false } = body
      const jobs = body.checkRunJobs as readonly (ClientJob & (typeof body.checkRunJobs)[number])[]
      const location = await testLocation(app, accountId, body.runLocation)
      const checks = await unsavedChecks(app, jobs, {
        ...{ api, accountId, project: project.logicalId, sharedFiles, hasLocation: location !== null },
      })
      const [first] = jobs
      const { test, sessions } = await startTest(app, {
        ...{
          accountId,
          name,
          provider: testProviders[0],
          runSource: 'TEST_RECORD',
          refreshCache,
          checks,
          location,
        },
        metadata: metadataOf(body),
        project: project.logicalId,
        suiteId: first?.sourceInfo?.checkRunSuiteId?.toLowerCase(),
        sourceFiles: jobs.map(({ filePath }) => filePath ?? ''),
        variables: [],
        retryStrategy: first?.testRetryStrategy ?? null,
      })
      const ids = jobs.map(({ logicalId }, at) => [logicalId, sessions[at]?.id ?? ''])
      return { testSessionId: test.id, sequenceIds: Object.fromEntries(ids) }
    },
  })
