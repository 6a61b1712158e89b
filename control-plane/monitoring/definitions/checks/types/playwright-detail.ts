/** How what a run of a Playwright suite saw is read. */
import type { PlaywrightCheckResult, SuiteTest } from '../../../../../protocol/checks/playwright-result.ts'
import { type Html, html } from '../../../../platform/web/html/html.ts'
import { block, code, cut, factList, folded, section } from '../../../../platform/web/html/section.ts'
import { milliseconds } from '../../../../platform/web/html/words.ts'
import type { DetailReader, ResultFile } from './detail-reader.ts'
import { limitsInWords } from './script-sections.ts'

const maxErrors = 5
const maxText = 4000
const maxTests = 200

/** Those that people came for first. */
const weight = ({ outcome, degraded }: SuiteTest): number =>
  outcome === 'unexpected' ? 0 : outcome === 'flaky' ? 1 : degraded ? 2 : outcome === 'skipped' ? 4 : 3

const wordOf = ({ outcome, status, degraded }: SuiteTest): string => {
  if (outcome === 'unexpected') return status === 'timedOut' ? 'timed out' : 'failed'
  if (outcome === 'flaky') return 'flaky'
  if (outcome === 'skipped') return 'skipped'
  return degraded ? 'degraded' : 'passed'
}

const testItem = (test: SuiteTest): Html => {
  const { titlePath, project, file, line, duration, retries, errors } = test
  const more = [
    ...(project === '' ? [] : [project]),
    milliseconds(duration),
    ...(retries === 0 ? [] : [retries === 1 ? '1 retry' : `${retries} retries`]),
  ]
  return html`<li><b>${wordOf(test)}</b> ${titlePath.join(' › ')} <span class="quiet">${more.join(', ')}, ${code(`${file}:${line}`)}</span>${
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

const countsText = ({ counts }: PlaywrightCheckResult): string =>
  Object.entries({
    passed: counts.passed,
    failed: counts.failed,
    flaky: counts.flaky,
    skipped: counts.skipped,
    degraded: counts.degraded,
    'not run': counts.notRun,
  })
    .filter(([name, count]) => count > 0 || name === 'passed')
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

const cacheText = { hit: 'kept from before', saved: 'installed and kept', none: 'installed' } as const

const installText = ({ install }: PlaywrightCheckResult): string | null =>
  install === null
    ? null
    : `${install.manager === null ? '' : `${install.manager}, `}${cacheText[install.cache]}, ${milliseconds(install.duration)}`

const runSection = (detail: PlaywrightCheckResult): Html =>
  section('Suite', [
    factList([
      ['Tests', countsText(detail)],
      ['Playwright', detail.playwrightVersion],
      ['Browser', detail.browserVersion === null ? null : `Chromium ${detail.browserVersion}`],
      ['Its sandbox', detail.sandbox === null ? null : detail.sandbox ? 'on' : 'off on that agent'],
      ['Engine', detail.engine],
      ['Packages', installText(detail)],
      ['Memory', `${detail.resources.peakMemoryMb} MB at most`],
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
