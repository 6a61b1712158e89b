import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { inTurn } from '../../protocol/in-turn.ts'
import type { ProbeEndpoint } from '../probe/probe-endpoint.ts'

/** What the probes read when they are asked. */
export type HealthState = {
  /** The first poll succeeded, the agent is not draining, and can run what it is there for. */
  ready(): boolean
  /** The loop is going round. */
  alive(): boolean
  /** What is worth knowing beside that, a sentence each. */
  inWords(): string[]
  metrics(): Promise<string>
  metricsType: string
  /** Null: there is none. */
  probe: ProbeEndpoint | null
}

/** Of one connection, sent before the answers to those before them have been read. */
const maxWaiting = 16

/** Probes for orchestrators, and Prometheus metrics. Rejects when the port is taken. */
export const startHealth = (state: HealthState, port: number, host: string | null): Promise<Server> => {
  const inWords = (first: string): string => [first, ...state.inWords()].join('\n')
  const handle: RequestListener = async (request, response) => {
    const path = request.url?.split('?', 1)[0]
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, 'use GET')
    if (path === '/-/readiness') return probe(response, state.ready(), inWords('ready'), inWords('not ready'))
    if (path === '/-/liveness') return probe(response, state.alive(), 'alive', 'the loop stands still')
    if (path === '/health') return answer(response, 200, inWords('ok'))
    if (path === '/probe' && state.probe !== null) return state.probe(request, response)
    if (path !== '/metrics') return answer(response, 404, 'not found')
    response.setHeader('content-type', state.metricsType)
    response.end(await state.metrics())
  }
  const server = createServer(inTurn(handle, { maxWaiting, nextTurn: setImmediate }))
  server.headersTimeout = 5000
  server.requestTimeout = 5000
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host === null ? {} : { host }) }, () => resolve(server))
  })
}

const probe = (response: ServerResponse, good: boolean, yes: string, no: string): void =>
  answer(response, good ? 200 : 503, good ? yes : no)

const answer = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`${text}\n`)
}
