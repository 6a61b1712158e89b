import type { Socket } from 'node:net'
import { asksForCredentials } from '../../../protocol/networks/proxy.ts'
import type { Failure } from '../../../protocol/result.ts'
import { hostAndPort } from './failures.ts'
import { authenticationRequired, refusedByProxy } from './proxy-failures.ts'
import { type ProxyServer, proxyName } from './proxy-server.ts'

type TunnelEnds = { host: string; port: number; proxy: ProxyServer }

const maxHeadBytes = 16 * 1024

/**
 * Asks the proxy at the other end of the socket for a connection to `host` and `port` (CONNECT, RFC 9110 section 9.3.6).
 * Resolves with null when there is one, which the socket then is; with the proxy's refusal; or with the socket's error.
 */
export const openTunnel = (socket: Socket, ends: TunnelEnds): Promise<Failure | Error | null> =>
  new Promise((resolve) => {
    let head = Buffer.alloc(0)
    const finish = (end: Failure | Error | null): void => {
      socket.off('readable', read).off('error', finish).off('end', cutOff).off('close', cutOff)
      resolve(end)
    }
    const cutOff = (): void => finish(Object.assign(new Error('cut off'), { code: 'ECONNRESET' }))
    const read = (): void => {
      const part = socket.read() as Buffer | null
      if (part === null) return
      head = Buffer.concat([head, part])
      const end = head.indexOf('\r\n\r\n')
      if (end === -1 && head.length <= maxHeadBytes) return
      const refusal = refusalIn(end === -1 ? '' : head.toString('latin1', 0, end), ends)
      // A target may speak first, and as soon as it is reached.
      if (refusal === null && head.length > end + 4) socket.unshift(head.subarray(end + 4))
      finish(refusal)
    }
    // Not 'data': whoever reads on must find the socket as if nobody had read before.
    socket.on('readable', read)
    socket.once('error', finish)
    socket.once('end', cutOff)
    socket.once('close', cutOff)
    socket.write(requestFor(ends))
  })

const requestFor = ({ host, port, proxy: { authorization } }: TunnelEnds): string => {
  const authority = hostAndPort(host, port)
  const credentials = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`
}

const refusalIn = (head: string, { host, port, proxy }: TunnelEnds): Failure | null => {
  const [, status = '', reason = ''] = /^HTTP\/1\.[01] (\d{3})(?: ([^\r\n]*))?/.exec(head) ?? []
  if (status.startsWith('2')) return null
  if (asksForCredentials(Number(status))) return authenticationRequired(proxy, Number(status))
  if (status !== '')
    return refusedByProxy(proxy, {
      status: Number(status),
      said: `${status} ${reason.slice(0, 100)}`.trim(),
      target: hostAndPort(host, port),
    })
  return {
    code: 'PROXY_MALFORMED_ANSWER',
    message: `${proxyName(proxy)}, the proxy of this location, does not answer as an HTTP proxy does`,
    network: false,
  }
}
