/**
 * Looks at the certificate of a domain: a TLS handshake to an address that may be reached (outgoing-networks.ts), nothing
 * is sent. The certificate need not be valid: an expired one is what this is for.
 */
import type { Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { OutgoingError, reasonOf } from './outgoing-error.ts'
import { openTunnel } from './outgoing-proxy.ts'
import { createWays, type Way, type WayOptions } from './outgoing-ways.ts'

type CertificateReader = {
  /** When the certificate ends, in epoch milliseconds. @throws CertificateError */
  expiresAt(domain: string): Promise<number>
}

/** Why no certificate was seen. */
export class CertificateError extends Error {
  constructor(message: string, more: { cause?: unknown } = {}) {
    super(message, more)
    this.name = 'CertificateError'
  }
}

type CertificateReaderOptions = WayOptions & { port?: number; timeoutMs?: number }

export const createCertificateReader = ({
  port = 443,
  timeoutMs = 10_000,
  ...options
}: CertificateReaderOptions): CertificateReader => {
  const wayTo = createWays(options)
  return {
    expiresAt: async (domain) => {
      try {
        const way = await wayTo(new URL(`https://${domain}:${port}`))
        return await handshake({ ...(await startOf(way, domain, port)), servername: domain, timeoutMs })
      } catch (error) {
        throw asCertificateError(domain, error)
      }
    },
  }
}

type Start = { host: string; port: number } | { socket: Socket }

const startOf = async (way: Way, domain: string, port: number): Promise<Start> =>
  'proxy' in way
    ? { socket: await openTunnel(way.proxy, `${domain}:${port}`) }
    : { host: way.pinned.address, port }

const asCertificateError = (domain: string, error: unknown): CertificateError => {
  if (error instanceof CertificateError) return error
  if (error instanceof OutgoingError) return new CertificateError(error.message, { cause: error })
  return new CertificateError(`${domain} was not found: ${reasonOf(error)}`, { cause: error })
}

type Handshake = Start & { servername: string; timeoutMs: number }

const handshake = ({ servername, timeoutMs, ...start }: Handshake): Promise<number> =>
  new Promise((resolve, reject) => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const fail = (message: string, cause?: unknown) => {
      done()
      reject(new CertificateError(`${servername}: ${message}`, cause === undefined ? {} : { cause }))
    }
    const late = () => fail(`no certificate within ${timeoutMs} ms`)
    const socket: TLSSocket = connect({ ...start, servername, rejectUnauthorized: false }, () => {
      const ends = Date.parse(socket.getPeerCertificate().valid_to ?? '')
      if (Number.isNaN(ends)) return fail('the server presented no certificate')
      done()
      resolve(ends)
    })
    const done = () => {
      deadline.removeEventListener('abort', late)
      socket.destroy()
    }
    deadline.addEventListener('abort', late)
    socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message, error))
    socket.on('close', () => fail('the connection was closed before the handshake ended'))
  })

/** Reads the certificates of domains that users name. */
export type HasCertificates = { certificates: CertificateReader }
