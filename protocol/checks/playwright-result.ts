import { type Static, Type } from 'typebox'
import { Instant } from '../clock.ts'
import { HeldLimits } from './held-limits.ts'

/** As those of jobs and reports, which are built on this file. */
const LogLine = Type.Object({
  time: Instant,
  level: Type.Enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
  msg: Type.String(),
})

const Count = Type.Integer({ minimum: 0 })
const Texts = Type.Array(Type.String())
const TextOrNull = Type.Union([Type.String(), Type.Null()])

/** Of one run: more tests than this are counted, not listed. */
export const maxSuiteTests = 2000

/**
 * One test in one project. `titlePath`: the file, the blocks around it, its own title. `status`: of its last attempt.
 * `outcome`: what it means for the suite. `duration` in milliseconds, of all attempts together. `degraded`: it passed, and said
 * of itself that it is not well.
 */
export const SuiteTest = Type.Object({
  titlePath: Texts,
  project: Type.String(),
  file: Type.String(),
  line: Count,
  tags: Texts,
  status: Type.Enum(['passed', 'failed', 'timedOut', 'skipped', 'interrupted']),
  outcome: Type.Enum(['expected', 'unexpected', 'flaky', 'skipped']),
  duration: Type.Number({ minimum: 0 }),
  retries: Count,
  degraded: Type.Boolean(),
  errors: Texts,
})
export type SuiteTest = Static<typeof SuiteTest>

/** Of all tests. `notRun`: nobody came to them. */
export const SuiteCounts = Type.Object({
  passed: Count,
  failed: Count,
  flaky: Count,
  skipped: Count,
  degraded: Count,
  notRun: Count,
})
export type SuiteCounts = Static<typeof SuiteCounts>

/** `cache`: whether kept packages were used (`hit`), installed ones kept (`saved`), or neither. */
const Install = Type.Object({
  manager: TextOrNull,
  command: TextOrNull,
  cache: Type.Enum(['hit', 'saved', 'none']),
  duration: Type.Number({ minimum: 0 }),
})

/**
 * What a run of a suite tells. `install` null: it had nothing to install. `sandbox`: whether Chromium's own held its pages.
 * `resources`: the most memory that its processes held together, and what they used of processors. `limits`: of its last command; older agents do not tell. The addresses of files
 * are the control plane's: it knows them once they are uploaded.
 */
export const PlaywrightCheckResult = Type.Object({
  errors: Texts,
  tests: Type.Array(SuiteTest, { maxItems: maxSuiteTests }),
  counts: SuiteCounts,
  startTime: Instant,
  endTime: Instant,
  playwrightVersion: TextOrNull,
  browserVersion: TextOrNull,
  runtimeVersion: Type.String(),
  engine: Type.String(),
  install: Type.Union([Install, Type.Null()]),
  sandbox: Type.Union([Type.Boolean(), Type.Null()]),
  resources: Type.Object({ peakMemoryMb: Count, cpuMs: Count }),
  limits: Type.Optional(Type.Union([HeldLimits, Type.Null()])),
  isCancelled: Type.Boolean(),
  jobLog: Type.Union([Type.Array(LogLine), Type.Null()]),
  jobAssets: Type.Union([Texts, Type.Null()]),
  playwrightTraceFiles: Type.Array(
    Type.Object({ url: Type.String(), name: Type.String(), filename: Type.String() }),
  ),
  playwrightTestVideos: Texts,
  playwrightTestTraces: Texts,
  playwrightTestJsonReportFile: TextOrNull,
})
export type PlaywrightCheckResult = Static<typeof PlaywrightCheckResult>
