/** The first card of a check's page: how it is, why, and what may be done about it. Pure. */
import { saidReason } from '../../insight/result-pages/said-reason.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, say, sayTold } from '../../platform/web/html/say.ts'
import { lasted } from '../../platform/web/html/words.ts'
import type { CheckState } from './check-state.ts'
import { answerButtons, answerOf, summaryOf } from './explanation-card.ts'
import { actionLink } from './operations.ts'
import { agoOf, clock, linkButton, stateMark, toneOf } from './parts.ts'
import type { RequestContext } from './request-context.ts'

const longestReason = 500

export const stateCard = (context: RequestContext, checkId: string, facts: CheckState): Html => {
  const { state, reason } = facts
  return html`<section class="card verdict ${toneOf(state)}" id="state" data-part><h2>${stateMark(state)}${headline(facts, context.now)}</h2>
${reason === null ? null : html`<p class="because" dir="auto">${saidReason(reason, longestReason)}</p>`}
${firstLook(facts)}${flappingLine(facts)}${toldLine(facts)}${warningLines(facts)}${buttons(context, checkId, facts)}</section>`
}

const headline = ({ state, status, since, places, newest, names }: CheckState, now: number): Content => {
  const last =
    newest === null
      ? null
      : html` <span class="quiet">last run ${agoOf(newest.startedAt, now)}${newest.runLocation === '' ? null : [', ', names(newest.runLocation)]}</span>`
  const silent = status?.staleSince
    ? html` <span class="quiet">no result since ${clock(Date.parse(status.staleSince), true)} <span data-zone>UTC</span></span>`
    : null
  if (state === 'stale') return silent
  if (state !== 'failing' && state !== 'degraded') return last
  return html`${since === null ? null : html` for ${lasted(now - since)}`}${placesInWords(places, names)}${since === null ? null : html` <span class="quiet">since ${clock(since, true)} <span data-zone>UTC</span></span>`}${silent}`
}

const placesInWords = ({ affected, all }: CheckState['places'], names: CheckState['names']): Content => {
  if (affected.length === 0 || all.join() === '') return null
  if (affected.length === all.length && all.length > 1)
    return all.length === 2 ? html`, in both locations` : html`, in all ${all.length} locations`
  const shown = affected.slice(0, 3).map((place, at) => [at === 0 ? '' : ', ', names(place)])
  const more = affected.length > 3 ? html` and ${affected.length - 3} more` : null
  return all.length === 1
    ? html`, in ${shown}`
    : html`, in ${affected.length} of ${all.length} locations: ${shown}${more}`
}

const firstLook = ({ firstStep, rootCause }: CheckState): Html | null =>
  firstStep === null
    ? null
    : html`<p><b>Look first:</b> ${firstStep}</p>${
        rootCause === null
          ? null
          : html`<details><summary>Probable cause</summary><p class="prose">${rootCause}</p></details>`
      }`

const deliveries: { [status: string]: string } = {
  SUCCESS: 'delivered',
  IN_PROGRESS: 'is on its way',
  FAILURE: 'could not be delivered',
  WITHDRAWN: 'was not sent, as its hours say',
  RATE_LIMITED: 'waits, the receiver asked for a pause',
}

const mostNamed = 6

const toldLine = (facts: CheckState): Html | null => {
  const { state, explanation, channelNames, isUntold } = facts
  const { told, mutedBy, silencedBy, channels } = explanation
  if (state === 'paused') return null
  const nameOf = (id: number): Content => channelNames.get(id) ?? say('Channel {0}', id)
  const link = (id: number): Html => html`<a href="/app/channels/${id}">${nameOf(id)}</a>`
  const listed = (items: readonly Content[]): Content =>
    items.length > mostNamed
      ? say('{0} and {1} more', separated(items.slice(0, mostNamed)), items.length - mostNamed)
      : separated(items)
  const alone = (content: Content): Html => html`<p class="told">${content}</p>`
  const line = (content: Content): Html => html`${keptBackLine(facts)}${alone(content)}`
  if (mutedBy !== null)
    return line(
      mutedBy === 'group'
        ? html`<b>Nobody is told:</b> its group is muted.`
        : html`<b>Nobody is told:</b> it is muted.`,
    )
  if (explanation.toldBy !== null && told !== null) return line(summaryOf(facts.explained.told.summary))
  const sent = channels.filter(({ status }) => told !== null && status !== null)
  if (sent.length > 0)
    return line(
      html`<b>Told:</b> ${listed(
        sent.map(
          ({ alertChannelId, status, sentAt }) =>
            html`${link(alertChannelId)} ${sentAt === null ? null : clock(Date.parse(sentAt), true)} ${say(deliveries[status ?? ''] ?? '')}`,
        ),
      )}. ${answerLine(explanation)}`,
    )
  if (isUntold)
    return line(
      html`<b>Nobody is told when it fails:</b> no alert channel is subscribed to it. <a href="/app/channels">Alert channels</a>`,
    )
  if (silencedBy.length > 0)
    return line(html`<b>Maintenance keeps alerts back:</b> ${silencedBy.map(({ name }) => name).join(', ')}`)
  // It says itself what keeps the failure back.
  if (explanation.keptBackBy !== null || told !== null) return alone(summaryOf(facts.explained.told.summary))
  if (state === 'failing' || state === 'degraded')
    return line(html`<b>Not told yet:</b> ${sayTold(facts.explained.told.rule)}.`)
  const subscribed = channels.filter(({ subscribedThrough }) => subscribedThrough !== null)
  return subscribed.length === 0
    ? null
    : line(
        html`<span class="quiet">When it fails, told:</span> ${listed(subscribed.map(({ alertChannelId }) => link(alertChannelId)))}`,
      )
}

/** Beside another reason why nobody is told. */
const keptBackLine = ({ state, explained: { told } }: CheckState): Html | null =>
  told.keptBack === null || (state !== 'failing' && state !== 'degraded')
    ? null
    : html`<p class="told" id="kept-back"><b>Because of another:</b> ${sayTold(told.keptBack)}.</p>`

const separated = (items: readonly Content[]): Content =>
  items.map((item, position) => [position === 0 ? null : ' · ', item])

const answerLine = (explanation: CheckState['explanation']): Content =>
  explanation.response === null ? say('Nobody has acknowledged.') : html`<b>${answerOf(explanation)}</b>`

const flappingLine = ({ state, explanation: { flapping } }: CheckState): Html | null =>
  flapping === null || state === 'paused'
    ? null
    : html`<p class="told" id="flapping"><b>It flaps</b> since ${clock(Date.parse(flapping.since), true)}: ${count(
        flapping.changes,
        { one: '# change in its last 21 runs', other: '# changes in its last 21 runs' },
      )}. That is told once, and how it is when it no longer does.</p>`

const warningLines = ({ warnings }: CheckState): Html | null =>
  warnings.length === 0
    ? null
    : html`<ul class="plain" id="warnings">${warnings.map((message) => html`<li>${sayTold(message)}</li>`)}</ul>`

const buttons = (context: RequestContext, checkId: string, facts: CheckState): Content => {
  const { state, decisive, explanation } = facts
  if (state === 'paused') return null
  const back = `/app/checks/${checkId}`
  const run =
    decisive === null
      ? null
      : linkButton(
          `/app/runs/${checkId}/${decisive.id}`,
          state === 'failing' ? say('The failing run') : say('The degraded run'),
        )
  const incident =
    state === 'failing' && context.can('READ_WRITE')
      ? linkButton(
          actionLink('POST /v1/status-pages/incidents', {}, { back: '/app/incidents' }),
          'Open an incident',
        )
      : null
  const answer = answerButtons(context, explanation, { checkId, back })
  return answer === null && run === null && incident === null
    ? null
    : html`<div class="buttons">${answer}${run}${incident}</div>`
}
