import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { CertificateFacts } from '../../protocol/checks/http-result.ts'

const dayMs = 86_400_000

/** The leaf certificate that the server presented, or null when it presented none. */
export const certificateFacts = (socket: TLSSocket, now: number): CertificateFacts | null => {
  const certificate = socket.getPeerCertificate()
  if (certificate.valid_to === undefined) return null
  const validTo = new Date(certificate.valid_to)
  return {
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    validFrom: new Date(certificate.valid_from).toISOString(),
    validTo: validTo.toISOString(),
    daysRemaining: Math.floor((validTo.getTime() - now) / dayMs),
    fingerprint256: certificate.fingerprint256,
    altNames: certificate.subjectaltname?.split(', ') ?? [],
    authorized: socket.authorized,
    protocol: socket.getProtocol(),
    cipher: socket.getCipher()?.standardName ?? null,
  }
}

/** `CN=example.org, O=Example`, with every value of a repeated attribute. */
const distinguishedName = (name: PeerCertificate['subject']): string =>
  Object.entries(name ?? {})
    .flatMap(([key, value]) => [value].flat().map((one) => `${key}=${one}`))
    .join(', ')
