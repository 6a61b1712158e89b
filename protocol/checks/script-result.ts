import { type Static, Type } from 'typebox'
import { Instant } from '../clock.ts'
import { HeldLimits } from './held-limits.ts'
import { scriptBounds } from './script-bounds.ts'

/** As those of jobs and reports, which are built on this file. */
const LogLine = Type.Object({
  time: Instant,
  level: Type.Enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
  msg: Type.String(),
})

const Count = Type.Integer({ minimum: 0 })
const Texts = Type.Array(Type.String())
const OrNull = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])

/** Lines of the script around the one that failed, numbered from `firstLine`; long ones are cut. */
export const FailedLine = Type.Object({
  path: Type.String(),
  line: Type.Integer({ minimum: 1 }),
  firstLine: Type.Integer({ minimum: 1 }),
  lines: Texts,
})
export type FailedLine = Static<typeof FailedLine>

/** A test, a step of it, or a call of Playwright's; `depth`: in how many others it lies. */
export const ScriptStep = Type.Object({
  title: Type.String({ maxLength: scriptBounds.stepTitle }),
  depth: Type.Integer({ minimum: 0, maximum: scriptBounds.stepDepth }),
  startedAt: Instant,
  durationMs: Count,
  failed: Type.Boolean(),
})
export type ScriptStep = Static<typeof ScriptStep>

/** `console`: what a page wrote as an error. `script`: what its own scripts threw. `line` of the file at the address, from 1. */
export const PageError = Type.Object({
  source: Type.Enum(['console', 'script']),
  text: Type.String({ maxLength: scriptBounds.errorText }),
  url: Type.String({ maxLength: scriptBounds.url }),
  line: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
})
export type PageError = Static<typeof PageError>

/**
 * What every run of a script of Playwright tells. `errors`: those of the script and its tests. `sandbox`: whether Chromium's own
 * held its pages; null where no browser was at hand. `resources`: the most memory that the processes of the run held together, and
 * what they used of processors. `limits`, `failedLine` and `steps`: older agents do not tell; of steps the last ones are kept. The addresses of files are the control plane's: it knows them once they are uploaded.
 */
const shared = {
  errors: Texts,
  failedLine: Type.Optional(Type.Union([FailedLine, Type.Null()])),
  steps: Type.Optional(Type.Array(ScriptStep, { maxItems: scriptBounds.steps })),
  startTime: Instant,
  endTime: Instant,
  runtimeVersion: Type.String(),
  resources: Type.Object({ peakMemoryMb: Count, cpuMs: Count }),
  limits: Type.Optional(Type.Union([HeldLimits, Type.Null()])),
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
  pageErrors: Type.Optional(Type.Array(PageError, { maxItems: scriptBounds.pageErrors })),
  pages: Type.Array(Type.Object({ url: Type.String(), webVitals: WebVitals })),
  ...shared,
  browserVersion: OrNull(Type.String()),
  sandbox: Type.Union([Type.Boolean(), Type.Null()]),
  playwrightTestVideos: Texts,
})
export type BrowserCheckResult = Static<typeof BrowserCheckResult>

export const MultiStepCheckResult = Type.Object(shared)
export type MultiStepCheckResult = Static<typeof MultiStepCheckResult>
