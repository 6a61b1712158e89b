/**
 * What no schema can say about a client certificate: the PEM opens, the passphrase opens the key, and key and
 * certificate belong together. Problems never quote what was sent.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { Violation } from '../../../../protocol/validate.ts'
import { violation } from '../../../platform/words/errors.ts'
import { isTooCostly } from './key-cost.ts'
import type { NewClientCertificate } from './schema.ts'

type PemReading<T> = { value: T | null; violations: Violation[] }

/** All problems, by field. An expired certificate is none: checks of expiry may want to present one. */
export const pemViolations = ({ cert, ca, key, passphrase }: NewClientCertificate): Violation[] => {
  const leaf = readCertificates('cert', cert)
  const authorities = ca ? readCertificates('ca', ca).violations : []
  const secret = readKey(key ?? null, passphrase ?? null)
  const violations = [...leaf.violations, ...authorities, ...secret.violations]
  if (leaf.value && secret.value && !leaf.value.checkPrivateKey(secret.value))
    violations.push(violation('key', 'matches', 'is not the private key of the certificate in "cert"'))
  return violations
}

const certificateLabels = ['CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE']

/** The first certificate of the text. `cert` and `ca` are shown again, so a private key among them is refused. */
const readCertificates = (field: 'cert' | 'ca', pem: string): PemReading<X509Certificate> => {
  if (/PRIVATE KEY/.test(pem))
    return refused(violation(field, 'pem', 'must not hold a private key: send it as "key"'))
  const blocks = blocksOf(pem)
  if (blocks.length === 0) return refused(violation(field, 'pem', 'holds no PEM certificate'))
  const certificates: X509Certificate[] = []
  for (const [position, { label, text }] of blocks.entries()) {
    const certificate = certificateLabels.includes(label) ? parsed(() => new X509Certificate(text)) : null
    if (certificate === null)
      return refused(
        violation(field, 'pem', `holds a block that is not a certificate (number ${position + 1})`),
      )
    certificates.push(certificate)
  }
  return { value: certificates[0] ?? null, violations: [] }
}

/** One pass: hostile text of many beginnings must not cost more than its length. */
const blocksOf = (pem: string): Array<{ label: string; text: string }> => {
  const blocks: Array<{ label: string; text: string }> = []
  const begin = /-----BEGIN ([A-Z0-9 ]{1,40})-----/g
  for (let match = begin.exec(pem); match !== null; match = begin.exec(pem)) {
    const [, label = ''] = match
    const ending = `-----END ${label}-----`
    const at = pem.indexOf(ending, begin.lastIndex)
    const end = at < 0 ? pem.length : at + ending.length
    blocks.push({ label, text: pem.slice(match.index, end) })
    begin.lastIndex = end
  }
  return blocks
}

const readKey = (key: string | null, passphrase: string | null): PemReading<KeyObject> => {
  if (key === null)
    return passphrase === null
      ? { value: null, violations: [] }
      : refused(violation('passphrase', 'pem', 'opens nothing: "key" is missing'))
  if (!/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(key))
    return refused(violation('key', 'pem', 'holds no PEM private key'))
  const isEncrypted = /ENCRYPTED/.test(key)
  if (isEncrypted && passphrase === null)
    return refused(violation('passphrase', 'required', 'is required: the key is encrypted'))
  if (isTooCostly(key))
    return refused(
      violation('key', 'cost', 'takes too long to open, or is not DER: encrypt it anew, with fewer rounds'),
    )
  const options = isEncrypted && passphrase !== null ? { passphrase } : {}
  const value = parsed(() => createPrivateKey({ key, ...options }))
  if (value !== null) return { value, violations: [] }
  return refused(
    isEncrypted
      ? violation('passphrase', 'opens', 'does not open the key')
      : violation('key', 'pem', 'is not a private key that can be read'),
  )
}

const refused = <T>(problem: Violation): PemReading<T> => ({ value: null, violations: [problem] })

/** OpenSSL throws at what it cannot read; that is an answer here. */
const parsed = <T>(read: () => T): T | null => {
  try {
    return read()
  } catch {
    return null
  }
}
