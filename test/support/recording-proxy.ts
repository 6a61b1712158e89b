/**
 * Stands between an agent and a control plane that dies again and again: forwards every request to where the control
 * plane is now, and writes down what it has acknowledged. Its own address never changes.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { agentPaths, type ReportResponse } from '../../protocol/agent-api.ts'
import { orderPaths } from '../../protocol/standing-order.ts'

export type RecordingProxy = {
  url: string
  /** Where requests go from now on; null: nowhere, connections are cut. */
  forwardTo(port: number | null): void
  /** How often each job's result was acknowledged with each outcome. */
  acknowledged: ReadonlyMap<string, Record<string, number>>
  /** How often results were brought and not taken, with or without an answer. */
  refused(): number
  close(): Promise<void>
}

export const startRecordingProxy = async (): Promise<RecordingProxy> => {
  const acknowledged = new Map<string, Record<string, number>>()
  const outgoing = new http.Agent({ keepAlive: true })
  let upstream: number | null = null
  let refused = 0

  const record = (text: string): void => {
    const { outcomes } = JSON.parse(text) as ReportResponse
    for (const { jobId, outcome } of outcomes) {
      const counts = acknowledged.get(jobId) ?? {}
      counts[outcome] = (counts[outcome] ?? 0) + 1
      acknowledged.set(jobId, counts)
    }
  }

  const forward = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    const { method = 'GET', url = '/', headers } = request
    const isReport = url === agentPaths.report || url === orderPaths.lateReport
    if (upstream === null) {
      if (isReport) refused += 1
      return void request.socket.destroy()
    }
    const onward = http.request(
      { host: '127.0.0.1', port: upstream, method, path: url, headers, agent: outgoing },
      (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('error', () => request.socket.destroy())
        answer.on('end', () => {
          // A killed control plane leaves half an answer: that is no acknowledgement, and the agent gets none.
          if (!answer.complete) return void request.socket.destroy()
          const body = Buffer.concat(parts)
          if (isReport && answer.statusCode === 200) record(body.toString())
          else if (isReport) refused += 1
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          response.end(body)
        })
      },
    )
    onward.on('error', () => request.socket.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  }

  const server = http.createServer(forward)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo: (port) => {
      upstream = port
    },
    acknowledged,
    refused: () => refused,
    close: async () => {
      server.closeAllConnections()
      outgoing.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
