/** What came of a run, in the shapes of its result. Pure. */
import type { MultiStepCheckResult } from '../../protocol/checks/script-result.ts'
import type { ScriptSpec } from '../../protocol/checks/script-spec.ts'
import type { Failure, LogLine, Observation } from '../../protocol/result.ts'
import type { BrowserRun } from './browser-job.ts'
import { failedLineOf } from './failed-line.ts'
import type { ScriptError } from './task.ts'

const maxErrorLength = 4000

export type RunFacts = {
  run: BrowserRun
  runtimeId: string
  spec: ScriptSpec
  jobLog: LogLine[]
}

/** In a sentence why the script did not pass, or null. */
export const failureOf = ({ errors, limit }: Pick<BrowserRun, 'errors' | 'limit'>): Failure | null => {
  const [first] = errors
  const told = first === undefined ? null : `${placeOf(first)}: ${first.message}`
  if (limit !== null)
    return failure(
      /time was up/.test(limit) ? 'TIMEOUT' : 'SCRIPT_STOPPED',
      `The script ${limit}${told === null ? '' : `;${told}`}`,
    )
  return told === null ? null : failure('SCRIPT_FAILED', `The script failed${told}`)
}

const placeOf = ({ line, path }: ScriptError): string =>
  line === null ? '' : ` at line ${line}${path === null ? '' : ` of ${path}`}`

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

/** What the results of both types tell. */
export const sharedResult = ({ run, runtimeId, spec, jobLog }: RunFacts): MultiStepCheckResult => ({
  errors: [
    ...run.errors.map((error) => withPlace(error, spec)),
    ...(run.limit === null ? [] : [`The script ${run.limit}`]),
  ],
  failedLine: run.errors[0] === undefined ? null : failedLineOf(spec, run.errors[0]),
  steps: run.seen.steps,
  startTime: run.startedAt,
  endTime: run.endedAt,
  runtimeVersion: runtimeId,
  resources: { peakMemoryMb: Math.round(run.use.peakBytes / 1024 / 1024), cpuMs: run.use.cpuMs },
  limits: run.limits,
  jobLog,
  jobAssets: null,
  playwrightTestTraces: [],
  playwrightTestJsonReportFile: null,
})

/** As stacks say it. */
const withPlace = (error: ScriptError, spec: ScriptSpec): string => {
  const place = failedLineOf(spec, error)
  const at = place === null ? '' : `\n    at ${place.path}:${place.line}`
  return `${error.message.slice(0, maxErrorLength - at.length).trimEnd()}${at}`
}

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
