/** Everything that a finished handshake tells of the server's certificates: what SSL checks look at. */
import { X509Certificate } from 'node:crypto'
import {
  checkServerIdentity,
  type DetailedPeerCertificate,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls'
import type { ChainLink, PresentedCertificate } from '../../../protocol/checks/ssl-result.ts'

const dayMs = 86_400_000
const maxLinks = 10
const maxNames = 100

/** The server's certificate and those above it, as far as they are known. Null: it presented none. */
export const presentedChain = (
  socket: TLSSocket,
  now: number,
): { certificate: PresentedCertificate; chain: ChainLink[]; legacy: PeerCertificate } | null => {
  // The detailed one knows the issuers that the server left out and this machine trusts.
  const legacy = socket.getPeerCertificate(true)
  const links = linksFrom(legacy)
  const [leaf, issuer] = links
  if (leaf === undefined) return null
  return {
    certificate: certificateOf(leaf, issuer, now),
    chain: links.map((link) => linkOf(link, now)),
    legacy,
  }
}

/** Why the certificate is not for the name; null: it is. */
export const nameProblem = (name: string, certificate: PeerCertificate): string | null =>
  checkServerIdentity(name, certificate)?.message ?? null

/** The last one is its own issuer. Where nothing was presented there is an object without anything in it. */
const linksFrom = (leaf: DetailedPeerCertificate): X509Certificate[] => {
  const links: X509Certificate[] = []
  const seen = new Set<string>()
  for (
    let next: DetailedPeerCertificate | undefined = leaf;
    next?.raw !== undefined && !seen.has(next.fingerprint256) && links.length < maxLinks;
    next = next.issuerCertificate
  ) {
    seen.add(next.fingerprint256)
    links.push(new X509Certificate(next.raw))
  }
  return links
}

const certificateOf = (
  leaf: X509Certificate,
  issuer: X509Certificate | undefined,
  now: number,
): PresentedCertificate => {
  const { bits } = leaf.toLegacyObject()
  const days = daysUntil(leaf, now)
  return {
    subjectCN: commonName(leaf.subject),
    issuerCN: commonName(leaf.issuer),
    subject: inOneLine(leaf.subject),
    issuer: inOneLine(leaf.issuer),
    serialNumber: leaf.serialNumber,
    fingerprintSha256: leaf.fingerprint256,
    issuerFingerprintSha256: issuer?.fingerprint256 ?? null,
    keyAlgorithm: keyAlgorithmOf(leaf),
    keySizeBits: bits ?? keyBitsOf(leaf),
    signatureAlgorithm: leaf.signatureAlgorithm ?? leaf.signatureAlgorithmOid,
    sans: (leaf.subjectAltName?.split(', ') ?? []).slice(0, maxNames).map(bareName),
    selfSigned: isSelfSigned(leaf),
    isCA: leaf.ca,
    validFrom: leaf.validFromDate.toISOString(),
    validTo: leaf.validToDate.toISOString(),
    daysUntilExpiry: days,
    daysRemaining: days,
    mustStaple: hasExtension(leaf, mustStapleOid),
    sctPresent: hasExtension(leaf, sctOid),
  }
}

const linkOf = (link: X509Certificate, now: number): ChainLink => ({
  subject: inOneLine(link.subject),
  issuer: inOneLine(link.issuer),
  fingerprintSha256: link.fingerprint256,
  validTo: link.validToDate.toISOString(),
  daysUntilExpiry: daysUntil(link, now),
  isCA: link.ca,
})

const daysUntil = ({ validToDate }: X509Certificate, now: number): number =>
  Math.floor((validToDate.getTime() - now) / dayMs)

/** Names come a line each: `CN=example.org`. */
const commonName = (name: string): string => /^CN=(.*)$/m.exec(name)?.[1] ?? ''

const inOneLine = (name: string): string => (name ?? '').split('\n').join(', ')

const bareName = (name: string): string => name.replace(/^(DNS|IP Address|URI|email):/, '')

const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey)

const algorithms: Record<string, string> = {
  rsa: 'RSA',
  'rsa-pss': 'RSA',
  dsa: 'DSA',
  ec: 'ECDSA',
  ed25519: 'Ed25519',
  ed448: 'Ed448',
}

const keyAlgorithmOf = ({ publicKey }: X509Certificate): string => {
  const type = publicKey.asymmetricKeyType ?? 'unknown'
  return algorithms[type] ?? type
}

const edwardsBits: Record<string, number> = { ed25519: 256, ed448: 448 }

const keyBitsOf = ({ publicKey }: X509Certificate): number =>
  publicKey.asymmetricKeyDetails?.modulusLength ?? edwardsBits[publicKey.asymmetricKeyType ?? ''] ?? 0

/** TLS feature `status_request` (RFC 7633), and signed timestamps of certificate transparency (RFC 6962). */
const mustStapleOid = Buffer.from('06082b06010505070118', 'hex')
const sctOid = Buffer.from('060a2b06010401d679020402', 'hex')

/** By the bytes of its name, which stand nowhere else: a certificate says it once, before the extension's value. */
const hasExtension = ({ raw }: X509Certificate, oid: Buffer): boolean => raw.includes(oid)
