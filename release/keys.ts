/** Keys of releases: ECDSA on P-256 with SHA-256, which is what cosign makes and takes. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ReleaseError } from './source-of-release.ts'

/** `of` says what the message is, for whoever has to name it. */
export type Sign = (message: Buffer, of: string) => Buffer

const howToMake = [
  'make one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out release.key',
  'and its public half with: openssl pkey -in release.key -pubout -out release.pub',
]

const readKey = (path: string, read: (pem: string) => KeyObject): KeyObject => {
  let pem: string
  try {
    pem = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ReleaseError([`the key ${path} cannot be read: ${String(error)}`], { cause: error })
  }
  if (/BEGIN ENCRYPTED (SIGSTORE|COSIGN) PRIVATE KEY/.test(pem))
    throw new ReleaseError([
      `${path} is sealed in cosign's own format, which only cosign opens: a key in PKCS8 signs as cosign does`,
      ...howToMake,
    ])
  try {
    const key = read(pem)
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  } catch (error) {
    throw new ReleaseError([`${path} is no key in PEM that opens: ${String(error)}`, ...howToMake], {
      cause: error,
    })
  }
  throw new ReleaseError([`${path} is no key of ECDSA on the curve P-256`, ...howToMake])
}

/** @throws ReleaseError with what to do. `passphrase`: of a key that is sealed as PKCS8 has it. */
export const signingKey = (path: string, passphrase: string | undefined): Sign => {
  const key = readKey(path, (pem) =>
    createPrivateKey({ key: pem, ...(passphrase === undefined ? {} : { passphrase }) }),
  )
  return (message) => sign('sha256', message, key)
}

export const publicKey = (path: string): ((message: Buffer, signature: Buffer) => boolean) => {
  const key = readKey(path, createPublicKey)
  return (message, signature) => verify('sha256', message, key, signature)
}
