/** How what a script of Playwright saw is read. */
import type {
  BrowserCheckResult,
  MultiStepCheckResult,
} from '../../../../../protocol/checks/script-result.ts'
import type { Content, Html } from '../../../../platform/web/html/html.ts'
import { factList, section } from '../../../../platform/web/html/section.ts'
import { milliseconds } from '../../../../platform/web/html/words.ts'
import type { DetailReader, ResultFile } from './detail-reader.ts'
import {
  errorsSection,
  limitsInWords,
  mostMemory,
  pageErrorsSection,
  pagesSection,
  sandboxInWords,
  stepsSection,
} from './script-sections.ts'

const runSection = (detail: MultiStepCheckResult, more: Array<[string, Content]>): Html =>
  section('Run', [
    factList([
      ['Runtime', detail.runtimeVersion],
      ...more,
      ['Memory', mostMemory(detail.resources.peakMemoryMb)],
      ['Processor time', milliseconds(detail.resources.cpuMs)],
      ['Limits', limitsInWords(detail.limits)],
    ]),
  ])

const addressesOf = (files: readonly ResultFile[], type: string): string[] =>
  files.filter((file) => file.type === type).map(({ url }) => url)

const withSharedFiles = <D extends MultiStepCheckResult>(detail: D, files: readonly ResultFile[]): D => ({
  ...detail,
  jobAssets: files.map(({ url }) => url),
  playwrightTestTraces: addressesOf(files, 'trace'),
  playwrightTestJsonReportFile: addressesOf(files, 'report')[0] ?? null,
})

export const multiStepDetail: DetailReader<MultiStepCheckResult> = {
  sections: (detail) => [errorsSection(detail), stepsSection(detail), runSection(detail, [])],
  withFiles: withSharedFiles,
}

export const browserDetail: DetailReader<BrowserCheckResult> = {
  sections: (detail) => {
    const { consoleErrors, networkErrors, documentErrors, userScriptErrors } = detail.traceSummary
    return [
      errorsSection(detail),
      stepsSection(detail),
      pageErrorsSection(detail),
      pagesSection(detail),
      runSection(detail, [
        ['Browser', detail.browserVersion === null ? null : `Chromium ${detail.browserVersion}`],
        ['Its sandbox', sandboxInWords(detail.sandbox)],
        ['Console errors', String(consoleErrors)],
        ['Failed requests', String(networkErrors)],
        ['Failed documents', String(documentErrors)],
        ['Errors of scripts in pages', String(userScriptErrors)],
      ]),
    ]
  },
  withFiles: (detail, files) => ({
    ...withSharedFiles(detail, files),
    playwrightTestVideos: addressesOf(files, 'video'),
  }),
}
