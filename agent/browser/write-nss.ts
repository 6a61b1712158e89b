/**
 * Writes a database of NSS into a folder, its argument, with the certificates that it reads in PEM from its standard input: it is where
 * Chromium looks for authorities that are not its own. By NSS itself, which each Chromium for Linux needs beside it. In a process of its
 * own: NSS keeps what it has opened, and what is wrong in it ends nobody else.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import koffi from 'koffi'

const [, , folder] = globalThis.process.argv

const nss = koffi.load('libnss3.so')
const item = koffi.pointer(koffi.struct({ type: 'int', data: 'uint8_t *', bytes: 'uint32_t' }))
const open = nss.func('NSS_InitReadWrite', 'int', ['str'])
const ownSlot = nss.func('PK11_GetInternalKeySlot', 'void *', [])
const setPassword = nss.func('PK11_InitPin', 'int', ['void *', 'str', 'str'])
const importCertificate = nss.func('PK11_ImportDERCert', 'int', ['void *', item, 'ulong', 'str', 'int'])
const store = nss.func('CERT_GetDefaultCertDB', 'void *', [])
const find = nss.func('CERT_FindCertByDERCert', 'void *', ['void *', item])
const setTrust = nss.func('CERT_ChangeCertTrust', 'int', ['void *', 'void *', 'const uint32_t *'])
const lastError = koffi.load('libnspr4.so').func('PR_GetError', 'int', [])

const hold = (result: number, act: string): void => {
  if (result !== 0) throw new Error(`NSS cannot ${act} (error ${lastError()})`)
}

/** certdb.h: as an authority, and as a server's own certificate. */
const [authority, peer] = [0b1_1000, 0b11]

hold(open(`sql:${folder}`), 'open a database')
const slot = ownSlot()
hold(setPassword(slot, null, null), 'make a database without a password')
const blocks = readFileSync(0, 'utf8').match(/-----BEGIN [^-]*-----[^-]*-----END [^-]*-----/g) ?? []
for (const [index, pem] of blocks.entries()) {
  const certificate = new X509Certificate(pem)
  const der = { type: 0, data: certificate.raw, bytes: certificate.raw.length }
  hold(importCertificate(slot, der, 0, `authority ${index + 1}`, 0), `take certificate ${index + 1}`)
  // As OpenSSL does it: what was issued by another one helps to build chains and vouches for nothing.
  if (!certificate.checkIssued(certificate)) continue
  const trust = Uint32Array.of(certificate.ca ? authority : peer, 0, 0)
  hold(setTrust(store(), find(store(), der), trust), `trust certificate ${index + 1}`)
}
