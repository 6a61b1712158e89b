import { ApiSpec } from '../../protocol/checks/api.ts'
import type { Observation } from '../../protocol/result.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import type { Judge } from '../judging/judge.ts'
import type { HttpIo } from '../net/http/exchange.ts'
import { maskUrl } from '../net/http/mask.ts'
import { type Chain, type RedirectableRequest, requestWithRedirects } from '../net/http/redirects.ts'
import { RequestError } from '../templates/request-error.ts'
import { type ApiJob, apiRequest } from './api-request.ts'
import { hideWithin, type ScriptIo, type ScriptRun, setUp, tearDown } from './api-scripts.ts'
import { httpObservation, unsentObservation } from './http-observation.ts'
import { type EvidenceIo, keepEvidence } from './network-evidence.ts'
import { createPhaseLog, withJobLog } from './phase-log.ts'
import { httpModule } from './probe-module.ts'
import { holdRequestMemory, type RequestMemoryIo, requestBytes } from './request-memory.ts'
import { jobRunner, type RunContext } from './runner.ts'
import { withTraceparent } from './trace-context.ts'

export type ApiIo = HttpIo & EvidenceIo & ScriptIo & RequestMemoryIo

/** One HTTP request with the variables of its job filled in and scripts around it, judged by status and assertions. */
const runApi = async (
  job: ApiJob,
  io: ApiIo,
  { signal, runLog, judge }: RunContext,
): Promise<Observation> => {
  const { setupScripts, tearDownScripts } = job.spec
  const log = createPhaseLog(runLog, io.clock)
  const observation = await observe(job, { io, signal, log, runLog, hide: hideWithin(runLog), judge })
  if (setupScripts.length + tearDownScripts.length === 0) return withJobLog(observation, log)
  return { ...observation, detail: { ...(observation.detail as object), jobLog: log.lines() } }
}

/** RFC 9110 section 9.2.1; scripts may do anything. */
const isSafe = ({ request: { method }, setupScripts, tearDownScripts }: ApiSpec): boolean =>
  (method === 'GET' || method === 'HEAD') && setupScripts.length + tearDownScripts.length === 0

const post = {
  method: 'POST',
  body: '',
  bodyType: 'NONE',
  headers: [],
  queryParameters: [],
  basicAuth: null,
}

export const apiRunner = {
  ...jobRunner(ApiSpec, runApi, isSafe),
  probes: { http_post_2xx: httpModule(post, { setupScripts: [], tearDownScripts: [] }) },
}

type ApiRun = ScriptRun & { io: ApiIo; judge: Judge }

const observe = async (job: ApiJob, run: ApiRun): Promise<Observation> => {
  const { request, setupScripts } = job.spec
  try {
    const ready = setupScripts.length === 0 ? job : await setUp(job, run)
    const { clock, random, newId } = run.io
    const release = await holdRequestMemory(requestBytes(ready), run)
    try {
      const plain = apiRequest(ready, { now: clock.now, random, newId })
      const { request: sent, trace } = withTraceparent(plain, ready.spec.sendTraceparent, run.io)
      const observation = await exchange(ready, sent, run)
      return trace === null ? observation : { ...observation, trace }
    } finally {
      release()
    }
  } catch (error) {
    if (error instanceof RequestError) return unsentObservation(request, error)
    throw error
  }
}

const exchange = async (job: ApiJob, sent: RedirectableRequest, run: ApiRun): Promise<Observation> => {
  const { request, shouldFail, setupScripts, tearDownScripts } = job.spec
  const chain = await inTime(sent, run)
  const isScripted = setupScripts.length + tearDownScripts.length > 0
  if (isScripted) sayExchange(chain, run)
  await keepEvidence(chain, run.io, run.log.during('request'))
  const expected = { assertions: request.assertions, shouldFail }
  if (!isScripted) return await httpObservation(chain, expected, run.judge)
  const after = await tearDown(job, chain, run)
  const observation = await httpObservation(after.chain, expected, run.judge)
  return { ...observation, failure: observation.failure ?? after.failure }
}

/** Of the request with its redirects; the scripts around it have a time of their own. */
const requestTimeMs = 30_000

const inTime = async (sent: RedirectableRequest, { io, signal }: ApiRun): Promise<Chain> => {
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal.reason)
  const cancel = io.clock.at(requestTimeMs, () => controller.abort(new DeadlinePassed(requestTimeMs)))
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    return await requestWithRedirects(sent, io, controller.signal)
  } finally {
    cancel()
    signal.removeEventListener('abort', abort)
  }
}

const sayExchange = ({ request, last, totalMs }: Chain, { log }: ScriptRun): void => {
  const { failure, response } = last
  const what = `${request.method} ${maskUrl(request.url)}`
  if (failure !== null) log.say('request', 'ERROR', `${what}: ${failure.message}`)
  else log.say('request', 'INFO', `${what}: status ${response?.status} after ${Math.round(totalMs)} ms`)
}
