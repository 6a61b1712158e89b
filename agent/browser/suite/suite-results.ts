/** What came of a run of a suite, in the shapes of its result. Pure. */
import type { PlaywrightCheckResult, SuiteCounts } from '../../../protocol/checks/playwright-result.ts'
import type { Failure, LogLine, Observation } from '../../../protocol/result.ts'
import type { SuiteRun } from './run-suite.ts'
import type { StageEnding } from './stage.ts'

const maxError = 4000
const maxErrors = 50

const noTests: SuiteCounts = { passed: 0, failed: 0, flaky: 0, skipped: 0, degraded: 0, notRun: 0 }

/** In a sentence why the suite did not pass, or null. */
export const suiteFailure = (run: SuiteRun): Failure | null => {
  const { problem, install, stage, state } = run
  if (problem !== null) return failure('SUITE_REFUSED', `The suite cannot run: ${problem}`)
  const installing = install?.stage ?? null
  if (installing !== null && stage === null) return commandFailure('install', installing)
  if (stage === null) return failure('TIMEOUT', 'The time of the suite was up before its tests')
  if (stage.limit !== null) return commandFailure('test', stage)
  const { failed } = state?.counts ?? noTests
  if (failed > 0 && state !== null) return failure('TESTS_FAILED', testsSentence(state))
  if (stage.code === 0) return null
  const [error] = state?.errors ?? []
  return error === undefined ? commandFailure('test', stage) : failure('SUITE_FAILED', error)
}

const failure = (code: string, message: string): Failure => ({
  code,
  message: message.slice(0, maxError),
  network: false,
})

const commandFailure = (which: 'install' | 'test', { code, limit, reason }: StageEnding): Failure => {
  const word = which === 'install' ? 'INSTALL' : 'SUITE'
  if (limit !== null)
    return failure(
      /took longer|time of the whole/.test(limit) ? 'TIMEOUT' : `${word}_STOPPED`,
      `The ${which} command ${limit}`,
    )
  const how = code === null ? 'ended without an exit code' : `ended with exit code ${code}`
  return failure(`${word}_FAILED`, `The ${which} command ${how}${reason === '' ? '' : `: ${reason}`}`)
}

/** Playwright's words for whatever a test did after its browser, or its page, was gone. */
const goneWords = /(page|context|browser) has been closed|(target|page) crashed/i

/**
 * Whether all that failed, tests and what is around them, may have failed because its browser died: one that failed otherwise is a
 * failure.
 */
export const mayBeOfBrowser = (state: SuiteRun['state']): boolean => {
  const { errors: around = [], tests = [] } = state ?? {}
  const failed = [
    ...around.map((error) => [error]),
    ...tests.flatMap(({ outcome, errors }) => (outcome === 'unexpected' ? [errors] : [])),
  ]
  return failed.length > 0 && failed.every((errors) => errors.some((error) => goneWords.test(error)))
}

const testsSentence = ({ counts, tests }: NonNullable<SuiteRun['state']>): string => {
  const { failed, passed, flaky, skipped, notRun } = counts
  const all = failed + passed + flaky + skipped + notRun
  const first = tests.find(({ outcome }) => outcome === 'unexpected')
  const sentence = `${failed} of ${all} ${all === 1 ? 'test' : 'tests'} failed`
  return first === undefined
    ? sentence
    : `${sentence}; "${first.titlePath.slice(1).join(' › ')}": ${first.errors[0] ?? first.status}`
}

export const suiteResult = (run: SuiteRun, jobLog: LogLine[], now: number): PlaywrightCheckResult => {
  const { install, stage, state, seen } = run
  const stages = [install?.stage ?? null, stage].filter((one) => one !== null)
  const found = suiteFailure(run)
  const fromTests = (state?.tests ?? []).flatMap(({ outcome, errors, titlePath }) =>
    outcome === 'unexpected'
      ? errors.slice(0, 1).map((error) => `${titlePath.slice(1).join(' › ')}: ${error}`)
      : [],
  )
  const errors = [...(state?.errors ?? []), ...fromTests].slice(0, maxErrors)
  const isOwn = found !== null && !['TESTS_FAILED'].includes(found.code)
  const whole = isOwn && !errors.includes(found.message) ? [found.message, ...errors] : errors
  return {
    errors: whole.map((error) => error.slice(0, maxError)),
    tests: state?.tests ?? [],
    counts: state?.counts ?? noTests,
    startTime: stages[0]?.startedAt ?? now,
    endTime: stages.at(-1)?.endedAt ?? now,
    playwrightVersion: state?.playwrightVersion ?? null,
    browserVersion: seen.browserVersion,
    runtimeVersion: run.runtimeId,
    engine: run.engine,
    install: install && {
      manager: install.manager,
      command: install.command,
      cache: install.cache,
      duration: install.duration,
    },
    sandbox: run.sandbox,
    resources: {
      peakMemoryMb: Math.round(Math.max(0, ...stages.map(({ use }) => use.peakBytes)) / 1024 / 1024),
      cpuMs: stages.reduce((sum, { use }) => sum + use.cpuMs, 0),
    },
    limits: stages.at(-1)?.limits ?? null,
    isCancelled: false,
    jobLog,
    jobAssets: null,
    playwrightTraceFiles: [],
    playwrightTestVideos: [],
    playwrightTestTraces: [],
    playwrightTestJsonReportFile: null,
  }
}

/** The time is the tests' own: packages are not what a suite measures. */
export const suiteObservation = (run: SuiteRun, detail: PlaywrightCheckResult): Observation => {
  const found = suiteFailure(run)
  return {
    responseTime: run.stage === null ? 0 : Math.max(0, run.stage.endedAt - run.stage.startedAt),
    failure: found,
    assertions: [],
    degraded: found === null && detail.counts.degraded > 0,
    metrics: {},
    detail,
  }
}
