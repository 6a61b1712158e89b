/** Playwright suites: the job as a run of a project, and what came of it as an observation. */
import { rm } from 'node:fs/promises'
import { runLimits } from '../../protocol/checks/check-protocol.ts'
import { PlaywrightSpec } from '../../protocol/checks/playwright-spec.ts'
import type { Job } from '../../protocol/job.ts'
import type { LogLine, Observation } from '../../protocol/result.ts'
import type { RunLog } from '../base/run-log.ts'
import { userAgent } from '../base/version.ts'
import { holdToBrowser } from '../browser/browser-death.ts'
import type { Browsers } from '../browser/browsers.ts'
import { cleanTrace } from '../browser/clean-trace.ts'
import { missingInWords } from '../browser/collect-files.ts'
import { maxMemoryMb, type SuiteRun } from '../browser/suite/run-suite.ts'
import {
  mayBeOfBrowser,
  suiteFailure,
  suiteObservation,
  suiteResult,
} from '../browser/suite/suite-results.ts'
import type { Suites } from '../browser/suite/suites.ts'
import type { Io } from '../net/io.ts'
import { isSecretName, secretsOf } from '../scrub/job-secrets.ts'
import { hideWithin } from './api-scripts.ts'
import { jobRunner, type RunContext, type Runner, runVariables } from './runner.ts'

export type SuiteIo = Io & { suites: Suites; browsers: Pick<Browsers, 'known'> }

type SuiteCheckJob = Omit<Job, 'spec'> & { spec: PlaywrightSpec }

const maxJobLogLines = 500

const runPlaywrightCheck = async (
  job: SuiteCheckJob,
  io: SuiteIo,
  { signal, runLog }: RunContext,
): Promise<Observation> => {
  const jobLog: LogLine[] = []
  const hidden: string[] = []
  const say: RunLog['say'] = (level, msg) => {
    runLog.say(level, msg)
    if (jobLog.length < maxJobLogLines)
      jobLog.push({ time: Math.floor(io.clock.now()), level, msg: msg.slice(0, 8000) })
  }
  const hideOne = hideWithin(runLog)
  const hide = (secret: string): boolean => {
    hidden.push(secret)
    return hideOne(secret)
  }
  const run = await io.suites.run(asSuiteJob(job), { signal, say, hide }, io)
  const areHidden = run.seen.hidden.map(hide).every(Boolean)
  if (!areHidden) say('WARN', 'No file is kept: the suite made more secret than can be looked for')
  if (run.missing.length > 0) say('WARN', missingInWords(run.missing))
  if (run.seen.leftOut.includes('videos'))
    say('WARN', `No video was recorded: ${io.browsers.known()?.videoError}`)
  if (run.sandbox === false) say('WARN', "Chromium's own sandbox is off on this agent")
  const secrets = [...secretsOf(job as Job), ...hidden]
  await keepFiles(run, { none: !areHidden, clock: io.clock, runLog, say, secrets })
  const detail = suiteResult(run, jobLog, Math.floor(io.clock.now()))
  const found = suiteFailure(run)
  const { stage, state } = run
  if (found !== null && stage !== null && stage.limit === null && mayBeOfBrowser(state))
    holdToBrowser({ ...run, use: stage.use }, { maxMemoryMb, why: found.message })
  const degraded = found === null && detail.counts.degraded > 0
  if (degraded) say('WARN', `The suite is degraded: ${detail.counts.degraded} of its tests say so`)
  return suiteObservation(run, detail)
}

const asSuiteJob = (job: SuiteCheckJob) => ({
  spec: job.spec,
  accountId: job.accountId,
  checkId: job.checkId,
  bundleTicket: job.bundleTicket ?? '',
  runtimeId: job.runtimeId,
  variables: environmentOf(job),
  secretNames: job.variables.filter(({ key, secret }) => secret || isSecretName(key)).map(({ key }) => key),
  userAgent,
  timeMs: Math.min(job.deadlineMs, runLimits.suite),
})

/** What the service provides comes after what the check says. */
const environmentOf = (job: SuiteCheckJob): Record<string, string> =>
  Object.fromEntries([
    ...runVariables(job),
    ['SERVICE', '1'],
    ['SERVICE_RUN_SOURCE', job.runSource],
    ['SERVICE_CHECK_ID', job.checkId],
    ['SERVICE_REGION', job.runLocation],
    ...(job.runSource === 'TRIGGER_API' ? [['CI', 'true']] : []),
    ...job.variables.map(({ key, value }) => [key, value]),
  ])

type Keeping = {
  clock: Io['clock']
  /** Nothing may be kept. */
  none: boolean
  runLog: RunLog
  say: RunLog['say']
  secrets: readonly string[]
}

/** What Playwright has left, it has left because the suite wanted it. */
const keepFiles = async ({ files }: SuiteRun, keeping: Keeping): Promise<void> => {
  const { none, clock, runLog, say, secrets } = keeping
  for (const { type, name, contentType, path } of files) {
    const holdsRequests = type === 'trace' || name.endsWith('.har')
    const isKept = !none && (!holdsRequests || (await cleanTrace({ path, name }, { secrets, clock, say })))
    if (isKept) runLog.keep({ type, name, contentType, content: { path } })
    else await rm(path, { force: true })
  }
}

/** A whole Playwright project. */
export const playwrightRunner: Runner<SuiteIo> = {
  ...jobRunner(PlaywrightSpec, runPlaywrightCheck),
  isAvailable: ({ browsers }) => (browsers.known()?.chromium ?? null) !== null,
}
