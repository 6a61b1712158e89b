import { Type } from 'typebox'
import type { HasProviders } from '../../alerting/channels/providers.ts'
import type { App } from '../../platform/app/app.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { explainAlert } from './explain.ts'
import { AlertExplanation } from './schema.ts'

const id = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'

const example: AlertExplanation = {
  checkId: id,
  summary: 'The check is failing, which is not told yet: 2 of 3 failing runs in a row.',
  state: 'failing',
  since: '2026-01-01T00:00:00.000Z',
  told: null,
  response: null,
  rule: { text: '2 of 3 failing runs in a row', met: false, nextAlertAt: null },
  reminders: { sent: 0, amount: 2, intervalMinutes: 5 },
  settings: {
    alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 3 } },
    from: 'group',
    parallelLocations: 1,
    failurePercentage: null,
  },
  mutedBy: null,
  deactivatedBy: null,
  silencedBy: [],
  pausedBy: [],
  dependsOn: [],
  flapping: null,
  toldBy: null,
  keptBackBy: null,
  dependencyDowntime: [{ name: 'router', from: '2026-01-01T00:00:10.000Z', to: '2026-01-01T00:14:10.000Z' }],
  latestAlert: null,
  channels: [
    {
      alertChannelId: 7,
      type: 'EMAIL',
      subscribedThrough: 'check',
      alertNotificationId: null,
      status: null,
      sentAt: null,
      reason: 'The check has not alerted yet.',
    },
  ],
  sequence: [
    {
      checkResultId: '8f0b3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
      startedAt: '2026-01-01T00:01:00.000Z',
      runLocation: 'eu-west-1',
      verdict: 'failing',
      retries: 1,
    },
  ],
}

const explain = route({
  method: 'GET',
  path: '/v1/checks/:id/alert-explanation',
  access: 'READ_ONLY',
  tag: 'Checks',
  summary: 'Why a check did alert, or did not',
  description:
    'The final results as judged, the rule that applies with its numbers, whose settings they are, mutes and maintenance ' +
    'in force, and what became of the latest alert in each channel. Notices about certificates are not part of it.',
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  status: 200,
  response: AlertExplanation,
  example: { params: { id }, response: example },
  handle: async ({ params, principal: { accountId } }, app: App & HasProviders) => {
    const explanation = await explainAlert(app, { accountId, checkId: params.id })
    if (!explanation) throw notFound()
    return explanation
  },
})

export { explain as explainAlert }

export const alertExplanationRoutes: Route<App & HasProviders>[] = [explain]
