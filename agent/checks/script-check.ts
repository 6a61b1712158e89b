/** Browser and multi-step checks: the job as a script's run, and what came of it as an observation. */
import { rm } from 'node:fs/promises'
import { runLimits } from '../../protocol/checks/check-protocol.ts'
import type { ScriptSpec } from '../../protocol/checks/script-spec.ts'
import type { Job } from '../../protocol/job.ts'
import type { LogLine, Observation } from '../../protocol/result.ts'
import type { RunLog } from '../base/run-log.ts'
import { userAgent } from '../base/version.ts'
import { holdToBrowser } from '../browser/browser-death.ts'
import type { BrowserRun } from '../browser/browser-job.ts'
import type { Browsers } from '../browser/browsers.ts'
import { cleanTrace } from '../browser/clean-trace.ts'
import { type CollectedFile, missingInWords } from '../browser/collect-files.ts'
import { nothingSeen } from '../browser/nothing-seen.ts'
import { failureOf, judged, observationOf, type RunFacts } from '../browser/results.ts'
import { maxMemoryMb } from '../browser/start-browser-child.ts'
import type { LeftOut } from '../browser/task.ts'
import type { Io } from '../net/io.ts'
import { isSecretName, secretsOf } from '../scrub/job-secrets.ts'
import { hideWithin } from './api-scripts.ts'
import { type RunContext, runVariables } from './runner.ts'

type ScriptJob = Omit<Job, 'spec'> & { spec: ScriptSpec }

export type BrowserIo = Io & { browsers: Browsers }

type ScriptKind = { withBrowser: boolean; detail(facts: RunFacts): unknown }

/** Before the end of the run's time: for traces and pictures of what was under way. */
const softStopShare = 2 / 3
const longestSoftStopMs = 10_000

export const runScriptCheck =
  ({ withBrowser, detail }: ScriptKind) =>
  async (job: ScriptJob, io: BrowserIo, { signal, runLog }: RunContext): Promise<Observation> => {
    const { spec, runtimeId } = job
    const jobLog: LogLine[] = []
    const hidden: string[] = []
    const say: RunLog['say'] = (level, msg) => {
      runLog.say(level, msg)
      if (jobLog.length < 500)
        jobLog.push({ time: Math.floor(io.clock.now()), level, msg: msg.slice(0, 8000) })
    }
    const hideOne = hideWithin(runLog)
    const hide = (secret: string): boolean => {
      hidden.push(secret)
      return hideOne(secret)
    }
    const run = await io.browsers.run({ ...asBrowserJob(job), withBrowser }, { signal, say, hide }, io)
    if ('problem' in run) return unrun(run.problem, { io, runtimeId, spec, detail })
    const areHidden = run.seen.hidden.map(hide).every(Boolean)
    if (!areHidden) say('WARN', 'No file is kept: the script made more secret than can be looked for')
    if (run.missing.length > 0) say('WARN', missingInWords(run.missing))
    const found = failureOf(run)
    const failed = judged(found, spec.shouldFail) !== null
    await keepFiles(run.files, {
      none: !areHidden,
      clock: io.clock,
      failed,
      isRetry: job.attempt > 1,
      runLog,
      say,
      secrets: [...secretsOf(job as Job), ...hidden],
    })
    for (const what of new Set(run.seen.leftOut)) say('WARN', whyLeftOut[what](io))
    if (run.sandbox === false) say('WARN', "Chromium's own sandbox is off on this agent")
    if (found !== null && found.code !== 'SCRIPT_STOPPED')
      holdToBrowser(run, { maxMemoryMb, why: found.message })
    const facts = { run, runtimeId: runtimeId ?? '', spec, jobLog }
    return observationOf(detail(facts), { run, shouldFail: spec.shouldFail })
  }

const whyLeftOut: Record<LeftOut, (io: BrowserIo) => string> = {
  videos: ({ browsers }) => `No video was recorded: ${browsers.known()?.videoError}`,
  proxy: () => "The script's own proxy was not used: what it sends leaves by the way of its location",
}

/** How long a run may go on before it is stopped softly. */
export const softTimeMs = ({ deadlineMs }: Pick<Job, 'deadlineMs'>): number => {
  const limitMs = Math.min(deadlineMs, runLimits.script)
  return Math.max(1, Math.round(Math.max(limitMs * softStopShare, limitMs - longestSoftStopMs)))
}

const asBrowserJob = (job: ScriptJob) => ({
  spec: job.spec,
  runtimeId: job.runtimeId,
  variables: Object.fromEntries(environmentOf(job)),
  secretNames: job.variables.filter(({ key, secret }) => secret || isSecretName(key)).map(({ key }) => key),
  userAgent,
  traces: true,
  isRetry: job.attempt > 1,
  timeMs: softTimeMs(job),
})

/** What the service provides comes after what the check says. */
const environmentOf = (job: ScriptJob): Map<string, string> =>
  new Map([
    ...runVariables(job),
    ['SERVICE', '1'],
    ['SERVICE_RUN_SOURCE', job.runSource],
    ['SERVICE_CHECK_ID', job.checkId],
    ['SERVICE_REGION', job.runLocation],
    ...(job.runSource === 'TRIGGER_API' ? [['CI', 'true'] as const] : []),
    ...job.variables.map(({ key, value }) => [key, value] as const),
  ])

type Keeping = {
  clock: Io['clock']
  /** Nothing may be kept. */
  none: boolean
  failed: boolean
  /** Its trace shows what is different when it passes. */
  isRetry: boolean
  runLog: RunLog
  say: RunLog['say']
  secrets: readonly string[]
}

/** Of a run that passed at once, traces and pictures that nobody asked for are not kept. */
export const keepFiles = async (
  files: readonly CollectedFile[],
  { clock, none, failed, isRetry, runLog, say, secrets }: Keeping,
): Promise<void> => {
  for (const { type, name, contentType, path, automatic } of files) {
    const isWanted = !none && (failed || !automatic || (isRetry && type === 'trace'))
    const holdsRequests = type === 'trace' || name.endsWith('.har')
    const isKept = isWanted && (!holdsRequests || (await cleanTrace({ path, name }, { secrets, clock, say })))
    if (isKept) runLog.keep({ type, name, contentType, content: { path } })
    else await rm(path, { force: true })
  }
}

type Unrun = { io: BrowserIo; runtimeId: string | null; spec: ScriptSpec; detail: ScriptKind['detail'] }

/** The check is at fault: nothing was started. */
const unrun = (problem: string, { io, runtimeId, spec, detail }: Unrun): Observation => {
  const now = Math.floor(io.clock.now())
  const run: BrowserRun = {
    ...{
      errors: [{ message: problem, line: null, path: null }],
      limit: null,
      limits: null,
      startedAt: now,
      endedAt: now,
    },
    ...{ use: { peakBytes: 0, cpuMs: 0 }, files: [], missing: [], sandbox: null },
    seen: nothingSeen(),
  }
  return observationOf(detail({ run, runtimeId: runtimeId ?? '', spec, jobLog: [] }), {
    run,
    shouldFail: spec.shouldFail,
  })
}
