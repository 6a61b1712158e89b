/** Agentic checks: a model that drives a page, and what our own code found there. */

import { AgenticSpec } from '../../protocol/checks/agentic.ts'
import type { AgenticCheckResult } from '../../protocol/checks/agentic-result.ts'
import type { Job } from '../../protocol/job.ts'
import type { Observation } from '../../protocol/result.ts'
import { createBudget, type Usage } from '../agentic/budget.ts'
import { type ConversationEnd, converse } from '../agentic/converse.ts'
import { instructions } from '../agentic/instructions.ts'
import type { Model } from '../agentic/model.ts'
import { createRecord, type RunRecord } from '../agentic/record.ts'
import { suggestionsFor, taskErrorOf } from '../agentic/task-error.ts'
import { type TaskWords, wordsOfTask } from '../agentic/task-words.ts'
import { verdictOf } from '../agentic/verdict.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { userAgent } from '../base/version.ts'
import { holdToBrowser } from '../browser/browser-death.ts'
import type { DrivenRun } from '../browser/browsers.ts'
import { maxMemoryMb } from '../browser/start-browser-child.ts'
import { createDisguiseFinder } from '../scrub/disguised.ts'
import { finderOf } from '../scrub/hidden-values.ts'
import { isSecretName, secretsOf } from '../scrub/job-secrets.ts'
import { createScrubber } from '../scrub/scrub.ts'
import { jobRunner, type RunContext, type Runner } from './runner.ts'
import { type BrowserIo, keepFiles, softTimeMs } from './script-check.ts'

/** `model`: null where the operator has named none. */
export type AgenticIo = BrowserIo & { model: Model | null }

type AgenticJob = Omit<Job, 'spec'> & { spec: AgenticSpec }

type Ran = { end: ConversationEnd; driven: DrivenRun<ConversationEnd> | null; usage: Usage }

const runAgenticCheck = async (job: AgenticJob, io: AgenticIo, context: RunContext): Promise<Observation> => {
  const { model } = io
  if (model === null) throw new CannotRun('This agent has no model: AGENT_LLM_BASE_URL is not set')
  const { runLog } = context
  // Its endpoint may answer with what it was sent.
  runLog.hide(model.settings.apiKey)
  const startTime = Math.floor(io.clock.now())
  const began = io.clock.monotonic()
  const record = createRecord(io, runLog.say)
  const words = wordsOfTask(
    job.spec.prompt,
    job.variables.map((one) => ({ ...one, secret: one.secret || isSecretName(one.key) })),
  )
  const problem = taskErrorOf(words)
  const ran =
    problem === null
      ? await drive(job, { io, context, model, record, words })
      : { end: { stopped: problem }, driven: null, usage: createBudget(model).usage() }
  const failure = verdictOf(ran.end, record.assertions(), job.spec.shouldFail)
  const hasFailed = verdictOf(ran.end, record.assertions(), false) !== null
  await keepFiles(ran.driven?.files ?? [], {
    ...{ none: false, clock: io.clock, failed: hasFailed, isRetry: job.attempt > 1, runLog, say: runLog.say },
    secrets: secretsOf(job as Job),
  })
  if (failure !== null && ran.driven !== null)
    holdToBrowser(ran.driven, { maxMemoryMb, why: failure.message })
  if ('stopped' in ran.end) record.error(ran.end.stopped)
  return {
    responseTime: Math.max(0, Math.round(io.clock.monotonic() - began)),
    ...{ failure, assertions: [], degraded: false, metrics: {} },
    detail: detailOf(job, { ...ran, record, words, model, startTime, endTime: Math.ceil(io.clock.now()) }),
  }
}

/** In the place of a text that shows a secret of the task backwards, in pieces or in a simple code. */
const withheld = 'This text is withheld: it seems to show a secret in disguise.'

type Driving = { io: AgenticIo; context: RunContext; model: Model; record: RunRecord; words: TaskWords }

const drive = async (
  job: AgenticJob,
  { io, context: { signal, runLog }, model, record, words }: Driving,
): Promise<Ran> => {
  const scrubber = createScrubber(secretsOf(job as Job))
  const isDisguised = createDisguiseFinder(
    words.variables.filter(({ secret }) => secret).map(({ value }) => value),
  )
  const show = (text: string): string => {
    const clean = scrubber.text(text)
    return isDisguised(clean) ? withheld : clean
  }
  // A page that does not know it cannot write its end.
  const boundary = io.newId()
  const budget = createBudget(model)
  const conversation = {
    ...{ model, budget, system: instructions(words, boundary), task: scrubber.text(words.text) },
    context: {
      ...{ words, record, origins: new Set(words.origins), pictures: { taken: 0 } },
      canHide: (secret: string) => finderOf([secret]) !== null,
      show,
      mark: (text: string) => `<page ${boundary}>\n${show(text)}\n</page ${boundary}>`,
    },
  }
  const driven = await io.browsers.drive<ConversationEnd>(
    {
      ...{ origins: words.origins, userAgent, timeMs: softTimeMs(job) },
      driver: (command, over) =>
        converse({ ...conversation, context: { ...conversation.context, command } }, over),
    },
    { signal, say: runLog.say, hide: () => true },
    io,
  )
  return { end: driven.value, driven, usage: budget.usage() }
}

type Facts = Ran & Pick<Driving, 'record' | 'words' | 'model'> & { startTime: number; endTime: number }

const detailOf = ({ spec }: AgenticJob, facts: Facts): AgenticCheckResult => {
  const { end, driven, usage, record, words, model, startTime, endTime } = facts
  const { peakBytes, cpuMs } = driven?.use ?? { peakBytes: 0, cpuMs: 0 }
  return {
    summary: 'stopped' in end ? end.stopped.message : end.summary,
    prompt: spec.prompt,
    assertions: record.assertions(),
    suggestions: [...suggestionsFor(words), ...('stopped' in end ? [] : end.suggestions)],
    steps: record.steps,
    errors: record.errors,
    artifactManifest: { entries: [] },
    model: model.settings.model,
    ...{ usage, startTime, endTime },
    browserVersion: driven?.seen.browserVersion ?? null,
    sandbox: driven?.sandbox ?? null,
    resources: { peakMemoryMb: Math.round(peakBytes / 1024 / 1024), cpuMs },
    limits: driven?.limits ?? null,
  }
}

/** It needs a model, and a browser for it. */
export const agenticRunner: Runner<AgenticIo> = {
  ...jobRunner(AgenticSpec, runAgenticCheck),
  isAvailable: ({ browsers, model }) => model !== null && (browsers.known()?.chromium ?? null) !== null,
}
