import { once } from 'node:events'
import net from 'node:net'
import type { Test } from 'tap'
import { type EgressProxyLimits, egressProxyLimits } from '../../agent/egress-proxy/allowance.ts'
import { createEgressProxies } from '../../agent/egress-proxy/egress-proxy.ts'
import {
  commands,
  greetingReply,
  readReplies,
  requestBytes,
  type SocksReply,
} from '../../agent/egress-proxy/socks.ts'
import type { RealIo } from '../../agent/program/real-io.ts'
import { agentIo } from './agent-io.ts'

/** Opens egress proxies of one agent, which the test ends; what they say is kept. */
export const testEgressProxies = (t: Test, limits: Partial<EgressProxyLimits> = {}) => {
  const open = createEgressProxies({ ...egressProxyLimits, ...limits })
  return async (io: RealIo = agentIo()) => {
    const said: string[] = []
    const egressProxy = await open()
    t.teardown(egressProxy.close)
    egressProxy.serve({ io, say: (level, msg) => said.push(`${level} ${msg}`) })
    return { ...egressProxy, said }
  }
}

/** A connection that says something and lets the other side have its time. */
export const say = (port: number, bytes: Buffer | string): net.Socket => {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => socket.destroy())
  socket.write(bytes)
  return socket
}

/** Everything that comes until the other side ends, however it ends. */
export const heard = async (socket: net.Socket): Promise<Buffer> => {
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  if (!socket.readableEnded && !socket.closed)
    await new Promise<void>((resolve) => {
      for (const event of ['end', 'close']) socket.once(event, () => resolve())
    })
  socket.destroy()
  return Buffer.concat(parts)
}

export const ask = async (port: number, bytes: Buffer | string): Promise<Buffer> => heard(say(port, bytes))

/** The reply to one SOCKS command, and the socket after it. */
export const socks = async (
  port: number,
  host: string,
  to: number,
  command: number = commands.connect,
): Promise<{ reply: SocksReply | null; socket: net.Socket }> => {
  const socket = say(port, requestBytes({ command, host, port: to }))
  let bytes = Buffer.alloc(0)
  for (;;) {
    const part = socket.read() as Buffer | null
    if (part !== null) bytes = Buffer.concat([bytes, part])
    const read = readReplies(bytes)
    if (typeof read === 'object') {
      if (bytes.length > read.length) socket.unshift(bytes.subarray(read.length))
      return { reply: read.value, socket }
    }
    if (socket.closed || socket.readableEnded) return { reply: null, socket }
    if (part === null) await Promise.race(['readable', 'end', 'close'].map((name) => once(socket, name)))
  }
}

export const accepted = greetingReply(true)
