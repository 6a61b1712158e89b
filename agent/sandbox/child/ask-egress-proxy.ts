import net from 'node:net'
import { requestBytes, type SocksRequest } from '../../egress-proxy/socks.ts'
import { askedName, lookupError } from './connect-error.ts'

/** Everything that the egress proxy says to a question. */
export const askEgressProxy = (request: SocksRequest, egressProxyPort: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const host = askedName(request.host)
    if (host === null) return reject(lookupError('ENOTFOUND', 'getaddrinfo', request.host))
    const socket = net.connect({ host: '127.0.0.1', port: egressProxyPort })
    const parts: Buffer[] = []
    socket.on('data', (part) => parts.push(part))
    socket.on('error', reject)
    socket.on('end', () => resolve(Buffer.concat(parts)))
    socket.write(requestBytes({ ...request, host }))
  })
