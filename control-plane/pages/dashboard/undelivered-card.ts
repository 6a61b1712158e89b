/** Channels whose messages did not arrive: a row for each, however many messages it is. */
import { listAlertNotifications } from '../../alerting/notifications/routes.ts'
import type { AlertNotification } from '../../alerting/notifications/schema.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { count } from '../../platform/web/html/say.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import { deliveryWords } from './delivery-words.ts'
import { channelName } from './forms/choices.ts'
import { actionLink } from './operations.ts'
import { actionButton, agoOf, card, table } from './parts.ts'
import type { RequestContext } from './request-context.ts'

const mostRead = 100

type Broken = { newest: AlertNotification; messages: readonly AlertNotification[] }

export const undeliveredCard = async (context: RequestContext): Promise<Html> => {
  const { body } = await context.call(listAlertNotifications, {
    query: { limit: mostRead, hasFailures: true },
  })
  const byChannel = Map.groupBy<number, AlertNotification>(body, ({ alertChannelId }) => alertChannelId)
  const broken = [...byChannel.values()].flatMap((messages): Broken[] =>
    messages[0] === undefined ? [] : [{ newest: messages[0], messages }],
  )
  return card(
    'Messages that did not arrive, last 24 hours',
    table<Broken>(
      'Messages that did not arrive',
      [
        {
          label: 'Channel',
          kind: 'main',
          cell: ({ newest: { type, alertChannelId, notificationResult, alertConfig } }) =>
            html`<a href="/app/channels/${alertChannelId}">${channelName({ id: alertChannelId, type, config: alertConfig })}</a><p class="why">${cut(withoutCredentials(notificationResult ?? ''), 200)}</p>`,
        },
        {
          label: 'Messages',
          kind: 'num',
          cell: ({ messages }) =>
            body.length === mostRead
              ? html`${messages.length}+`
              : count(messages.length, { one: '# message', other: '# messages' }),
        },
        {
          label: 'Last try',
          cell: ({ newest }) =>
            html`${agoOf(newest.timestamp, context.now)}<p class="why">${deliveryWords(newest)}</p>`,
        },
        {
          label: '',
          kind: 'act',
          cell: ({ newest: { id, status }, messages }) => {
            if (messages.length > 1) return html`<a href="/app/channels">All of them</a>`
            return context.can('READ_WRITE') && status === 'FAILURE'
              ? actionButton(
                  actionLink('POST /v1/alert-notifications/:id/resend', { id }, { back: '/app' }),
                  'Send again',
                )
              : null
          },
        },
      ],
      broken,
      'None: everything was delivered.',
    ),
    'undelivered',
  )
}
