import { type Static, Type } from 'typebox'

/** As those of jobs and reports, which are built on this file. */
const Instant = Type.Integer({ minimum: 0 })
const LogLine = Type.Object({
  time: Instant,
  level: Type.Enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
  msg: Type.String(),
})

const Count = Type.Integer({ minimum: 0 })
const Texts = Type.Array(Type.String())
const OrNull = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])

/**
 * What every run of a script of Playwright tells. `errors`: those of the script and its tests. `sandbox`: whether Chromium's own
 * held its pages; null where no browser was at hand. `resources`: the most memory that the processes of the run held together, and
 * what they used of processors. The addresses of files are the control plane's: it knows them once they are uploaded.
 */
const shared = {
  errors: Texts,
  startTime: Instant,
  endTime: Instant,
  runtimeVersion: Type.String(),
  resources: Type.Object({ peakMemoryMb: Count, cpuMs: Count }),
  jobLog: Type.Union([Type.Array(LogLine), Type.Null()]),
  jobAssets: Type.Union([Texts, Type.Null()]),
  playwrightTestTraces: Texts,
  playwrightTestJsonReportFile: OrNull(Type.String()),
}

const WebVital = Type.Object({
  score: Type.Enum(['GOOD', 'NEEDS_IMPROVEMENT', 'POOR']),
  value: Type.Number({ minimum: 0 }),
})

export const webVitalNames = ['CLS', 'FCP', 'LCP', 'TBT', 'TTFB'] as const
export type WebVitalName = (typeof webVitalNames)[number]

/** Those that the browser could measure: a page that shows nothing has no paint. */
const WebVitals = Type.Object({
  CLS: Type.Optional(WebVital),
  FCP: Type.Optional(WebVital),
  LCP: Type.Optional(WebVital),
  TBT: Type.Optional(WebVital),
  TTFB: Type.Optional(WebVital),
})

export const BrowserCheckResult = Type.Object({
  type: Type.Literal('PLAYWRIGHT'),
  traceSummary: Type.Object({
    consoleErrors: Count,
    networkErrors: Count,
    documentErrors: Count,
    userScriptErrors: Count,
  }),
  pages: Type.Array(Type.Object({ url: Type.String(), webVitals: WebVitals })),
  ...shared,
  browserVersion: OrNull(Type.String()),
  sandbox: Type.Union([Type.Boolean(), Type.Null()]),
  playwrightTestVideos: Texts,
})
export type BrowserCheckResult = Static<typeof BrowserCheckResult>

export const MultiStepCheckResult = Type.Object(shared)
export type MultiStepCheckResult = Static<typeof MultiStepCheckResult>
