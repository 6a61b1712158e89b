/**
 * The addresses of triggers: whoever knows one runs the checks behind it as a test and waits for what comes of it, as deployments do with one line of
 * `curl -f`.
 */

import { type Static, Type } from 'typebox'
import type { App } from '../../../platform/app/app.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { CheckTriggersTable } from '../../../platform/store/database/tables/checks.ts'
import { linkPreviews } from '../../../platform/web/http/limits/client-address.ts'
import { createRateLimiter, requireAllowed } from '../../../platform/web/http/limits/rate-limiter.ts'
import { type Route, reply, route } from '../../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../../platform/words/errors.ts'
import { findGroup } from '../../definitions/check-groups/queries.ts'
import { kindOf } from '../../definitions/checks/types/index.ts'
import { findTrigger, noteTriggerCall } from '../../definitions/triggers/queries.ts'
import { isToken } from '../../definitions/triggers/trigger-token.ts'
import { lookUntil } from '../../runs/look-until.ts'
import { sessionWakeup } from '../check-sessions/session-status.ts'
import { chooseChecks } from '../test-sessions/chosen-checks.ts'
import { finalResultOf } from '../test-sessions/final-result.ts'
import { findTest } from '../test-sessions/queries.ts'
import { testLink } from '../test-sessions/serialize-test.ts'
import { type StartedTest, startTest } from '../test-sessions/start-test.ts'
import { testLocation } from '../test-sessions/test-location.ts'

type Calling = App & HasCipher & HasWakeups

const waitMs = 30_000
const perTrigger = { requests: 10, seconds: 60 }
const maxCounted = 10_000
const limiterOf = perApp(() => createRateLimiter(perTrigger, maxCounted))

const text = Type.Optional(Type.String({ maxLength: 2048 }))

const CallQuery = Type.Object({
  deployment: text,
  deploymentId: text,
  repository: text,
  sha: text,
  environmentUrl: Type.Optional(
    Type.String({ maxLength: 2048, description: 'Scripts and requests find it as `ENVIRONMENT_URL`' }),
  ),
  environmentName: text,
  runLocation: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
})
type CallQuery = Static<typeof CallQuery>

const TriggerAnswer = Type.Object(
  {
    hasFailures: Type.Boolean({ description: 'Also of checks that could not be run, or had not after 30 s' }),
    responseTime: Type.Optional(
      Type.Number({ description: 'Milliseconds; of one check that sends a request' }),
    ),
    testSessionId: Type.String({ format: 'uuid' }),
    testSessionLink: Type.String(),
    message: Type.String(),
  },
  { title: 'TriggerAnswer' },
)
type TriggerAnswer = Static<typeof TriggerAnswer>

const start = async (app: Calling, trigger: CheckTriggersTable, query: CallQuery): Promise<StartedTest> => {
  const { account_id: accountId, kind, target } = trigger
  const isGroup = kind === 'group'
  const location = await testLocation(app, accountId, query.runLocation)
  const checks = await chooseChecks(app, {
    accountId,
    target: isGroup ? {} : { checkId: [target] },
    ...(isGroup ? { groupId: Number(target) } : {}),
    // Whoever calls the trigger of one check means it, whether it is due or not.
    allowDeactivated: !isGroup,
  })
  const group = isGroup ? await app.db.get(findGroup, { id: Number(target), accountId }) : undefined
  const { environmentUrl, environmentName, repository, sha, deploymentId } = query
  return startTest(app, {
    accountId,
    name: group?.name ?? checks[0]?.name ?? '',
    provider: 'TRIGGER',
    runSource: 'LEGACY_TRIGGER',
    metadata: {
      ...(environmentName === undefined ? {} : { environment: environmentName }),
      ...(repository === undefined ? {} : { repoUrl: repository }),
      ...(sha === undefined ? {} : { commitId: sha }),
      ...(deploymentId === undefined ? {} : { deploymentId }),
    },
    project: null,
    location,
    variables:
      environmentUrl === undefined
        ? []
        : [{ key: 'ENVIRONMENT_URL', value: environmentUrl, isHidden: false }],
    retryStrategy: null,
    refreshCache: false,
    checks,
  })
}

/** Of one check whose answer took a time of its own. */
const responseTimeOf = async (app: App, { sessions }: StartedTest): Promise<number | undefined> => {
  const [only, ...others] = sessions
  if (only === undefined || others.length > 0 || kindOf(only.check_type).detail?.http === undefined)
    return undefined
  return (await finalResultOf(app, only).catch(() => undefined))?.response_time
}

const outcome = async (app: Calling, started: StartedTest, signal: AbortSignal): Promise<TriggerAnswer> => {
  const { id, account_id: accountId } = started.test
  const ended = await lookUntil(app, { name: sessionWakeup(id), waitMs, signal }, async () => {
    const test = await app.db.get(findTest, { id, accountId })
    return test === undefined || test.stopped_at !== null ? (test ?? null) : undefined
  })
  const status = ended?.status ?? 'RUNNING'
  const responseTime = await responseTimeOf(app, started)
  return {
    hasFailures: status !== 'PASSED',
    ...(responseTime === undefined ? {} : { responseTime }),
    testSessionId: id,
    testSessionLink: testLink(app, id),
    message: messages[status] ?? '',
  }
}

const messages: Record<string, string> = {
  PASSED: 'All checks passed.',
  FAILED: 'A check failed, or could not be run.',
  CANCELLED: 'The run was cancelled.',
  RUNNING: 'The checks had not ended after 30 seconds; the test goes on.',
}

const call = (method: 'GET' | 'POST', kind: CheckTriggersTable['kind']) => {
  const [name, id] =
    kind === 'check'
      ? (['checks', Type.String({ format: 'uuid' })] as const)
      : (['check-groups', Type.Integer({ minimum: 1, maximum: 2_147_483_647 })] as const)
  return route({
    method,
    path: `/${name}/:id/trigger/:token`,
    access: 'PUBLIC',
    tag: 'Triggers',
    summary: `Run ${kind === 'check' ? 'a check' : 'the checks of a group'} by the address of its trigger`,
    description:
      'As a test: nobody is alerted. Answers when all have ended, or after 30 seconds. Ten requests a minute for each trigger. The trigger of a check ' +
      'also runs it while it is deactivated; that of a group leaves deactivated checks out.',
    params: Type.Object({ id, token: Type.String({ minLength: 1, maxLength: 200 }) }),
    query: CallQuery,
    status: 200,
    otherStatuses: {
      403: 'Link previews and search engines run nothing',
      404: 'There is no such trigger, or no check to run',
      503: 'A check failed, could not be run, or had not ended after 30 seconds',
    },
    response: TriggerAnswer,
    rateLimit: { requests: 60, seconds: 60 },
    deprecated: true,
    example: {
      params: {
        id: kind === 'check' ? '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11' : '12',
        token: 'cGxlYXNlIG1ha2UgeW91ciBvd24g',
      },
      query: { environmentName: 'staging', sha: '7fd1a60b' },
    },
    handle: async ({ params, query, headers, signal }, app: Calling) => {
      if (linkPreviews.test(headers['user-agent'] ?? ''))
        throw new ApiError(403, 'Link previews run no checks')
      const target = String(params.id).toLowerCase()
      const trigger = await app.db.get(findTrigger, { kind, target })
      if (!isToken(app.cipher, trigger, params.token) || trigger === undefined) throw notFound()
      const now = app.clock.now()
      const counted = { name: `${kind} ${target}`, wider: () => trigger.account_id }
      requireAllowed(limiterOf(app).take(counted, now))
      await app.db.run(noteTriggerCall, { kind, target, now })
      const answer = await outcome(app, await start(app, trigger, query), signal)
      return reply(answer, {
        status: answer.hasFailures ? 503 : 200,
        headers: { 'cache-control': 'no-store' },
      })
    },
  })
}

export const calledTriggerRoutes: Route<Calling>[] = [
  call('GET', 'check'),
  call('POST', 'check'),
  call('GET', 'group'),
  call('POST', 'group'),
]
