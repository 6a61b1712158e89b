import type { BrowserCheckResult, WebVitalName } from '../../protocol/checks/script-result.ts'
import { ScriptSpec } from '../../protocol/checks/script-spec.ts'
import { type RunFacts, sharedResult } from '../browser/results.ts'
import type { SeenState } from '../browser/task.ts'
import { jobRunner, type Runner } from './runner.ts'
import { type BrowserIo, runScriptCheck } from './script-check.ts'

/** Up to the first a value is good, above the second it is poor (web.dev, "Web Vitals"). */
const bounds: Record<WebVitalName, readonly [good: number, poor: number]> = {
  CLS: [0.1, 0.25],
  FCP: [1800, 3000],
  LCP: [2500, 4000],
  TBT: [200, 600],
  TTFB: [800, 1800],
}

type WebVitals = BrowserCheckResult['pages'][number]['webVitals']

const webVitals = (values: Record<string, number>): WebVitals =>
  Object.fromEntries(
    Object.entries(bounds).flatMap(([name, [good, poor]]) => {
      const value = values[name]
      if (value === undefined) return []
      const score = value <= good ? 'GOOD' : value <= poor ? 'NEEDS_IMPROVEMENT' : 'POOR'
      return [
        [name, { score, value: name === 'CLS' ? Math.round(value * 10_000) / 10_000 : Math.round(value) }],
      ]
    }),
  )

const browserResult = (facts: RunFacts): BrowserCheckResult => {
  const { seen, sandbox } = facts.run
  return {
    type: 'PLAYWRIGHT',
    traceSummary: summaryOf(seen),
    pageErrors: seen.pageErrors,
    pages: seen.pages.map(({ url, values }) => ({ url, webVitals: webVitals(values) })),
    ...sharedResult(facts),
    browserVersion: seen.browserVersion,
    sandbox,
    playwrightTestVideos: [],
  }
}

const summaryOf = ({
  consoleErrors,
  networkErrors,
  documentErrors,
  userScriptErrors,
}: SeenState): BrowserCheckResult['traceSummary'] => ({
  consoleErrors,
  networkErrors,
  documentErrors,
  userScriptErrors,
})

/** A script that drives a browser. */
export const browserRunner: Runner<BrowserIo> = {
  ...jobRunner(ScriptSpec, runScriptCheck({ withBrowser: true, detail: browserResult })),
  isAvailable: ({ browsers }) => (browsers.known()?.chromium ?? null) !== null,
}

/**
 * A script of several requests: by the same library, or the same test runner, as those of browser checks, without a browser. It
 * runs where a runtime with Playwright is installed.
 */
export const multiStepRunner: Runner<BrowserIo> = {
  ...jobRunner(ScriptSpec, runScriptCheck({ withBrowser: false, detail: sharedResult })),
  isAvailable: ({ browsers }) => browsers.known()?.library === true,
}
