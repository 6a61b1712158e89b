/**
 * Looks at the certificate of a domain: a TLS handshake to an address that may be reached (outgoing-networks.ts), nothing
 * is sent. The certificate need not be valid: an expired one is what this is for.
 */
import { lookup as resolveName } from 'node:dns/promises'
import { connect, type TLSSocket } from 'node:tls'
import type { OutgoingNetworks } from './outgoing-networks.ts'

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

type Address = { address: string; family: number }

type CertificateReaderOptions = {
  networks: OutgoingNetworks
  /** All addresses of a name. The system's resolver unless told otherwise. */
  lookup?: (host: string) => Promise<Address[]>
  port?: number
  timeoutMs?: number
}

export const createCertificateReader = ({
  networks,
  lookup = (host) => resolveName(host, { all: true }),
  port = 443,
  timeoutMs = 10_000,
}: CertificateReaderOptions): CertificateReader => ({
  expiresAt: async (domain) => {
    const address = await addressOf(domain, networks, lookup)
    return handshake({ host: address, port, servername: domain, timeoutMs })
  },
})

const addressOf = async (
  domain: string,
  networks: OutgoingNetworks,
  lookup: (host: string) => Promise<Address[]>,
): Promise<string> => {
  const addresses = await lookup(domain).catch((error: NodeJS.ErrnoException) => {
    throw new CertificateError(`${domain} was not found: ${error.code ?? error.message}`, { cause: error })
  })
  const [first] = addresses
  if (!first) throw new CertificateError(`${domain} has no address`)
  // A name with one foot inside is not trusted.
  const refused = addresses.find(({ address }) => !networks.allows(address))
  if (refused)
    throw new CertificateError(
      `${domain} (${refused.address}) is a private, loopback or link-local address outside EGRESS_ALLOWED_NETWORKS`,
    )
  return first.address
}

type Handshake = { host: string; port: number; servername: string; timeoutMs: number }

const handshake = ({ host, port, servername, timeoutMs }: Handshake): Promise<number> =>
  new Promise((resolve, reject) => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const fail = (message: string, cause?: unknown) => {
      done()
      reject(new CertificateError(`${servername}: ${message}`, cause === undefined ? {} : { cause }))
    }
    const late = () => fail(`no certificate within ${timeoutMs} ms`)
    const socket: TLSSocket = connect({ host, port, servername, rejectUnauthorized: false }, () => {
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
