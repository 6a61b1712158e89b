/**
 * The scripts around the request of an API check: setup scripts change the request and the
 * variables, and one that fails ends the run; teardown scripts see the response and may change its body, and one that
 * fails makes the run a failure while the others, and the assertions, go on.
 */
import type { ApiScript } from '../../protocol/checks/api.ts'
import type { Failure } from '../../protocol/result.ts'
import type { RunLog } from '../base/run-log.ts'
import { phasesOf, timingsOf } from '../net/http/phases.ts'
import type { Chain } from '../net/http/redirects.ts'
import type { Io } from '../net/io.ts'
import type { RunScript } from '../sandbox/sandbox.ts'
import type { ScriptListener } from '../sandbox/sandbox-options.ts'
import { type Changes, maxHiddenBytes, maxScriptItems, type ScriptTask } from '../sandbox/task.ts'
import { isSecretName } from '../scrub/job-secrets.ts'
import type { TemplateContext } from '../templates/render.ts'
import { RequestError } from '../templates/request-error.ts'
import { roomForAddress, roomForRequest } from '../templates/room.ts'
import { type ApiJob, addressOf, variablesOf } from './api-request.ts'
import type { PhaseLog } from './phase-log.ts'
import { changedRequest, type Request, scriptRequest, shownParts } from './script-request.ts'

export type ScriptIo = Io & { runScript: RunScript }

/** What the scripts of one run share: how they connect, the deadline, and where they write. */
export type ScriptRun = {
  io: ScriptIo
  signal: AbortSignal
  log: PhaseLog
  runLog: RunLog
  hide: ScriptListener['hide']
}

/** Hides what all scripts of a run make secret, as long as that is not too much to be looked for. */
export const hideWithin = ({ hide }: Pick<RunLog, 'hide'>): ScriptListener['hide'] => {
  const known = new Set<string>()
  let bytes = 0
  return (secret) => {
    if (known.has(secret)) return true
    bytes += secret.length
    if (known.size >= maxScriptItems || bytes > maxHiddenBytes) return false
    known.add(secret)
    hide(secret)
    return true
  }
}

/** The job as its setup scripts leave it. Throws RequestError when one of them fails. */
export const setUp = async (job: ApiJob, run: ScriptRun): Promise<ApiJob> => {
  const { io } = run
  const sources = { now: io.clock.now, random: io.random, newId: io.newId }
  let current = job
  for (const script of job.spec.setupScripts) {
    const { request } = current.spec
    const variables = variablesOf(current)
    const url = requestUrl(request, { variables, sources, room: roomForAddress() })
    if (url !== null && !variables.has('REQUEST_URL')) variables.set('REQUEST_URL', url)
    const shown = shownParts(request, { variables, sources, room: roomForRequest() })
    const task = { phase: 'setup', request: scriptRequest(request.method, shown), ...nothingSeen } as const
    const answer = await runOne({ ...shared(current, script), ...task, variables }, run)
    if (!answer.ok) throw new RequestError('SETUP_SCRIPT_FAILED', answer.problem)
    current = withVariables(current, answer.changes.variables)
    current = {
      ...current,
      spec: { ...current.spec, request: changedRequest(request, shown, answer.changes) },
    }
  }
  for (const { locked, value } of [...current.spec.request.headers, ...current.spec.request.queryParameters])
    if (locked === true && !value.includes('{{')) run.runLog.hide(value)
  return current
}

/** null: it needs a variable that is not set yet. */
const requestUrl = (request: Request, context: TemplateContext): string | null => {
  try {
    return addressOf(request, context).href
  } catch (error) {
    if (error instanceof RequestError) return null
    throw error
  }
}

const nothingSeen = { response: null, body: null } as const

/** What teardown scripts leave of the exchange, and the failure of the first that failed. */
export const tearDown = async (
  job: ApiJob,
  chain: Chain,
  run: ScriptRun,
): Promise<{ chain: Chain; failure: Failure | null }> => {
  let current = { job, chain }
  let failure: Failure | null = null
  for (const script of job.spec.tearDownScripts) {
    const variables = variablesOf(current.job)
    if (!variables.has('REQUEST_URL')) variables.set('REQUEST_URL', chain.request.url.href)
    const task = { ...shared(current.job, script), phase: 'teardown', variables } as const
    const answer = await runOne({ ...task, ...seen(current.chain) }, run)
    if (!answer.ok) failure ??= { code: 'TEARDOWN_SCRIPT_FAILED', message: answer.problem, network: false }
    else
      current = {
        job: withVariables(current.job, answer.changes.variables),
        chain: withBody(current.chain, answer.changes.responseBody),
      }
  }
  return { chain: current.chain, failure }
}

const shared = ({ runtimeId, variables, spec }: ApiJob, script: ApiScript) => ({
  script,
  runtimeId,
  snippets: spec.snippets ?? [],
  secretNames: variables.filter(({ secret }) => secret).map(({ key }) => key),
})

const runOne = async (task: ScriptTask, { io, signal, log, hide }: ScriptRun) => {
  const say = log.say.bind(null, task.phase)
  const answer = await io.runScript(task, { signal, say, hide }, io)
  if (!answer.ok) say('ERROR', answer.problem)
  return answer
}

/** Variables last one run, and a secret's new value is as secret as its old one. */
const withVariables = (job: ApiJob, changes: Changes['variables']): ApiJob => {
  const secrets = new Set(job.variables.filter(({ secret }) => secret).map(({ key }) => key))
  return {
    ...job,
    variables: [
      ...job.variables.filter(({ key }) => !Object.hasOwn(changes, key)),
      ...Object.entries(changes).flatMap(([key, value]) =>
        value === null ? [] : [{ key, value, secret: secrets.has(key) || isSecretName(key) }],
      ),
    ],
  }
}

const seen = (chain: Chain): Pick<ScriptTask, 'request' | 'response' | 'body'> => {
  const { request, last } = chain
  const { response } = last
  return {
    request: {
      method: request.method,
      url: request.url.href,
      headers: request.headers,
      queryParameters: Object.fromEntries(request.url.searchParams),
      body: request.body?.toString() ?? '',
    },
    response:
      response === null
        ? null
        : {
            status: response.status,
            statusCode: response.status,
            statusText: response.statusText,
            headers: response.headers,
            timings: timingsOf(last.moments),
            timingPhases: phasesOf(last.moments, chain.totalMs),
          },
    body: response === null ? null : { bytes: response.bytes, contentType: contentTypeOf(response) },
  }
}

type Response = NonNullable<Chain['last']['response']>

const contentTypeOf = ({ headers, rewritten }: Response): string =>
  rewritten === true ? '' : String(headers['content-type'] ?? '')

/** From here on the body is what the script made of it, for assertions and for the result. */
const withBody = (chain: Chain, text: string | undefined): Chain => {
  const { response } = chain.last
  if (text === undefined || response === null) return chain
  const bytes = Buffer.from(text)
  const rewritten = { ...response, bytes, bodyBytes: bytes.length, truncated: false, rewritten: true }
  return { ...chain, last: { ...chain.last, response: rewritten } }
}
