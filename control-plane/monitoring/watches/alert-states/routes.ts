import { type Static, Type } from 'typebox'
import { AlertAnswer, shownResponse } from '../../../alerting/check-alerts/schema.ts'
import { longestSnoozeMs } from '../../../alerting/messages/alert-response.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import { type AccountPrincipal, type Route, route } from '../../../platform/web/http/route.ts'
import { ApiError, invalid, notFound, violation } from '../../../platform/words/errors.ts'
import { findCheck } from '../../definitions/checks/queries.ts'
import { type AlertAction, respondToAlert } from './respond-to-alert.ts'
import { responderOf } from './responder.ts'

const tag = 'Check alerts'
const minuteMs = 60_000
const CheckId = Type.Object({ checkId: Type.String({ format: 'uuid' }) })
const example = { checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11' }
const answer = {
  action: 'ACKNOWLEDGED',
  at: '2026-01-01T00:00:10.000Z',
  until: null,
  by: 'ada@example.com',
  via: 'API_KEY',
} as const

const AlertId = Type.Optional(
  Type.String({
    format: 'uuid',
    description: 'The alert that is meant: 409 when its failure is over. The open one when left out',
  }),
)
const Acknowledgement = Type.Object(
  { checkAlertId: AlertId },
  { additionalProperties: false, title: 'AlertAcknowledgement' },
)
const Snooze = Type.Object(
  {
    checkAlertId: AlertId,
    minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: longestSnoozeMs / minuteMs })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Instead of `minutes`' })),
  },
  { additionalProperties: false, title: 'AlertSnooze' },
)

const nothingOpen =
  'No alert of the check is open: nothing was told of it, it has recovered, or the alert is an older one'
const otherStatuses = { 409: nothingOpen }

type Request = { checkId: string; checkAlertId?: string | undefined; action: AlertAction }

/** @throws ApiError 404, 409 */
const respond = async (
  app: App & HasWakeups,
  principal: AccountPrincipal,
  { checkId, checkAlertId, action }: Request,
) => {
  const { accountId } = principal
  if (!(await app.db.get(findCheck, { id: checkId, accountId }))) throw notFound()
  const who = await responderOf(app, principal)
  const done = await respondToAlert(app, { accountId, checkId, alertId: checkAlertId }, { action, ...who })
  if (done === undefined) throw new ApiError(409, nothingOpen)
  return done.response
}

/** @throws ApiError 400 */
const snoozeEnd = ({ minutes, until }: Static<typeof Snooze>, now: number): number => {
  if ((minutes === undefined) === (until === undefined))
    throw invalid([violation('minutes', 'required', 'or "until" is required, and not both')])
  const end = until === undefined ? now + (minutes ?? 0) * minuteMs : Date.parse(until)
  if (end <= now || end > now + longestSnoozeMs)
    throw invalid([violation('until', 'range', 'must be in the next 30 days')])
  return end
}

const acknowledge = route({
  method: 'POST',
  path: '/v1/check-alerts/:checkId/acknowledge',
  access: 'READ_RUN',
  tag,
  summary: 'Acknowledges the open alert of a check',
  description:
    'Somebody knows: there are no reminders until the check recovers. A recovery is told, and a failure that becomes worse. ' +
    'Acknowledged twice, the first one stays.',
  params: CheckId,
  body: Acknowledgement,
  status: 200,
  otherStatuses,
  response: AlertAnswer,
  example: { params: example, body: {}, response: answer },
  handle: async ({ params, body, principal }, app: App & HasWakeups) => {
    const response = await respond(app, principal, { ...params, ...body, action: { kind: 'acknowledge' } })
    if (response === null) throw new ApiError(409, nothingOpen)
    return shownResponse(response)
  },
})

const snooze = route({
  method: 'POST',
  path: '/v1/check-alerts/:checkId/snooze',
  access: 'READ_RUN',
  tag,
  summary: 'Snoozes the open alert of a check',
  description:
    'There are no reminders until then. If the check has not recovered by then, that is told once, and reminders begin again.',
  params: CheckId,
  body: Snooze,
  status: 200,
  otherStatuses,
  response: AlertAnswer,
  example: {
    params: example,
    body: { minutes: 60 },
    response: { ...answer, action: 'SNOOZED', until: '2026-01-01T01:00:10.000Z' },
  },
  handle: async ({ params, body, principal }, app: App & HasWakeups) => {
    const action = { kind: 'snooze', until: snoozeEnd(body, app.clock.now()) } as const
    const response = await respond(app, principal, { ...params, ...body, action })
    if (response === null) throw new ApiError(409, nothingOpen)
    return shownResponse(response)
  },
})

const withdraw = route({
  method: 'DELETE',
  path: '/v1/check-alerts/:checkId/response',
  access: 'READ_RUN',
  tag,
  summary: 'Takes back what was answered to the open alert of a check',
  description: 'Reminders go on; those that were kept back meanwhile are one.',
  params: CheckId,
  status: 204,
  otherStatuses,
  example: { params: example },
  handle: async ({ params, principal }, app: App & HasWakeups) => {
    await respond(app, principal, { ...params, action: { kind: 'withdraw' } })
  },
})

export const alertResponseRoutes: Route<App & HasWakeups>[] = [acknowledge, snooze, withdraw]
