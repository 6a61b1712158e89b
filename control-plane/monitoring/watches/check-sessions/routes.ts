import { Type } from 'typebox'
import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { CheckSessionsTable } from '../../../platform/store/database/tables/check-sessions.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { ApiError } from '../../../platform/words/errors.ts'
import { lookUntil } from '../../runs/look-until.ts'
import { cancelSession } from './cancel-session.ts'
import type { Target } from './match-target.ts'
import { findSession } from './queries.ts'
import { CheckSession, CheckSessionWithResults, TriggerSessions } from './schema.ts'
import { serializeSession, serializeWithResults } from './serialize-session.ts'
import { isFinal, sessionWakeup } from './session-status.ts'
import { triggerSessions } from './trigger-sessions.ts'

const tag = 'Check sessions'
const SessionId = Type.Object({ checkSessionId: Type.String({ format: 'uuid' }) })
const exampleParams = { checkSessionId: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10' }

const defaultWaitSeconds = 30

type Version = 'v1' | 'v2'

const trigger = (version: Version) =>
  route({
    method: 'POST',
    path: `/${version}/check-sessions/trigger`,
    access: 'READ_RUN',
    tag,
    summary: 'Run checks now',
    description:
      'Starts a session for each active check that carries the tags or is named: `matchTags` is a list of alternatives, ' +
      'each a list of tags that must all be there; `!tag` must not. Without a target every active check runs. ' +
      "Deactivated checks, checks without a location and heartbeats are not run. Normal alert rules apply to the checks' results.",
    body: TriggerSessions,
    status: 201,
    otherStatuses: { 404: 'No check matches' },
    response: Type.Object({ sessions: Type.Array(CheckSession) }, { title: 'CheckSessions' }),
    deprecated: version === 'v1',
    example: { body: { target: { matchTags: [['production', '!slow']] } } },
    handle: async ({ body, principal }, app: App & HasWakeups) => {
      const sessions = await triggerSessions(app, {
        accountId: principal.accountId,
        target: (body.target ?? {}) as Target,
        refreshCache: body.refreshCache ?? false,
      })
      if (sessions.length === 0) throw new ApiError(404, 'No matching checks were found.')
      return { sessions: sessions.map((session) => serializeSession(app, session)) }
    },
  })

const read = (version: Version) =>
  route({
    method: 'GET',
    path: `/${version}/check-sessions/:checkSessionId`,
    access: 'READ_ONLY',
    tag,
    summary: 'A session and its results so far',
    params: SessionId,
    status: 200,
    response: CheckSessionWithResults,
    example: { params: exampleParams },
    handle: async ({ params, principal }, app: App & HasWakeups & HasCipher) =>
      serializeWithResults(app, await requireSession(app, principal.accountId, params.checkSessionId)),
  })

const completion = (version: Version) =>
  route({
    method: 'GET',
    path: `/${version}/check-sessions/:checkSessionId/completion`,
    access: 'READ_ONLY',
    tag,
    summary: 'Wait for a session to end',
    params: SessionId,
    query: Type.Object(
      { maxWaitSeconds: Type.Integer({ minimum: 1, maximum: 30, default: defaultWaitSeconds }) },
      { additionalProperties: false },
    ),
    status: 200,
    otherStatuses: { 408: 'Still running: ask again' },
    response: CheckSessionWithResults,
    example: { params: exampleParams, query: { maxWaitSeconds: 10 } },
    handle: async ({ params, query, principal, signal }, app: App & HasWakeups & HasCipher) => {
      const waiting = {
        name: sessionWakeup(params.checkSessionId),
        waitMs: query.maxWaitSeconds * 1000,
        signal,
      }
      const ended = await lookUntil(app, waiting, async () => {
        const session = await requireSession(app, principal.accountId, params.checkSessionId)
        return isFinal(session.status) ? session : undefined
      })
      if (ended) return serializeWithResults(app, ended)
      throw new ApiError(408, 'The session is still running', { headers: { 'retry-after': '1' } })
    },
  })

const cancel = (version: Version) =>
  route({
    method: 'POST',
    path: `/${version}/check-sessions/:checkSessionId/cancel`,
    access: 'READ_RUN',
    tag,
    summary: 'Cancel what still runs of a session',
    description:
      'Runs that have ended keep their result. `sequenceId` names the runs to cancel; without it all are.',
    params: SessionId,
    body: Type.Object(
      { sequenceId: Type.Optional(Type.Array(Type.String({ format: 'uuid' }), { maxItems: 100 })) },
      { additionalProperties: false, title: 'CancelSession' },
    ),
    status: 204,
    example: { params: exampleParams, body: {} },
    handle: async ({ params, body, principal }, app: App & HasWakeups) => {
      const session = await requireSession(app, principal.accountId, params.checkSessionId)
      await cancelSession(app, { session, sequenceIds: body.sequenceId ?? null })
    },
  })

const requireSession = async (
  app: App & HasWakeups,
  accountId: string,
  id: string,
): Promise<CheckSessionsTable> => {
  const session = await app.db.get(findSession, { id, accountId })
  if (!session) throw new ApiError(404, 'No such check session.')
  return session
}

const triggerV2 = trigger('v2')
const readV2 = read('v2')

export { readV2 as readCheckSession, triggerV2 as triggerCheckSessions }

export const checkSessionRoutes: Route<App & HasCipher & HasWakeups>[] = [
  trigger('v1'),
  read('v1'),
  completion('v1'),
  cancel('v1'),
  triggerV2,
  readV2,
  completion('v2'),
  cancel('v2'),
]
