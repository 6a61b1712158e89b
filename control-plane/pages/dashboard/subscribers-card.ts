/** Who is told of through a channel, by name; and that nobody is, where that is so. */

import type { AlertChannel } from '../../alerting/alert-channels/schema.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { actionLink } from './operations.ts'
import { card, linkButton, table } from './parts.ts'
import { subscribersByName } from './queries.ts'
import type { RequestContext } from './request-context.ts'

const maxShown = 50

/** A subscription that is switched off tells nobody. */
export const isSilent = ({ subscriptions }: Pick<AlertChannel, 'subscriptions'>): boolean =>
  !subscriptions.some(({ activated }) => activated)

export const silentSentence = 'No check is told of through this channel.'

const subscribeButton = (context: RequestContext, id: number): Html | null =>
  context.can('READ_WRITE')
    ? linkButton(
        actionLink('POST /v1/alert-channels/:id/subscriptions', { id }, { back: `/app/channels/${id}` }),
        'Subscribe checks',
        'main',
      )
    : null

export const subscribersCard = async (context: RequestContext, channel: AlertChannel): Promise<Html> => {
  const { id, subscriptions, autoSubscribe } = channel
  if (subscriptions.length === 0)
    return html`<section class="card failing problem" role="alert"><h2>${say(silentSentence)}</h2><p>${
      autoSubscribe
        ? say('Only checks that are made from now on will be.')
        : say('Checks that are made from now on will be, unless their form says otherwise.')
    }</p><p>${subscribeButton(context, id)}</p></section>`
  const rows = await context.app.db.all(subscribersByName, {
    accountId: context.principal.accountId,
    channelId: id,
    limit: maxShown,
  })
  return card(
    [
      count(subscriptions.length, { one: '# subscription', other: '# subscriptions' }),
      isSilent(channel) && ['. ', say(silentSentence)],
    ],
    html`${table<(typeof rows)[number]>(
      'Subscriptions',
      [
        {
          label: 'Check or group',
          kind: 'main',
          cell: ({ check_id, check_name, group_id, group_name }) =>
            check_id === null
              ? html`<a href="/app/checks?group=${group_id}">${group_name}</a> <span class="quiet">group</span>`
              : html`<a href="/app/checks/${check_id}">${check_name}</a>`,
        },
        { label: 'State', cell: ({ activated }) => (activated ? say('told') : say('switched off')) },
      ],
      rows,
      '',
    )}${subscriptions.length > rows.length ? html`<p class="quiet">These are the first ${rows.length}.</p>` : null}`,
    'subscribers',
  )
}
