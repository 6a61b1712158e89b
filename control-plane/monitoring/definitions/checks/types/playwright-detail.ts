/** How what a run of a Playwright suite saw is read. */

import type { PlaywrightCheckResult, SuiteTest } from '../../../../../protocol/checks/playwright-result.ts'
import { type Content, type Html, html } from '../../../../platform/web/html/html.ts'
import { count, say } from '../../../../platform/web/html/say.ts'
import { block, code, cut, factList, folded, section } from '../../../../platform/web/html/section.ts'
import { milliseconds } from '../../../../platform/web/html/words.ts'
import type { DetailReader, ResultFile } from './detail-reader.ts'
import { limitsInWords, mostMemory, sandboxInWords } from './script-sections.ts'

const maxErrors = 5
const maxText = 4000
const maxTests = 200

/** Those that people came for first. */
const weight = ({ outcome, degraded }: SuiteTest): number =>
  outcome === 'unexpected' ? 0 : outcome === 'flaky' ? 1 : degraded ? 2 : outcome === 'skipped' ? 4 : 3

const wordOf = ({ outcome, status, degraded }: SuiteTest): Content => {
  if (outcome === 'unexpected') return status === 'timedOut' ? say('timed out') : say('failed')
  if (outcome === 'flaky') return say('flaky')
  if (outcome === 'skipped') return say('skipped')
  return degraded ? say('degraded') : say('passed')
}

const testItem = (test: SuiteTest): Html => {
  const { titlePath, project, file, line, duration, retries, errors } = test
  const more = [
    ...(project === '' ? [] : [project]),
    milliseconds(duration),
    ...(retries === 0 ? [] : [count(retries, { one: '# retry', other: '# retries' })]),
  ]
  return html`<li><b>${wordOf(test)}</b> ${titlePath.join(' › ')} <span class="quiet">${more.map((each) => [each, ', '])}${code(`${file}:${line}`)}</span>${
    errors[0] === undefined ? null : block('Error', cut(errors[0], maxText))
  }</li>`
}

const testsSection = ({ tests }: PlaywrightCheckResult): Html | null => {
  if (tests.length === 0) return null
  const shown = tests.toSorted((a, b) => weight(a) - weight(b)).slice(0, maxTests)
  return section('Tests', [
    html`<ol class="plain">${shown.map(testItem)}</ol>`,
    tests.length > shown.length
      ? html`<p class="quiet">And ${String(tests.length - shown.length)} more in the report.</p>`
      : null,
  ])
}

/** Of the suite itself; those of tests stand with them. */
const errorsSection = ({ errors, tests }: PlaywrightCheckResult): Html | null => {
  const told = new Set(tests.flatMap((test) => test.errors))
  const own = errors.filter((error) => !told.has(error))
  return own.length === 0
    ? null
    : section(
        'Errors',
        own.slice(0, maxErrors).map((error) => block('Error', cut(error, maxText))),
      )
}

const countsText = ({ counts }: PlaywrightCheckResult): Content =>
  [
    say('{0} passed', counts.passed),
    counts.failed > 0 && say('{0} failed', counts.failed),
    counts.flaky > 0 && say('{0} flaky', counts.flaky),
    counts.skipped > 0 && say('{0} skipped', counts.skipped),
    counts.degraded > 0 && say('{0} degraded', counts.degraded),
    counts.notRun > 0 && say('{0} not run', counts.notRun),
  ]
    .filter((each) => each !== false)
    .map((each, at) => [at === 0 ? '' : ', ', each])

const cacheText = {
  hit: say('kept from before'),
  saved: say('installed and kept'),
  none: say('installed'),
} as const

const installText = ({ install }: PlaywrightCheckResult): Content =>
  install === null
    ? null
    : [
        install.manager === null ? '' : `${install.manager}, `,
        cacheText[install.cache],
        ', ',
        milliseconds(install.duration),
      ]

const runSection = (detail: PlaywrightCheckResult): Html =>
  section('Suite', [
    factList([
      ['Tests', countsText(detail)],
      ['Playwright', detail.playwrightVersion],
      ['Browser', detail.browserVersion === null ? null : `Chromium ${detail.browserVersion}`],
      ['Its sandbox', sandboxInWords(detail.sandbox)],
      ['Engine', detail.engine],
      ['Packages', installText(detail)],
      ['Memory', mostMemory(detail.resources.peakMemoryMb)],
      ['Processor time', milliseconds(detail.resources.cpuMs)],
      ['Limits', limitsInWords(detail.limits)],
    ]),
  ])

const logSection = ({ jobLog }: PlaywrightCheckResult): Html | null =>
  jobLog === null || jobLog.length === 0
    ? null
    : section(
        'Log',
        folded(
          'What the suite and its commands said',
          block('Log', cut(jobLog.map(({ msg }) => msg).join('\n'), maxText)),
        ),
      )

const ofType = (files: readonly ResultFile[], type: string): ResultFile[] =>
  files.filter((file) => file.type === type)
const addresses = (files: readonly ResultFile[]): string[] => files.map(({ url }) => url)

export const playwrightDetail: DetailReader<PlaywrightCheckResult> = {
  sections: (detail) => [errorsSection(detail), testsSection(detail), runSection(detail), logSection(detail)],
  withFiles: (detail, files) => {
    const traces = ofType(files, 'trace')
    return {
      ...detail,
      jobAssets: addresses(files),
      playwrightTraceFiles: traces.map(({ url, name }) => ({
        url,
        name: name.replace(/\.zip$/, ''),
        filename: name,
      })),
      playwrightTestTraces: addresses(traces),
      playwrightTestVideos: addresses(ofType(files, 'video')),
      playwrightTestJsonReportFile: ofType(files, 'report')[0]?.url ?? null,
    }
  },
}
