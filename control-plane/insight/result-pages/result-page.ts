/**
 * The page of one result, from the question at the top ("what is wrong, and is it still?") down to the last log line.
 * Pure: facts in, markup out.
 */

import { locationInWords } from '../../alerting/messages/message.ts'
import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { assertionsIn, ownDetail } from '../../monitoring/results/own-detail.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { factList, section } from '../../platform/web/html/section.ts'
import { utc } from '../../platform/web/html/utc.ts'
import { ago, daysInWords, milliseconds } from '../../platform/web/html/words.ts'
import { builtinProvider } from '../root-cause-analyses/builtin.ts'
import { assertionSection } from './assertion-section.ts'
import { causeInWords, classificationInWords } from './cause-in-words.ts'
import { evidenceSections } from './evidence-sections.ts'
import { fileSection } from './file-section.ts'
import { linkedText } from './linked-text.ts'
import type { ResultFacts } from './read-facts.ts'
import { saidReason } from './said-reason.ts'
import { attemptSection, logSection, nowSection } from './surroundings.ts'
import { reasonOf, verdictOf } from './verdict.ts'

export const titleOf = ({ result }: ResultFacts): Content => [say(verdictOf(result).word), `: ${result.name}`]

/** Whoever has its address can read it, which it says at its end. */
export const resultPage = (facts: ResultFacts): Html => html`${resultSections(facts)}
${footer(facts)}`

export const resultSections = (facts: ResultFacts): Html => html`
${hero(facts)}
${nowSection(facts)}
${causeSection(facts)}
${assertionSection(assertionsIn(detailOf(facts)))}
${detailSections(facts)}
${lookSection(facts)}
${attemptSection(facts.attempts)}
${logSection(facts.log, facts.startedAt)}
${fileSection(facts)}`

const maxReason = 2000

const hero = (facts: ResultFacts): Html => {
  const { result, check, isNewest } = facts
  const { word, tone, sign } = verdictOf(result)
  return html`<header class="card hero ${tone}">
<p class="status"><span class="pill"><span aria-hidden="true">${sign}</span> ${say(word)}</span> <span class="quiet">${say(kindOf(result.checkType).label)}</span></p>
<h1>${result.name}</h1>
<p class="reason">${saidReason(reasonOf(facts), maxReason)}</p>
${result.hasErrors ? html`<p class="quiet">The run itself could not be made; this says nothing about the target, and nobody is alerted of it.</p>` : null}
${check.description === null || check.description === '' ? null : html`<p class="quiet">${linkedText(check.description)}</p>`}
${heroFacts(facts)}
${isNewest ? html`<p class="quiet">The message was about the check and not about one run; this is its newest result.</p>` : null}
</header>`
}

const heroFacts = ({ result, startedAt, now, check, ping, attempts }: ResultFacts): Html | null => {
  const isTimed = kindOf(result.checkType).scheduled && !result.hasErrors && !result.isCancelled
  return factList([
    [
      ping === null ? say('Ran') : say('At'),
      html`${utc(startedAt)} <span class="quiet">${ago(startedAt, now)}</span>`,
    ],
    ['Location', result.runLocation === '' ? null : locationInWords(result.runLocation)],
    ['Response time', isTimed ? html`${milliseconds(result.responseTime)}${limitNote(check, result)}` : null],
    ['Attempt', attempts.length < 2 ? null : say('{0} of {1}', result.attempts + 1, attempts.length)],
    ['Ping', ping === null || result.hasFailures ? null : (pingWords[ping.state] ?? ping.state)],
    ['Sent by', ping?.userAgent ?? null],
    ['From', ping?.source ?? null],
    ['Tags', check.tags.join(', ')],
  ])
}

const limitNote = (
  { maxResponseTime }: ResultFacts['check'],
  { overMaxResponseTime }: ResultFacts['result'],
): Html | null =>
  overMaxResponseTime && maxResponseTime !== null
    ? html` <span class="quiet">(at most ${milliseconds(maxResponseTime)})</span>`
    : null

const detailOf = ({ result }: ResultFacts): unknown => ownDetail(result.checkType, result)

/** Where it failed, what that looked like, and then the rest of what was seen. */
const detailSections = (facts: ResultFacts): Array<Html | null> => {
  const [first = null, ...others] = ownSections(facts)
  return [first, ...evidenceSections(facts), ...others]
}

const ownSections = (facts: ResultFacts): Array<Html | null> => {
  const { checkType, hasFailures, isDegraded } = facts.result
  const detail = detailOf(facts)
  return detail === null ? [] : (kindOf(checkType).detail?.sections(detail, hasFailures || isDegraded) ?? [])
}

const pingWords: { readonly [state: string]: Content } = {
  EARLY: say('early'),
  RECEIVED: say('received'),
  GRACE: say('in grace'),
  LATE: say('late'),
  FAILING: say('failing'),
}

/** The anchor is part of links in messages (`AI_ANALYSIS_LINK`). */
const causeSection = ({ cause, now }: ResultFacts): Html | null => {
  if (cause === null) return null
  const { analysis, provider, model, foundAt } = cause
  const words = causeInWords(cause)
  const paragraph = (text: Content): Html => html`<p class="prose">${text}</p>`
  return section(
    'Probable cause',
    [
      paragraph(words.rootCause),
      words.codeFix === null ? null : html`<h3>What to look at first</h3>${paragraph(words.codeFix)}`,
      html`<h3>What users notice</h3>${paragraph(words.userImpact)}`,
      html`<p class="quiet">${classificationInWords(analysis.classification)}. Found by ${provider === builtinProvider ? say('rules') : say('{0} at {1}', model, provider)} in what this run observed, as of ${utc(foundAt)} (${ago(foundAt, now)}).</p>`,
    ],
    'cause',
  )
}

/** Certificates of checks that see none themselves. */
const lookSection = ({ look, now }: ResultFacts): Html | null => {
  if (look === null || look.looked_at === null) return null
  const days = look.expires_at === null ? null : Math.floor((look.expires_at - now) / 86_400_000)
  return section(
    'Certificate',
    factList([
      ['Of', look.domain],
      [
        'Valid until',
        look.expires_at === null || days === null
          ? null
          : html`${utc(look.expires_at)} (${daysInWords(days)})`,
      ],
      ['Looked at', ago(look.looked_at, now)],
      ['Problem', look.error],
    ]),
  )
}

const footer = ({ expiresAt, now, apiUrl, reader }: ResultFacts): Html => {
  const days = Math.max(1, Math.ceil((expiresAt - now) / 86_400_000))
  return html`<footer>${reader === null ? null : html`<p><a href="${reader.checkUrl}">The check in the dashboard</a></p>`}<p>Whoever has this address can read this page, for ${count(days, { one: '# more day', other: '# more days' })}. With an API key: <code>GET ${apiUrl}</code></p><p>Watchpost</p></footer>`
}
