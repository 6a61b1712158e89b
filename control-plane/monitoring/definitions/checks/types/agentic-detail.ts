/** How what a model did on a page is read. */

import type { AgenticCheckResult, AgenticStep } from '../../../../../protocol/checks/agentic-result.ts'
import { maskUrl } from '../../../../platform/services/secrets/masks.ts'
import { type Content, type Html, html } from '../../../../platform/web/html/html.ts'
import { number, say } from '../../../../platform/web/html/say.ts'
import { block, code, cut, factList, folded, section } from '../../../../platform/web/html/section.ts'
import { milliseconds } from '../../../../platform/web/html/words.ts'
import type { DetailReader } from './detail-reader.ts'
import { limitsInWords, mostMemory, sandboxInWords } from './script-sections.ts'

const maxText = 2000
const maxSteps = 200

const masked = (text: string): string => cut(text.replace(/https?:\/\/\S+/gi, maskUrl), maxText)

const summarySection = ({ summary, prompt }: AgenticCheckResult): Html =>
  section('What was done', [
    summary === '' ? null : html`<p>${masked(summary)}</p>`,
    folded('The task', block('Task', cut(prompt, maxText))),
  ])

const errorsSection = ({ errors }: AgenticCheckResult): Html | null =>
  errors.length === 0
    ? null
    : section(
        'Errors',
        errors.slice(0, 10).map(({ message }) => block('Error', masked(message))),
      )

const assertionsSection = ({ assertions }: AgenticCheckResult): Html | null =>
  assertions.length === 0
    ? null
    : section(
        'Assertions',
        html`<table><thead><tr><th scope="col">Condition</th><th scope="col">Expected</th><th scope="col">Actual</th><th scope="col">Passed</th></tr></thead><tbody>${assertions.map(
          ({ condition, expected, actual, passed }) =>
            html`<tr><td>${masked(condition)}</td><td>${masked(expected)}</td><td>${masked(actual)}</td><td>${passed ? say('yes') : html`<b>no</b>`}</td></tr>`,
        )}</tbody></table>`,
      )

const suggestionsSection = ({ suggestions }: AgenticCheckResult): Html | null =>
  suggestions.length === 0
    ? null
    : section(
        'Suggestions',
        html`<ul>${suggestions.map(
          ({ summary, promptReplacement, secrets }) =>
            html`<li>${masked(summary)}${secrets.length === 0 ? null : html` <span class="quiet">Variables: ${secrets.join(', ')}</span>`}${promptReplacement === '' ? null : block('Instead', cut(promptReplacement, maxText))}</li>`,
        )}</ul>`,
      )

const since = (startTime: number, { timestamp }: AgenticStep): Content => {
  const at = Date.parse(timestamp)
  return Number.isNaN(at) ? '' : say('after {0}', milliseconds(Math.max(0, at - startTime)))
}

const stepsSection = ({ steps, startTime }: AgenticCheckResult): Html | null =>
  steps.length === 0
    ? null
    : section(
        'Steps',
        folded(
          'Everything that the model did and was told',
          html`<ol class="plain">${steps.slice(0, maxSteps).map((step) => {
            const input =
              Object.keys(step.input).length === 0 ? null : code(masked(JSON.stringify(step.input)))
            return html`<li>${step.name} ${input} <span class="quiet">${since(startTime, step)}</span>${step.output === '' ? null : block(step.name, masked(step.output))}</li>`
          })}</ol>`,
        ),
      )

const runSection = ({ model, usage, browserVersion, sandbox, resources, limits }: AgenticCheckResult): Html =>
  section(
    'Run',
    factList([
      ['Model', model],
      ['Tool calls', String(usage.toolCalls)],
      ['Tokens', say('{0} in, {1} out', number(usage.inputTokens), number(usage.outputTokens))],
      ['Cost', usage.cost === null ? null : String(usage.cost)],
      ['Browser', browserVersion === null ? null : `Chromium ${browserVersion}`],
      ['Its sandbox', sandboxInWords(sandbox)],
      ['Memory', mostMemory(resources.peakMemoryMb)],
      ['Processor time', milliseconds(resources.cpuMs)],
      ['Limits', limitsInWords(limits)],
    ]),
  )

export const agenticDetail: DetailReader<AgenticCheckResult> = {
  sections: (detail) =>
    [summarySection, errorsSection, assertionsSection, suggestionsSection, stepsSection, runSection].map(
      (sectionOf) => sectionOf(detail),
    ),
  withFiles: (detail, files) => ({
    ...detail,
    artifactManifest: { entries: files.map(({ type, url }) => ({ type, url })) },
  }),
}
