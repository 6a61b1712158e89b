/**
 * Where links in messages lead to answer an alert. Opening shows what is wrong and buttons; only a form that is sent acts, because mail
 * scanners and chats open every link.
 */

import { Type } from 'typebox'
import { isTestCheck } from '../../alerting/alert-channels/test-event.ts'
import type { HasProviders } from '../../alerting/channels/providers.ts'
import { openAlertToken } from '../../alerting/messages/alert-link.ts'
import type { Responder } from '../../alerting/messages/alert-response.ts'
import { stateFor } from '../../insight/alert-explanations/state-in-words.ts'
import { refuse } from '../../insight/result-pages/refusals.ts'
import { type AlertAction, respondToAlert } from '../../monitoring/watches/alert-states/respond-to-alert.ts'
import { responderOf } from '../../monitoring/watches/alert-states/responder.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { localTimes } from '../../platform/web/html/assets.ts'
import { html } from '../../platform/web/html/html.ts'
import { notice, page } from '../../platform/web/html/html-page.ts'
import { sessionOf } from '../../platform/web/http/auth/session.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { alertPage, snoozeChoices } from './alert-page.ts'
import { type AlertOfLink, readAlert } from './read-alert.ts'
import { alertRefusals, testNotice } from './refusals.ts'

const tag = 'Check alerts'
const token = 'Px6PC48PTFWaPio9HS9LEQAAAAAAB2liQqPLnYv5mR0w2VvQp3bq7nVu1kT6'
const Params = Type.Object({ token: Type.String() })
const rateLimit = { requests: 60, seconds: 60 }
const otherStatuses = {
  404: 'The link is not one of ours',
  410: 'The link has expired, or the check is gone',
}

type Headers = Readonly<Record<string, string | undefined>>

/** What the link leads to, or why it leads nowhere. */
const opened = async (
  app: App & HasCipher & HasProviders,
  token: string,
  headers: Headers,
): Promise<AlertOfLink | { refusal: Reply<string> }> => {
  const linked = openAlertToken(app, token)
  if (linked === undefined) return { refusal: refuse(alertRefusals.wrong, headers) }
  if (linked.expiresAt <= app.clock.now()) return { refusal: refuse(alertRefusals.expired, headers) }
  if (isTestCheck(linked.alertId)) return { refusal: notice(testNotice) }
  return (await readAlert(app, linked)) ?? { refusal: refuse(alertRefusals.gone, headers) }
}

const show = route({
  method: 'GET',
  path: '/alerts/:token',
  access: 'PUBLIC',
  tag,
  summary: 'The page that acknowledges or snoozes an alert, as messages name it',
  description:
    'For people; needs no key. The token is made by the control plane and names one alert for 14 days. Opening it changes nothing. Programs use ' +
    '`POST /v1/check-alerts/{checkId}/acknowledge` and `/snooze`.',
  params: Params,
  status: 200,
  otherStatuses,
  responseType: 'text/html',
  otherTypes: { errors: ['text/html'] },
  response: Type.String(),
  rateLimit,
  example: { params: { token } },
  handle: async ({ params, headers }, app: App & HasCipher & HasProviders) => {
    const found = await opened(app, params.token, headers)
    if ('refusal' in found) return found.refusal
    return page({
      title: html`${stateFor(found.facts.alerting.explanation.state, null)}: ${found.facts.checkName}`,
      content: alertPage(found.facts),
      hasForm: true,
      scripts: [localTimes],
    })
  },
})

const AnswerForm = Type.Object(
  {
    action: Type.Enum(['acknowledge', 'snooze', 'withdraw']),
    minutes: Type.Optional(Type.Enum(snoozeChoices.map(({ minutes }) => String(minutes)))),
  },
  { additionalProperties: false, title: 'AlertAnswerForm' },
)

const answer = route({
  method: 'POST',
  path: '/alerts/:token',
  access: 'PUBLIC',
  tag,
  summary: 'What the form of that page sends',
  params: Params,
  body: AnswerForm,
  form: true,
  status: 303,
  otherStatuses,
  responseType: 'text/html',
  otherTypes: { errors: ['text/html'] },
  response: Type.String(),
  rateLimit,
  example: { params: { token }, body: { action: 'acknowledge' } },
  handle: async ({ params, body, headers }, app: App & HasWakeups & HasCipher & HasProviders) => {
    const found = await opened(app, params.token, headers)
    if ('refusal' in found) return found.refusal
    const minutes = Number(body.minutes ?? 60)
    const action: AlertAction =
      body.action === 'snooze'
        ? { kind: 'snooze', until: app.clock.now() + minutes * 60_000 }
        : { kind: body.action }
    // Whatever came of it, the page says how things are now.
    await respondToAlert(app, found, { action, ...(await whoAnswers(app, found, headers)) })
    return reply('', { headers: { location: `/alerts/${params.token}`, 'cache-control': 'no-store' } })
  },
})

/** Whoever is signed in, or whoever got the message. */
const whoAnswers = async (
  app: App & HasWakeups & HasCipher,
  { accountId, channel }: AlertOfLink,
  headers: Headers,
): Promise<Responder> => {
  const session = await sessionOf(app, headers)
  if (session !== null && session.accountId === accountId) return responderOf(app, session)
  return { by: channel, via: 'LINK' }
}

export const alertPageRoutes: Route<App & HasCipher & HasProviders & HasWakeups>[] = [show, answer]
