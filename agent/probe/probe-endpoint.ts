/**
 * `/probe?target=&module=` for those who come from blackbox_exporter: one run of ours, told in its metrics. Off unless a
 * token and targets are set. A probe goes the way of every check, so that BLOCKED_NETWORKS and ALLOWED_NETWORKS hold for it.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  chooseFormat,
  expositionEnd,
  expositionTypes,
  familyHead,
  sampleLine,
} from '../../protocol/exposition.ts'
import { type ProbeSample, probeFamilies, probeSamples } from '../../protocol/probe-series.ts'
import { outcomeName, type RunIo, runJob } from '../jobs/run-job.ts'
import { allowedTargets } from './allowed-targets.ts'
import { probeJob } from './probe-job.ts'
import { type Probe, readProbe } from './probe-request.ts'

export type ProbeSettings = Readonly<{ token: string; targets: readonly string[] }>

export type ProbeEndpoint = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Probes are guests beside the checks of the agent. */
export const maxProbesAtOnce = 20
const usualTimeoutMs = 10_000
const longestTimeoutMs = 30_000
/** Of the scraper's timeout, for the answer to get there. */
const answerTakesMs = 500

export const createProbeEndpoint = (settings: ProbeSettings, io: RunIo): ProbeEndpoint => {
  const isAllowed = allowedTargets(settings.targets)
  const expected = digest(`Bearer ${settings.token}`)
  const running = new Set<Promise<unknown>>()
  return async (request, response) => {
    const refuse = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      response.end(`${text}\n`)
    }
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) {
      response.setHeader('www-authenticate', 'Bearer')
      return refuse(401, 'the token is missing or wrong')
    }
    const probe = readProbe(new URL(request.url ?? '/', 'http://agent').searchParams)
    if ('problem' in probe) return refuse(400, probe.problem)
    if (!isAllowed(probe.host)) return refuse(403, `AGENT_PROBE_TARGETS does not allow ${probe.host}`)
    if (running.size >= maxProbesAtOnce) return refuse(503, `${maxProbesAtOnce} probes are running already`)
    const begun = beginProbe(probe, io, timeoutOf(request))
    running.add(begun.over)
    begun.over.finally(() => running.delete(begun.over))
    const ended = await begun.samples
    if ('reason' in ended) return refuse(500, ended.reason)
    const format = chooseFormat(request.headers.accept)
    response.writeHead(200, { 'content-type': expositionTypes[format], 'cache-control': 'no-store' })
    response.end(`${render(ended.samples, format)}${expositionEnd(format)}`)
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const timeoutOf = (request: IncomingMessage): number => {
  const seconds = Number(request.headers['x-prometheus-scrape-timeout-seconds'])
  if (!(seconds > 0)) return usualTimeoutMs
  const timeoutMs = seconds * 1000
  return Math.round(Math.min(longestTimeoutMs, Math.max(timeoutMs / 2, timeoutMs - answerTakesMs)))
}

/** `reason`: why this agent could not probe. */
type ProbeEnding = { samples: ProbeSample[] } | { reason: string }

/** `samples` come in time; `over`: nothing of the probe runs any more. */
type BegunProbe = { samples: Promise<ProbeEnding>; over: Promise<unknown> }

const beginProbe = (probe: Probe, io: RunIo, timeoutMs: number): BegunProbe => {
  const began = io.clock.monotonic()
  const type = probe.checkType
  const controller = new AbortController()
  const ran = runJob(probeJob(probe, io, timeoutMs), io, controller).then(
    async (result): Promise<ProbeEnding> => {
      for (const artifact of result.artifacts) await artifact.discard()
      const { outcome } = result
      if (outcome.kind !== 'observed')
        return { reason: outcome.kind === 'cancelled' ? 'cancelled' : outcome.reason }
      const seconds = (io.clock.monotonic() - began) / 1000
      const { detail } = outcome.observation
      return { samples: probeSamples({ type, success: outcomeName(result) === 'passed', seconds, detail }) }
    },
  )
  const late = Promise.withResolvers<ProbeEnding>()
  const seconds = timeoutMs / 1000
  const cancel = io.clock.at(timeoutMs + answerTakesMs / 2, () =>
    late.resolve({ samples: probeSamples({ type, success: false, seconds, detail: null }) }),
  )
  return { samples: Promise.race([ran, late.promise]).finally(cancel), over: ran.catch(() => {}) }
}

const render = (samples: readonly ProbeSample[], format: Parameters<typeof familyHead>[1]): string =>
  probeFamilies
    .map((family) => {
      const lines = samples.flatMap(({ name, phase, value }) =>
        name === family.name ? [sampleLine(name, phase === undefined ? '' : `phase="${phase}"`, value)] : [],
      )
      return lines.length === 0 ? '' : familyHead(family, format) + lines.join('')
    })
    .join('')
