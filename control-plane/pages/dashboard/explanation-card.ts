/** Why a check alerted or did not, and what people may answer. */
import type { AlertExplanation } from '../../insight/alert-explanations/schema.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { factList } from '../../platform/web/html/section.ts'
import { counted, duration } from '../../platform/web/html/words.ts'
import { actionLink } from './operations.ts'
import { actionButton, agoOf, card, clock, linkButton } from './parts.ts'
import type { RequestContext } from './request-context.ts'
import { sayWord } from './words.ts'

/** Sentences of the API name its routes; here is a page instead. */
export const withoutPaths = (summary: string): Content => {
  const [before = '', after] = summary.split('GET /v1/missed-runs')
  return after === undefined
    ? summary
    : html`${before}<a href="/app">The page of what is wrong now</a>${after}`
}

/** An answer keeps back reminders; who was told of a failure may give one. */
export const answerButtons = (
  context: RequestContext,
  { told, response }: AlertExplanation,
  { checkId, back }: { checkId: string; back: string },
): Content => {
  if (told === null || !context.can('READ_RUN')) return null
  const to = (operation: string): string => actionLink(operation, { checkId }, { back })
  const acknowledge = actionButton(
    to('POST /v1/check-alerts/:checkId/acknowledge'),
    'Acknowledge',
    {},
    'main',
  )
  return html`${response?.action === 'ACKNOWLEDGED' ? null : acknowledge}${linkButton(to('POST /v1/check-alerts/:checkId/snooze'), 'Snooze')}${
    response === null
      ? null
      : actionButton(to('DELETE /v1/check-alerts/:checkId/response'), 'Take the answer back')
  }`
}

export const answerOf = ({ response }: AlertExplanation): Content =>
  response === null
    ? null
    : html`${response.action === 'ACKNOWLEDGED' ? 'Acknowledged' : 'Snoozed'} by ${response.by}, ${clock(Date.parse(response.at), true)}`

/** For whoever reads a run of a check whose channels were told of trouble; `back` is where he reads. */
export const openAlertCard = (
  context: RequestContext,
  explanation: AlertExplanation,
  { checkId, back }: { checkId: string; back: string },
): Html | null => {
  const { told, state, since } = explanation
  if (told === null) return null
  const { now } = context
  return card(
    'Its alert is open',
    html`<div class="buttons">${answerButtons(context, explanation, { checkId, back })}</div>${factList([
      ['The check is', since === null ? state : `${state} for ${duration(now - Date.parse(since))}`],
      ['Channels were told', told],
      ['Answer', answerOf(explanation)],
    ])}`,
    'alert',
  )
}

export const explanationCard = (
  explanation: AlertExplanation,
  channelNames: ReadonlyMap<number, string>,
  now: number,
): Html => {
  const {
    summary,
    rule,
    told,
    settings,
    channels,
    silencedBy,
    pausedBy,
    mutedBy,
    latestAlert,
    state,
    since,
  } = explanation
  return card(
    'Why did it alert, or not?',
    html`<p class="prose">${withoutPaths(summary)}</p>${factList([
      ['State', since === null ? state : `${state} for ${duration(now - Date.parse(since))}`],
      ['Rule', `${rule.text}: ${rule.met ? 'met' : 'not met'}`],
      ['Settings of', `the ${settings.from}`],
      ['Channels were told', told ?? 'that all is well'],
      ['Answer', answerOf(explanation)],
      ['Muted by', mutedBy],
      ['Silenced by', silencedBy.map(({ name }) => name).join(', ')],
      ['Paused by', pausedBy.map(({ name }) => name).join(', ')],
      [
        'Latest alert',
        latestAlert === null
          ? 'none'
          : html`${sayWord(latestAlert.alertType, 'alertType')}, ${agoOf(latestAlert.created_at, now)}`,
      ],
    ])}${channelList(channels, channelNames)}`,
    'why',
  )
}

const mostChannels = 20

const channelList = (channels: AlertExplanation['channels'], names: ReadonlyMap<number, string>): Html => {
  if (channels.length === 0)
    return html`<p class="quiet">The account has no alert channel. <a href="/app/channels">Channels</a></p>`
  const left = channels.length - mostChannels
  return html`<ul class="plain">${channels
    .slice(0, mostChannels)
    .map(
      ({ alertChannelId, reason }) =>
        html`<li><a href="/app/channels/${alertChannelId}">${names.get(alertChannelId) ?? `Channel ${alertChannelId}`}</a>: ${reason}</li>`,
    )}</ul>${left > 0 ? html`<p class="quiet">and ${counted(left, 'channel')} more</p>` : null}`
}
