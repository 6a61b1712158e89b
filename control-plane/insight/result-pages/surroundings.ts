/** What stands around a result: alerting now, the attempts of its run, its log and its files. Pure. */

import type { LogLine } from '../../../protocol/result.ts'
import { locationInWords } from '../../alerting/messages/message.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { count, say, sayAll } from '../../platform/web/html/say.ts'
import { cut, section, withoutCredentials } from '../../platform/web/html/section.ts'
import { utc } from '../../platform/web/html/utc.ts'
import { ago, milliseconds } from '../../platform/web/html/words.ts'
import type { AlertExplanation } from '../alert-explanations/schema.ts'
import { stateFor } from '../alert-explanations/state-in-words.ts'
import type { Attempt, ResultFacts } from './read-facts.ts'
import { saidReason } from './said-reason.ts'
import { verdictOf } from './verdict.ts'

/** How the check does by now: the first thing that somebody who opens an old message wants to know. */
export const nowSection = ({ alerting, now, result, reader }: ResultFacts): Html | null => {
  if (alerting === null) return null
  const { explanation, told } = alerting
  const { state, since, sequence } = explanation
  const [latest] = sequence
  return html`<section class="card now ${state}"><h2>${say('Now: {0}', stateFor(state, since === null ? null : now - Date.parse(since)))}</h2><p>${sayAll(told.summary)}</p>${
    latest === undefined
      ? null
      : html`<p class="quiet">${latest.checkResultId === result.id ? say('Its latest run is this one.') : say(latestWords[latest.verdict], ago(Date.parse(latest.startedAt), now))}</p>`
  }${strip(sequence, result.id)}${answerLine(explanation, reader)}</section>`
}

/** Whoever has the page's address may read; only people who are signed in or who have the message may answer. */
const answerLine = (
  { state, told, response }: AlertExplanation,
  reader: ResultFacts['reader'],
): Html | null => {
  if (told === null || state === 'passing') return null
  if (reader?.answerUrl != null)
    return html`<p><a class="action" href="${reader.answerUrl}">${response === null ? say('Acknowledge or snooze') : say('Change the answer')}</a></p>`
  return response === null
    ? html`<p class="quiet">To acknowledge or snooze it, use the link in the message, or <a href="/sign-in">sign in</a>.</p>`
    : null
}

const verdictWords = {
  passing: say('passed'),
  degraded: say('was degraded'),
  failing: say('failed'),
  none: say('came to no verdict'),
} as const

const latestWords = {
  passing: 'Its latest run passed {0}.',
  degraded: 'Its latest run was degraded {0}.',
  failing: 'Its latest run failed {0}.',
  none: 'Its latest run came to no verdict {0}.',
} as const

const step = 20

/** The latest runs, the newest on the right. */
const strip = (sequence: AlertExplanation['sequence'], shownId: string): Html | null => {
  if (sequence.length < 2) return null
  const runs = sequence.toReversed()
  const failing = runs.filter(({ verdict }) => verdict === 'failing').length
  const label = say('Of its latest {0} runs {1} failed', runs.length, failing)
  return html`<figure><svg class="strip" viewBox="0 0 ${20 * step} 24" role="img" aria-label="${label}">${runs.map(
    ({ verdict, checkResultId }, position) =>
      html`${mark(verdict, position * step + 2)}${
        checkResultId === shownId
          ? html`<rect class="shown" x="${position * step + 6}" y="20" width="8" height="3" rx="1.5"/>`
          : null
      }`,
  )}</svg><figcaption>${say('Of its latest {0} runs {1} failed, the newest on the right.', runs.length, failing)}</figcaption></figure>`
}

/** A run by its shape as well as by its colour: bar, triangle, cross, ring. */
const mark = (verdict: AlertExplanation['sequence'][number]['verdict'], x: number): Html => {
  const title = html`<title>${verdictWords[verdict]}</title>`
  switch (verdict) {
    case 'passing':
      return html`<rect class="v-passing" x="${x + 4}" y="2" width="8" height="16" rx="3">${title}</rect>`
    case 'degraded':
      return html`<path class="v-degraded" d="M${x} 17L${x + 8} 3L${x + 16} 17Z">${title}</path>`
    case 'failing':
      return html`<path class="v-failing" d="M${x + 1} 5l2-2l5 5l5-5l2 2l-5 5l5 5l-2 2l-5-5l-5 5l-2-2l5-5Z">${title}</path>`
    case 'none':
      return html`<circle class="v-ring" cx="${x + 8}" cy="10" r="6">${title}</circle>`
  }
}

export const attemptSection = (attempts: readonly Attempt[]): Html | null => {
  if (attempts.length < 2) return null
  return section(
    count(attempts.length, { one: '# attempt of this run', other: '# attempts of this run' }),
    html`<ol class="attempts">${attempts.map(attemptItem)}</ol>`,
  )
}

const attemptItem = ({ result, startedAt, url, isShown }: Attempt): Html => {
  const { word, tone, sign } = verdictOf(result)
  const title = isShown
    ? html`<b aria-current="page">${say(word)}</b> (this one)`
    : html`<a href="${url}">${say(word)}</a>`
  return html`<li class="${tone}"><span class="sign">${sign}</span><div><p>${title} <span class="quiet">${utc(startedAt)}, ${locationInWords(result.runLocation)}, ${milliseconds(result.responseTime)}</span></p>${
    result.error === null ? null : html`<p class="quiet">${saidReason(result.error, 300)}</p>`
  }</div></li>`
}

const maxLines = 200
const maxLineLength = 1000

export const logSection = (log: readonly LogLine[], startedAt: number): Html | null => {
  if (log.length === 0) return null
  const shown = log.slice(-maxLines)
  const left = log.length - shown.length
  return section('Log', [
    left === 0 ? null : html`<p class="quiet">The last ${shown.length} of ${log.length} lines.</p>`,
    html`<ol class="log" tabindex="0" aria-label="Log">${shown.map(
      ({ time, level, msg }) =>
        html`<li class="l-${level}"><span>${(Math.max(0, time - startedAt) / 1000).toFixed(3)}</span><span>${level}</span><span>${cut(withoutCredentials(msg), maxLineLength)}</span></li>`,
    )}</ol>`,
  ])
}
