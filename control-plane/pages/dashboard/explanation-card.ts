/** Why a check alerted or did not, and what people may answer. */
import type { Explained } from '../../insight/alert-explanations/explain.ts'
import type { AlertExplanation } from '../../insight/alert-explanations/schema.ts'
import { sayResponder, stateFor } from '../../insight/alert-explanations/state-in-words.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, say, sayTold } from '../../platform/web/html/say.ts'
import { factList } from '../../platform/web/html/section.ts'
import type { Told } from '../../platform/words/told.ts'
import { actionLink } from './operations.ts'
import { actionButton, agoOf, card, clock, linkButton } from './parts.ts'
import type { RequestContext } from './request-context.ts'
import { sayWord } from './words.ts'

/** Pages link to what programs are given the address of. */
const withoutAddress: { readonly [text: string]: Content } = {
  'Nothing is known of the check: no run has been judged. GET /v1/missed-runs lists those that could not be run.':
    say('Nothing is known of the check: no run has been judged.'),
  'Nothing is known of the check now: no agent could run it when it was last due. GET /v1/missed-runs says why.':
    say('Nothing is known of the check now: no agent could run it when it was last due.'),
  'Nothing is known of the check now: no result has come for longer than three of its periods and a minute. GET /v1/missed-runs says why.':
    say(
      'Nothing is known of the check now: no result has come for longer than three of its periods and a minute.',
    ),
}

/** Sentences of the API name its routes; here is a page instead. */
export const summaryOf = (told: readonly Told[]): Content => [
  told.map((each, at) => [at === 0 ? '' : ' ', withoutAddress[each.text] ?? sayTold(each)]),
  told.some(({ text }) => text.includes('GET /v1/missed-runs')) &&
    html` <a href="/app">What is wrong now</a>`,
]

/** An answer keeps back reminders; who was told of a failure may give one. */
export const answerButtons = (
  context: RequestContext,
  { told, response }: AlertExplanation,
  { checkId, back }: { checkId: string; back: string },
): Content => {
  if (told === null || !context.can('READ_RUN')) return null
  const to = (operation: string, filled = {}): string =>
    actionLink(operation, { checkId }, { back, ...filled })
  const acknowledge = actionButton(
    to('POST /v1/check-alerts/:checkId/acknowledge'),
    'Acknowledge',
    {},
    'main',
  )
  return html`${response?.action === 'ACKNOWLEDGED' ? null : acknowledge}${linkButton(to('POST /v1/check-alerts/:checkId/snooze', { minutes: '60' }), 'Snooze')}${
    response === null
      ? null
      : actionButton(to('DELETE /v1/check-alerts/:checkId/response'), 'Take the answer back')
  }`
}

export const answerOf = ({ response }: AlertExplanation): Content =>
  response === null
    ? null
    : html`${response.action === 'ACKNOWLEDGED' ? say('Acknowledged by {0}', sayResponder(response.by)) : say('Snoozed by {0}', sayResponder(response.by))}, ${clock(Date.parse(response.at), true)}`

/** What was alerted and reached nobody was told to nobody. */
const lastTold = ({ told, channels, latestAlert }: AlertExplanation): Content => {
  if (latestAlert === null) return say('nothing yet')
  if (!channels.some(({ status }) => status === 'SUCCESS')) return say('nothing that arrived')
  return told === null ? say('that all is well') : stateFor(told, null)
}

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
      ['The check is', stateFor(state, since === null ? null : now - Date.parse(since))],
      ['Channels were told', lastTold(explanation)],
      ['Answer', answerOf(explanation)],
    ])}`,
    'alert',
  )
}

export const explanationCard = (
  { explanation, told: words }: Explained,
  channelNames: ReadonlyMap<number, Content>,
  now: number,
): Html => {
  const { rule, settings, channels, silencedBy, pausedBy, mutedBy, latestAlert, state, since } = explanation
  return card(
    'Why did it alert, or not?',
    html`<p class="prose">${summaryOf(words.summary)}</p>${factList([
      ['State', stateFor(state, since === null ? null : now - Date.parse(since))],
      ['Rule', rule.met ? say('{0}: met', sayTold(words.rule)) : say('{0}: not met', sayTold(words.rule))],
      ['Settings of', sayWord(settings.from, 'from')],
      ['Channels were told', lastTold(explanation)],
      ['Answer', answerOf(explanation)],
      ['Muted by', mutedBy === null ? null : sayWord(mutedBy, 'from')],
      ['Silenced by', silencedBy.map(({ name }) => name).join(', ')],
      ['Depends on', dependsOn(explanation)],
      ['Failed because of others', becauseOfOthers(explanation)],
      ['Paused by', pausedBy.map(({ name }) => name).join(', ')],
      [
        'Latest alert',
        latestAlert === null
          ? say('none')
          : html`${sayWord(latestAlert.alertType, 'alertType')}, ${agoOf(latestAlert.created_at, now)}`,
      ],
    ])}${channelList(channels, { names: channelNames, reasons: words.reasons })}`,
    'why',
  )
}

const dependsOn = ({ dependsOn: all }: AlertExplanation): Content =>
  all.length === 0 ? null : html`<a href="/app/dependencies">${all.map(({ name }) => name).join(', ')}</a>`

const mostTimes = 5

/** That was told to nobody: this was down. */
const becauseOfOthers = ({ dependencyDowntime: times }: AlertExplanation): Content =>
  times.length === 0
    ? null
    : html`<ul class="plain">${times.slice(0, mostTimes).map(({ name, from, to }) => html`<li>${timeOf(from, to)}: ${say('because {0} was down', html`<bdi>${name}</bdi>`)}</li>`)}</ul>`

const timeOf = (from: string, to: string | null): Content =>
  to === null
    ? say('since {0}', clock(Date.parse(from), true))
    : html`${clock(Date.parse(from), true)} – ${clock(Date.parse(to), true)}`

const reasonIn = (told: Told | undefined): Content => (told === undefined ? null : sayTold(told))

const mostChannels = 20

type ChannelWords = { names: ReadonlyMap<number, Content>; reasons: Explained['told']['reasons'] }

const channelList = (channels: AlertExplanation['channels'], { names, reasons }: ChannelWords): Html => {
  if (channels.length === 0)
    return html`<p class="quiet">The account has no alert channel. <a href="/app/channels">Channels</a></p>`
  const left = channels.length - mostChannels
  return html`<ul class="plain">${channels
    .slice(0, mostChannels)
    .map(
      ({ alertChannelId }) =>
        html`<li><a href="/app/channels/${alertChannelId}">${names.get(alertChannelId) ?? say('Channel {0}', alertChannelId)}</a>: ${reasonIn(reasons.get(alertChannelId))}</li>`,
    )}</ul>${left > 0 ? html`<p class="quiet">${count(left, { one: 'and # channel more', other: 'and # channels more' })}</p>` : null}`
}
