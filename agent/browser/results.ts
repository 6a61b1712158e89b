/** What came of a run, in the shapes of its result. Pure. */
import type {
  BrowserCheckResult,
  MultiStepCheckResult,
  WebVitalName,
} from '../../protocol/checks/script-result.ts'
import type { Failure, LogLine, Observation } from '../../protocol/result.ts'
import type { BrowserRun } from './browsers.ts'
import type { SeenState } from './task.ts'

/** Up to the first a value is good, above the second it is poor (web.dev, "Web Vitals"). */
const bounds: Record<WebVitalName, readonly [good: number, poor: number]> = {
  CLS: [0.1, 0.25],
  FCP: [1800, 3000],
  LCP: [2500, 4000],
  TBT: [200, 600],
  TTFB: [800, 1800],
}

const maxErrorLength = 4000

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

export type RunFacts = {
  run: BrowserRun
  runtimeId: string
  jobLog: LogLine[]
}

/** In a sentence why the script did not pass, or null. */
export const failureOf = ({ errors, limit }: Pick<BrowserRun, 'errors' | 'limit'>): Failure | null => {
  const [first] = errors
  if (limit !== null)
    return failure(/time was up/.test(limit) ? 'TIMEOUT' : 'SCRIPT_STOPPED', `The script ${limit}`)
  if (first === undefined) return null
  const where = first.line === null ? '' : ` at line ${first.line}`
  return failure('SCRIPT_FAILED', `The script failed${where}: ${first.message}`)
}

const failure = (code: string, message: string): Failure => ({
  code,
  message: message.slice(0, maxErrorLength),
  network: false,
})

/** `shouldFail`: the script is expected to. */
export const judged = (found: Failure | null, shouldFail: boolean): Failure | null => {
  if (!shouldFail) return found
  return found === null
    ? failure('SCRIPT_PASSED', 'The script passed, and the check expects it to fail')
    : null
}

const shared = ({ run, runtimeId, jobLog }: RunFacts): MultiStepCheckResult => ({
  errors: [
    ...run.errors.map(({ message }) => message.slice(0, maxErrorLength)),
    ...(run.limit === null ? [] : [`The script ${run.limit}`]),
  ],
  startTime: run.startedAt,
  endTime: run.endedAt,
  runtimeVersion: runtimeId,
  resources: { peakMemoryMb: Math.round(run.use.peakBytes / 1024 / 1024), cpuMs: run.use.cpuMs },
  jobLog,
  jobAssets: null,
  playwrightTestTraces: [],
  playwrightTestJsonReportFile: null,
})

export const multiStepResult = (facts: RunFacts): MultiStepCheckResult => shared(facts)

export const browserResult = (facts: RunFacts): BrowserCheckResult => {
  const { seen, sandbox } = facts.run
  return {
    type: 'PLAYWRIGHT',
    traceSummary: summaryOf(seen),
    pages: seen.pages.map(({ url, values }) => ({ url, webVitals: webVitals(values) })),
    ...shared(facts),
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

export const observationOf = (
  detail: unknown,
  { run, shouldFail }: { run: BrowserRun; shouldFail: boolean },
): Observation => ({
  responseTime: Math.max(0, run.endedAt - run.startedAt),
  failure: judged(failureOf(run), shouldFail),
  assertions: [],
  degraded: false,
  metrics: {},
  detail,
})
