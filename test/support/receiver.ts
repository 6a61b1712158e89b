import type http from 'node:http'
import type { Test } from 'tap'
import { httpServer } from './servers.ts'

export type Received = {
  method: string
  path: string
  headers: http.IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
  json: any
}

export type Answering =
  | { status?: number; headers?: Record<string, string>; body?: string }
  | 'stall'
  | 'cut'
  | 'close'

/** An HTTP receiver that keeps what it gets and answers as it is told: per request, in the order they come in. */
export const receiver = async (
  t: Test,
  answer: (received: Received, count: number) => Answering | Promise<Answering> = () => ({}),
) => {
  const received: Received[] = []
  const server = await httpServer(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const one = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      text,
      json: parsed(text),
    }
    received.push(one)
    const given = await answer(one, received.length)
    if (given === 'stall') return
    if (given === 'close') {
      request.socket.destroy()
      return
    }
    if (given === 'cut') {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      setImmediate(() => request.socket.destroy())
      return
    }
    const { status = 200, headers = {}, body = 'ok' } = given
    response.writeHead(status, headers).end(body)
  })
  return { ...server, received }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
