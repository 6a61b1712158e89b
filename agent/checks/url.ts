import { UrlSpec } from '../../protocol/checks/url.ts'
import type { Observation } from '../../protocol/result.ts'
import type { HttpIo } from '../net/http/exchange.ts'
import { requestWithRedirects } from '../net/http/redirects.ts'
import { maxImageBytes } from '../net/http/stored-body.ts'
import { httpObservation, unsentObservation } from './http-observation.ts'
import { authorizationOf, defaultHeaders, invalidUrl } from './http-request.ts'
import { type EvidenceIo, keepEvidence } from './network-evidence.ts'
import { createPhaseLog, withJobLog } from './phase-log.ts'
import { httpModule } from './probe-module.ts'
import { type RunContext, runner } from './runner.ts'
import { withTraceparent } from './trace-context.ts'

/** One GET on a connection of its own, judged by its status and assertions. */
export const runUrl = async (
  { request, shouldFail, sendTraceparent }: UrlSpec,
  io: HttpIo & EvidenceIo,
  { signal, runLog, judge }: RunContext,
): Promise<Observation> => {
  const { method, ipFamily, skipSSL, followRedirects, assertions } = request
  const url = URL.parse(request.url)
  if (url === null) return unsentObservation(request, invalidUrl)
  const plain = {
    url,
    method,
    headers: { ...defaultHeaders, ...authorizationOf(url) },
    body: null,
    ipFamily,
    skipTls: skipSSL,
    followRedirects,
    keepBytes: maxImageBytes,
  }
  const { request: sent, trace } = withTraceparent(plain, sendTraceparent, io)
  const chain = await requestWithRedirects(sent, io, signal)
  const log = createPhaseLog(runLog, io.clock)
  await keepEvidence(chain, io, log.during('request'))
  const observation = await httpObservation(chain, { assertions, shouldFail }, judge)
  return withJobLog(trace === null ? observation : { ...observation, trace }, log)
}

export const urlRunner = {
  ...runner(UrlSpec, runUrl, () => true),
  probes: { http_2xx: httpModule({ method: 'GET' }) },
}
