/** What the page of a result shows of a script of Playwright: where it failed, what it did, what its pages said. Pure. */
import type { HeldLimit, HeldLimits } from '../../../../../protocol/checks/held-limits.ts'
import type {
  BrowserCheckResult,
  MultiStepCheckResult,
  ScriptStep,
  WebVitalName,
} from '../../../../../protocol/checks/script-result.ts'
import { webVitalNames } from '../../../../../protocol/checks/script-result.ts'
import { maskUrl } from '../../../../platform/services/secrets/masks.ts'
import { type Content, type Html, html } from '../../../../platform/web/html/html.ts'
import { count, number, say } from '../../../../platform/web/html/say.ts'
import {
  block,
  code,
  cut,
  folded,
  section,
  withoutCredentials,
} from '../../../../platform/web/html/section.ts'
import { milliseconds } from '../../../../platform/web/html/words.ts'

const maxErrors = 5
const maxText = 4000
const maxPages = 20
const maxShownSteps = 100
const maxShownPageErrors = 20
const maxUrl = 300

/** The line that failed among its neighbours, and the errors as the script told them. */
export const errorsSection = ({ errors, failedLine = null }: MultiStepCheckResult): Html | null => {
  if (errors.length === 0) return null
  return section(
    failedLine === null ? say('Errors') : say('Failed at line {0} of {1}', failedLine.line, failedLine.path),
    [
      failedLine === null ? null : source(failedLine),
      errors.slice(0, maxErrors).map((error) => block('Error', cut(withoutCredentials(error), maxText))),
      errors.length > maxErrors
        ? html`<p class="quiet">And ${count(errors.length - maxErrors, { one: '# other error', other: '# other errors' })}.</p>`
        : null,
    ],
  )
}

const source = ({ line, firstLine, lines }: NonNullable<MultiStepCheckResult['failedLine']>): Html =>
  html`<pre class="source" tabindex="0" role="region" aria-label="The script around line ${line}">${lines.map(
    (text, index) => {
      const number = firstLine + index
      return html`<span${number === line ? html` class="here" aria-current="true"` : null}><i>${number}</i>${text}</span>`
    },
  )}</pre>`

/** Bars lie where their steps lay in the time of the run. */
export const stepsSection = ({ steps = [], startTime, endTime }: MultiStepCheckResult): Html | null => {
  if (steps.length === 0) return null
  const whole = Math.max(1, endTime - startTime)
  const failed = steps.filter((step) => step.failed).length
  const shown = steps.slice(-maxShownSteps)
  const left = steps.length - shown.length
  const list = html`${left > 0 ? html`<p class="quiet">The last ${shown.length} of them.</p>` : null}<ol class="steps">${shown.map((step) => stepItem(step, { startTime, whole }))}</ol>`
  const title =
    failed === 0
      ? count(steps.length, { one: '# step', other: '# steps' })
      : say('{0}, {1} failed', count(steps.length, { one: '# step', other: '# steps' }), failed)
  return section(title, steps.length > 30 && failed === 0 ? folded('What the script did', list) : list)
}

const stepItem = (
  { title, depth, startedAt, durationMs, failed }: ScriptStep,
  { startTime, whole }: { startTime: number; whole: number },
): Html => {
  const x = Math.min(997, Math.max(0, ((startedAt - startTime) / whole) * 1000))
  const width = Math.min(1000 - x, Math.max(3, (durationMs / whole) * 1000))
  return html`<li class="${failed ? 'failing' : 'passing'} d${Math.min(depth, 4)}"><i role="img" aria-label="${failed ? say('failed') : say('passed')}">${failed ? '✕' : '✓'}</i><span>${withoutCredentials(title)}</span><b>${milliseconds(durationMs)}</b><svg viewBox="0 0 1000 4" preserveAspectRatio="none" aria-hidden="true"><rect x="${x.toFixed(0)}" width="${width.toFixed(0)}" height="4"/></svg></li>`
}

const vitalTitles: Readonly<Record<WebVitalName, string>> = {
  CLS: 'Cumulative layout shift',
  FCP: 'First contentful paint',
  LCP: 'Largest contentful paint',
  TBT: 'Total blocking time',
  TTFB: 'Time to first byte',
}
const scores = {
  GOOD: ['●', 'good'],
  NEEDS_IMPROVEMENT: ['▲', 'needs improvement'],
  POOR: ['■', 'poor'],
} as const

export const pagesSection = ({ pages }: BrowserCheckResult): Html | null =>
  pages.length === 0
    ? null
    : section(
        'Web vitals',
        html`<ol class="plain pages">${pages
          .slice(0, maxPages)
          .map(
            ({ url, webVitals }) => html`<li>${code(cut(maskUrl(url), maxUrl))}${vitals(webVitals)}</li>`,
          )}</ol>`,
      )

const vitals = (values: BrowserCheckResult['pages'][number]['webVitals']): Html | null => {
  const known = webVitalNames.flatMap((name) => {
    const vital = values[name]
    return vital === undefined ? [] : [{ name, ...vital }]
  })
  if (known.length === 0) return null
  return html`<ul class="vitals">${known.map(({ name, score, value }) => {
    const [sign, word] = scores[score]
    return html`<li class="${score}"><abbr title="${say(vitalTitles[name])}">${name}</abbr> <b><span role="img" aria-label="${say(word)}">${sign}</span> ${name === 'CLS' ? value.toFixed(3) : milliseconds(value)}</b></li>`
  })}</ul>`
}

export const pageErrorsSection = ({ pageErrors = [], traceSummary }: BrowserCheckResult): Html | null => {
  if (pageErrors.length === 0) return null
  const { consoleErrors, userScriptErrors } = traceSummary
  const shown = pageErrors.slice(0, maxShownPageErrors)
  const more = Math.max(pageErrors.length, consoleErrors + userScriptErrors) - shown.length
  return section('Errors in the browser', [
    html`<ul class="console">${shown.map(
      ({ source, text, url, line }) =>
        html`<li><b>${source === 'console' ? say('Console') : say('Script')}</b> ${cut(withoutCredentials(text), 500)}${url === '' ? null : html`<span class="quiet">${cut(maskUrl(url), maxUrl)}${line === null ? null : `:${line}`}</span>`}</li>`,
    )}</ul>`,
    more > 0 ? html`<p class="quiet">And ${count(more, { one: '# other', other: '# others' })}.</p>` : null,
  ])
}

const by: Record<HeldLimit['heldBy'], Content> = {
  kernel: say('held by the kernel'),
  measured: say('measured'),
}

const megabytes = (mb: number): Content => say('{0} MB', number(mb))

/** Null: the agent does not tell. */
export const limitsInWords = (limits: HeldLimits | null | undefined): Content =>
  limits
    ? say(
        '{0} of memory ({1}), {2} of files ({3})',
        megabytes(limits.memory.mb),
        by[limits.memory.heldBy],
        megabytes(limits.files.mb),
        by[limits.files.heldBy],
      )
    : null

export const mostMemory = (mb: number): Content => say('{0} at most', megabytes(mb))

export const sandboxInWords = (sandbox: boolean | null): Content =>
  sandbox === null ? null : sandbox ? say('on') : say('off on that agent')
