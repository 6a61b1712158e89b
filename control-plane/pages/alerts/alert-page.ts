/** What a link to an alert shows: what it told, how the check does now, and what can be answered. Pure. */

import type { AlertAnswer } from '../../alerting/check-alerts/schema.ts'
import type { Explained } from '../../insight/alert-explanations/explain.ts'
import { sayResponder, stateFor } from '../../insight/alert-explanations/state-in-words.ts'
import { saidReason } from '../../insight/result-pages/said-reason.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { say, sayAll } from '../../platform/web/html/say.ts'
import { utc } from '../../platform/web/html/utc.ts'
import { ago } from '../../platform/web/html/words.ts'

export type AlertFacts = {
  checkName: string
  /** When it was told. */
  at: number
  now: number
  error: string | null
  alerting: Explained
  /** Whether the failure that it told of is the one that is open. */
  isOpen: boolean
  resultUrl: string
  /** For whoever is signed in. */
  checkUrl: string
}

export const snoozeChoices = [
  { minutes: 30, label: '30 minutes' },
  { minutes: 60, label: '1 hour' },
  { minutes: 240, label: '4 hours' },
  { minutes: 1440, label: '1 day' },
] as const

const signs = { passing: '✓', degraded: '!', failing: '✕', unknown: '?' } as const

export const alertPage = (facts: AlertFacts): Html => {
  const { checkName, at, now, error, alerting, isOpen, resultUrl, checkUrl } = facts
  const { state, since, response } = alerting.explanation
  const tone = state === 'unknown' ? 'neutral' : state
  return html`<header class="card hero ${tone}">
<p class="status"><span class="pill"><span aria-hidden="true">${signs[state]}</span> ${stateFor(state, since === null ? null : now - Date.parse(since))}</span></p>
<h1>${checkName}</h1>
<p>${sayAll(alerting.told.summary)}</p>
${error === null ? null : html`<p class="quiet">The alert said: ${saidReason(error, 500)}</p>`}
<p class="quiet">Told ${utc(at)} (${ago(at, now)}). <a href="${resultUrl}">Look at the result</a> · <a href="${checkUrl}">The check in the dashboard</a></p>
</header>
${isOpen ? answers(response) : over(state)}`
}

const over = (state: string): Html =>
  html`<section class="card"><h2>There is nothing to answer</h2><p>${state === 'passing' ? say('The check has recovered.') : say('The failure that this alert told of is over; what is wrong now has an alert of its own.')}</p></section>`

const answers = (response: AlertAnswer | null): Html =>
  html`<section class="card">${response === null ? html`<h2>Nobody has answered yet</h2>` : given(response)}
${response?.action === 'ACKNOWLEDGED' ? null : form('acknowledge', html`<button>Acknowledge</button>`, 'No more reminders until the check recovers.')}
${form(
  'snooze',
  html`<label for="minutes">For</label> <select id="minutes" name="minutes">${snoozeChoices.map(({ minutes, label }) => html`<option value="${minutes}"${minutes === 60 ? html` selected` : null}>${say(label)}</option>`)}</select> <button class="plain-button">Snooze</button>`,
  'No reminders until then. If it still is not well, you are told once more.',
)}
${response === null ? null : form('withdraw', html`<button class="plain-button">Take it back</button>`, 'Reminders go on.')}
<p class="quiet">A recovery is always told, and so is a failure that becomes worse.</p></section>`

const form = (action: string, fields: Html, hint: string): Html =>
  html`<form method="post" class="answer"><input type="hidden" name="action" value="${action}"><p>${fields}</p><p class="quiet">${say(hint)}</p></form>`

const given = ({ action, by, at, until }: AlertAnswer): Html =>
  html`<h2>${action === 'ACKNOWLEDGED' ? say('Acknowledged by {0}', sayResponder(by)) : say('Snoozed by {0}', sayResponder(by))}</h2><p>${utc(Date.parse(at))}${until === null ? null : html`, until ${utc(Date.parse(until))}`}</p>`
