import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A key and a certificate in PEM. */
export type Credentials = { key: string; cert: string }

export type CertificateOptions = {
  /** `DNS:example.org` or `IP:127.0.0.1`. */
  altName: string
  days?: number
  /** Of P-256 unless told otherwise. */
  key?: 'rsa:1024' | 'rsa:2048' | 'ed25519'
  digest?: 'sha1' | 'sha256'
  /** Further lines of extensions. */
  extensions?: string
}

/** An authority of a test's own, and what it signs. Needs the `openssl` command. */
export type Authority = {
  pem: string
  root: Credentials
  issue(options: CertificateOptions): Credentials
  /** An authority between this one and what it issues. */
  intermediate(): Authority
  /** What it says of one of its certificates (OCSP), as a server may send it along. */
  ocspAnswer(credentials: Credentials, status: 'good' | 'revoked'): Buffer
}

export const createAuthority = (): Authority => {
  const root = inTemporaryFolder((path) => {
    openssl(path, [
      ...['req', '-x509', ...newKey, '-keyout', 'key.pem', '-out', 'cert.pem', '-days', '2'],
      ...['-subj', '/CN=Test authority', '-addext', 'basicConstraints=critical,CA:TRUE'],
    ])
    return read(path)
  })
  return authorityOf(root)
}

const authorityOf = (root: Credentials): Authority => ({
  pem: root.cert,
  root,
  issue: (options) => inTemporaryFolder((path) => sign(path, root, options)),
  intermediate: () =>
    authorityOf(
      inTemporaryFolder((path) =>
        sign(path, root, {
          subject: '/CN=Test intermediate',
          extensions: 'basicConstraints=critical,CA:TRUE',
        }),
      ),
    ),
  ocspAnswer: (credentials, status) =>
    inTemporaryFolder((path) => answer(path, root, { ...credentials, status })),
})

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

const keyOf = (key: CertificateOptions['key']): string[] =>
  key === undefined ? newKey : ['-newkey', key, '-nodes']

type SignOptions = Partial<CertificateOptions> & { subject?: string }

const sign = (path: string, root: Credentials, options: SignOptions): Credentials => {
  const { altName, days = 2, key, digest = 'sha256', extensions = '', subject = '/CN=leaf/O=Test' } = options
  openssl(path, [
    ...['req', '-new', ...keyOf(key), '-keyout', 'key.pem', '-out', 'request.pem', '-subj', subject],
  ])
  const input = (name: string, text: string): string => {
    const file = join(path, name)
    writeFileSync(file, text)
    return file
  }
  const names = altName === undefined ? '' : `subjectAltName=${altName}\n`
  openssl(path, [
    ...['x509', '-req', '-in', 'request.pem', '-out', 'cert.pem', '-days', String(days), '-CAcreateserial'],
    ...['-CA', input('ca.pem', root.cert), '-CAkey', input('ca-key.pem', root.key), `-${digest}`],
    ...['-extfile', input('ext', `${names}${extensions}\n`)],
  ])
  return read(path)
}

const answer = (
  path: string,
  root: Credentials,
  { cert, status }: Credentials & { status: string },
): Buffer => {
  const input = (name: string, text: string): string => {
    const file = join(path, name)
    writeFileSync(file, text)
    return file
  }
  const { serialNumber } = new X509Certificate(cert)
  const [letter, revokedAt] = status === 'revoked' ? ['R', '250101000000Z,keyCompromise'] : ['V', '']
  const line = [letter, '491231235959Z', revokedAt, serialNumber, 'unknown', '/CN=leaf'].join('\t')
  const ca = input('ca.pem', root.cert)
  openssl(path, [
    ...['ocsp', '-index', input('index.txt', `${line}\n`), '-CA', ca, '-issuer', ca],
    ...['-rsigner', ca, '-rkey', input('ca-key.pem', root.key), '-cert', input('leaf.pem', cert)],
    ...['-no_nonce', '-ndays', '1', '-respout', 'answer.der'],
  ])
  return readFileSync(join(path, 'answer.der'))
}

const openssl = (cwd: string, args: string[]): void => {
  execFileSync('openssl', args, { cwd, stdio: 'ignore' })
}

const read = (path: string): Credentials => ({
  key: readFileSync(join(path, 'key.pem'), 'utf8'),
  cert: readFileSync(join(path, 'cert.pem'), 'utf8'),
})

const inTemporaryFolder = <T>(act: (path: string) => T): T => {
  const path = mkdtempSync(join(tmpdir(), 'watchpost-certificates-'))
  try {
    return act(path)
  } finally {
    rmSync(path, { recursive: true })
  }
}
