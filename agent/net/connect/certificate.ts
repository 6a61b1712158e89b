import type { PeerCertificate, TLSSocket } from 'node:tls'
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
  const known = new Map<string, StaticFacts>()
  const remember = (fingerprint: string, fixed: StaticFacts): StaticFacts => {
    if (known.size >= maxRemembered) known.clear()
    known.set(fingerprint, fixed)
    return fixed
  }
  return (socket, now) => {
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined) return null
    const { fingerprint256 } = certificate
    const fixed =
      known.get(fingerprint256) ?? remember(fingerprint256, takeApart(certificate.toLegacyObject()))
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
