/** What an agent and a control plane of one version say to each other over one run of each check of the network. */
import type { Test } from 'tap'
import { runJob } from '../../agent/jobs/run-job.ts'
import type { RealIo } from '../../agent/program/real-io.ts'
import {
  agentPaths,
  type ClaimRequest,
  type ClaimResponse,
  type ReportResponse,
} from '../../protocol/agent-api.ts'
import type { Job } from '../../protocol/job.ts'
import type { Report } from '../../protocol/result.ts'
import { agentIo } from './agent-io.ts'
import type { TestApp } from './app.ts'
import { claimRequest } from './engine-room.ts'
import { address, nameServer } from './name-server.ts'
import { answering, httpServer } from './servers.ts'

export type Ports = { http: number; tcp: number; dns: number }

export type Exchanges = {
  version: string
  /** Of the targets, as they were. */
  ports: Ports
  claim: { request: ClaimRequest; response: ClaimResponse }
  report: { request: { agentId: string; reports: Report[] }; response: ReportResponse }
}

/** Targets that answer well. */
export const targets = async (t: Test): Promise<Ports> => {
  const http = await httpServer(t, (_, response) => {
    response.setHeader('content-type', 'application/json').end('{"well":true}')
  })
  const tcp = await answering(t, 'PONG\n')
  const dns = await nameServer(t, ({ answer, send }) => send(answer([address('a.example', '192.0.2.1')])))
  return { http: http.port, tcp: tcp.port, dns: dns.port }
}

const passes = { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }

const checksOf = ({ http, tcp, dns }: Ports): Array<[path: string, body: object]> => [
  ['url', { request: { url: `http://127.0.0.1:${http}/`, assertions: [passes] } }],
  [
    'api',
    {
      request: {
        url: `http://127.0.0.1:${http}/`,
        method: 'POST',
        body: '{"a":1}',
        bodyType: 'JSON',
        headers: [{ key: 'x-token', value: '{{TOKEN}}' }],
        assertions: [
          passes,
          { source: 'JSON_BODY', property: '$.well', comparison: 'EQUALS', target: 'true' },
        ],
      },
    },
  ],
  ['tcp', { request: { hostname: '127.0.0.1', port: tcp, data: 'PING\n' } }],
  ['dns', { request: { query: 'a.example', recordType: 'A', nameServer: '127.0.0.1', port: dns } }],
]

export const claimAll = claimRequest({ checkTypes: ['URL', 'API', 'TCP', 'DNS'] })

/** Creates one check of each type, for the location `local`. */
export const createChecks = async (plane: TestApp, ports: Ports): Promise<void> => {
  await plane.call('POST', '/v1/variables', { body: { key: 'TOKEN', value: 'abc', secret: false } })
  for (const [path, body] of checksOf(ports)) {
    const named = { name: path, privateLocations: ['local'], locations: [], ...body }
    const { status, text } = await plane.call('POST', `/v1/checks/${path}`, { body: named })
    if (status !== 201) throw new Error(text)
  }
}

export const post = async <T>(plane: TestApp, path: string, body: object): Promise<T> => {
  const answer = await plane.call('POST', path, { key: plane.agentKey, body })
  if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${answer.text}`)
  return answer.body
}

export const attempts = (
  jobs: readonly Job[],
  startedAt: number,
  io: RealIo = agentIo(),
): Promise<Report[]> =>
  Promise.all(
    jobs.map(async (job) => {
      const { outcome, log } = await runJob(job, io, new AbortController())
      return { jobId: job.id, fence: job.fence, startedAt, stoppedAt: startedAt + 20, outcome, log }
    }),
  )

export const recordExchanges = async (t: Test, plane: TestApp, version: string): Promise<Exchanges> => {
  const ports = await targets(t)
  await createChecks(plane, ports)
  const claimed = await post<ClaimResponse>(plane, agentPaths.claim, claimAll)
  const request = { agentId: claimAll.agentId, reports: await attempts(claimed.jobs, plane.app.clock.now()) }
  const response = await post<ReportResponse>(plane, agentPaths.report, request)
  return { version, ports, claim: { request: claimAll, response: claimed }, report: { request, response } }
}

/** The same exchanges with targets at other ports. */
export const atPorts = (exchanges: Exchanges, ports: Ports): Exchanges => {
  let text = JSON.stringify(exchanges)
  for (const name of ['http', 'tcp', 'dns'] as const)
    text = text.replaceAll(
      new RegExp(`((?::|"port":)\\s?)${exchanges.ports[name]}\\b`, 'g'),
      `$1${ports[name]}`,
    )
  return JSON.parse(text)
}

/** Every path of names that a value has, lists by what they hold. */
export const pathsOf = (value: unknown, path = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, child]) => pathsOf(child, `${path}.${name}`))
}
