import { getCACertificates, type PeerCertificate, type TLSSocket } from 'node:tls'
import { boundedCache } from '../../../protocol/bounded-memo.ts'
import type { CertificateFacts } from '../../../protocol/checks/http-result.ts'

const dayMs = 86_400_000

/** What does not change between two handshakes with the same certificate. */
type StaticFacts = Pick<
  CertificateFacts,
  'subject' | 'issuer' | 'validFrom' | 'validTo' | 'fingerprint256' | 'altNames'
> & { expiresAt: number }

const maxRemembered = 1000

/**
 * Reads the leaf certificate that a server presented; null when it presented none. Taking a certificate apart is a
 * visible part of a handshake's CPU, so what was read is remembered by its fingerprint.
 */
export const createCertificateReader = (): ((socket: TLSSocket, now: number) => CertificateFacts | null) => {
  const known = boundedCache<string, StaticFacts>(maxRemembered)
  return (socket, now) => {
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined) return null
    const { fingerprint256 } = certificate
    const before = known.get(fingerprint256)
    const fixed = before ?? takeApart(certificate.toLegacyObject())
    if (before === undefined) known.set(fingerprint256, fixed)
    const { expiresAt, ...facts } = fixed
    return {
      ...facts,
      daysRemaining: Math.floor((expiresAt - now) / dayMs),
      authorized: socket.authorized,
      protocol: socket.getProtocol(),
      cipher: socket.getCipher()?.standardName ?? null,
    }
  }
}

const takeApart = (certificate: PeerCertificate): StaticFacts => {
  const validTo = new Date(certificate.valid_to)
  return {
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    validFrom: new Date(certificate.valid_from).toISOString(),
    validTo: validTo.toISOString(),
    fingerprint256: certificate.fingerprint256,
    altNames: certificate.subjectaltname?.split(', ') ?? [],
    expiresAt: validTo.getTime(),
  }
}

/** `CN=example.org, O=Example`, with every value of a repeated attribute. */
const distinguishedName = (name: PeerCertificate['subject']): string =>
  Object.entries(name ?? {})
    .flatMap(([key, value]) => [value].flat().map((one) => `${key}=${one}`))
    .join(', ')

/**
 * What every TLS 1.2 and 1.3 server speaks. OpenSSL would offer a post-quantum share first: a client hello of several
 * packets, which some middleboxes drop, and more arithmetic for every measurement. Node takes it from the context of a
 * connection, and not from the options beside one.
 */
export const keyExchangeGroups = 'X25519:P-256:P-384:P-521'

/** The well-known authorities and further ones in PEM. */
export const trustedAuthorities = (extraCaCerts: string): string[] => [
  ...getCACertificates('default'),
  extraCaCerts,
]
