/** Reports as an agent sends them, from one real observation: jobs are claimed and reported without being run. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { createRunLog } from '../../agent/base/run-log.ts'
import { runUrl } from '../../agent/checks/url.ts'
import { createJudge } from '../../agent/judging/judge.ts'
import { realIo } from '../../agent/program/real-io.ts'
import { agentPaths, type ClaimResponse, type ReportResponse } from '../../protocol/agent-api.ts'
import type { Job } from '../../protocol/job.ts'
import type { Observation } from '../../protocol/result.ts'
import type { Running } from '../bench.ts'
import type { Post } from './post-json.ts'

/** As the agent cuts them (agent/reporting/outbox.ts). */
export const maxReports = 1000
const maxBytes = 900_000
const claimAtOnce = 10_000

/** What the agent's own runner sees of the target: a real observation, with headers, timings and assertions. */
export const observe = async (origin: string): Promise<Observation> => {
  const io = realIo({
    log: pino({ level: 'silent' }),
    dnsServers: [],
    extraCaCerts: null,
    blockedNetworks: [],
    allowedNetworks: [],
    scriptConcurrency: 1,
    preparedBrowsers: 0,
    browsersFolder: '/none',
    scriptIsolation: 'best',
    capture: false,
    host: process,
    nodeVersion: process.versions.node,
  })
  const spec = {
    request: {
      url: `${origin}/`,
      method: 'GET' as const,
      followRedirects: true,
      skipSSL: false,
      ipFamily: 'IPv4' as const,
      assertions: [{ source: 'STATUS_CODE' as const, comparison: 'EQUALS' as const, target: '200' }],
    },
    shouldFail: false,
  }
  const { signal } = new AbortController()
  const judge = createJudge({ pool: io.judging, checkId: 'bench', signal })
  return runUrl(spec, io, { signal, runLog: createRunLog(io.clock), judge })
}

/** A target that says little: a result of about a kilobyte, as the goal has it. */
export const plainTarget = async (b: Running): Promise<string> => {
  const server = http.createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1')
  b.teardown(() => {
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** So many jobs, all of which are due or will be written soon. */
export const claim = async (post: Post, agentId: string, count: number): Promise<Job[]> => {
  const jobs: Job[] = []
  while (jobs.length < count) {
    const body = {
      agentId,
      version: '1',
      platform: 'linux',
      checkTypes: ['URL'],
      runtimeIds: [],
      maxUptime: Math.min(claimAtOnce, count - jobs.length),
      maxMain: 0,
      waitMs: 10_000,
    }
    const claimed = (await post(agentPaths.claim, JSON.stringify(body))) as ClaimResponse
    if (claimed.jobs.length === 0) throw new Error(`only ${jobs.length} jobs could be claimed`)
    jobs.push(...claimed.jobs)
  }
  return jobs
}

export const toBatches = (jobs: Job[], agentId: string, observation: Observation): string[] => {
  const tail = `,"outcome":${JSON.stringify({ kind: 'observed', observation })},"log":[]}`
  const now = Date.now()
  const lines = jobs.map(
    ({ id, fence }) =>
      `{"jobId":"${id}","fence":${fence},"startedAt":${now},"stoppedAt":${now + observation.responseTime}${tail}`,
  )
  const size = Math.min(maxReports, Math.floor(maxBytes / (lines[0]?.length ?? 1)))
  return Array.from(
    { length: Math.ceil(lines.length / size) },
    (_, i) => `{"agentId":"${agentId}","reports":[${lines.slice(i * size, (i + 1) * size).join(',')}]}`,
  )
}

/** Sends all batches over several connections, each with one request under way; returns how many were accepted. */
export const report = async (posts: Post[], batches: string[]): Promise<number> => {
  const waiting = [...batches]
  let accepted = 0
  const work = async (post: Post): Promise<void> => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      const { outcomes } = (await post(agentPaths.report, batch)) as ReportResponse
      accepted += outcomes.filter(({ outcome }) => outcome === 'accepted').length
    }
  }
  await Promise.all(posts.map(work))
  return accepted
}
