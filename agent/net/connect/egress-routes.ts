import { createHash } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import { boundedCache } from '../../../protocol/bounded-memo.ts'
import type { CertificateContent, Job } from '../../../protocol/job.ts'
import { CannotRun } from '../../base/cannot-run.ts'
import { keyExchangeGroups, trustedAuthorities } from './certificate.ts'
import { type CertificateBox, createCertificateBox } from './certificate-box.ts'
import { directRoute, type EgressRoute } from './egress-route.ts'
import { parseProxy, proxySecrets } from './proxy-server.ts'

/** A route and what nobody may read of it in a result. */
export type RouteWithSecrets = { route: EgressRoute; secrets: string[] }

/** Makes the routes of jobs. `sealTo`: what the control plane seals client certificates to. */
export type EgressRoutes = {
  sealTo: string
  /** @throws CannotRun when this agent can make nothing of what the job says. */
  of(job: Pick<Job, 'id' | 'proxyUrl' | 'certificate'>): RouteWithSecrets
  /** For standing orders, which outlive what they were sealed to. @throws Error */
  certificates: Pick<CertificateBox, 'open' | 'seal'>
}

const none: RouteWithSecrets = { route: directRoute, secrets: [] }

/** Makes routes with keys of their own: what was sealed for an earlier process cannot be opened. `extraCaCerts` in PEM. */
export const createEgressRoutes = (extraCaCerts: string | null): EgressRoutes => {
  const box = createCertificateBox()
  const contextOf = keepContexts(extraCaCerts)
  return {
    sealTo: box.publicKey,
    certificates: box,
    of: ({ id, proxyUrl, certificate }) => {
      if (proxyUrl === undefined && certificate === undefined) return none
      const content = certificate === undefined ? null : openCertificate(id, certificate.sealed, box)
      const held =
        certificate === undefined || content === null
          ? null
          : { host: certificate.host, context: contextOf(content, certificate.host) }
      return {
        route: { proxy: proxyUrl === undefined ? null : parseProxy(proxyUrl), certificate: held },
        secrets: [...(proxyUrl === undefined ? [] : proxySecrets(proxyUrl)), ...keySecrets(content)],
      }
    },
  }
}

const openCertificate = (jobId: string, sealed: string, box: CertificateBox): CertificateContent => {
  try {
    return box.open(sealed, jobId)
  } catch (error) {
    throw new CannotRun(error instanceof Error ? error.message : String(error))
  }
}

/** Contexts that were used last: with authorities of its own, making one takes tens of milliseconds. */
const maxContexts = 256

const keepContexts = (extraCaCerts: string | null) => {
  const contexts = boundedCache<string, SecureContext>(maxContexts)
  return (content: CertificateContent, host: string): SecureContext => {
    const name = createHash('sha256').update(JSON.stringify(content)).digest('base64')
    const context = contexts.get(name) ?? createContext(content, host, extraCaCerts)
    // Also one that was known: it becomes the newest.
    contexts.set(name, context)
    return context
  }
}

const createContext = (
  { cert, ca, key, passphrase }: CertificateContent,
  host: string,
  extraCaCerts: string | null,
): SecureContext => {
  const authorities = [extraCaCerts, ca].filter((pem) => pem !== null).join('\n')
  try {
    return createSecureContext({
      ecdhCurve: keyExchangeGroups,
      // Without its key a certificate cannot be presented.
      ...(key === null ? {} : { cert, key, ...(passphrase === null ? {} : { passphrase }) }),
      ...(authorities === '' ? {} : { ca: trustedAuthorities(authorities) }),
    })
  } catch (error) {
    // Pair and passphrase were tried when they were stored: what is left is what this OpenSSL does not permit.
    const { code = 'it cannot be read' } = error as NodeJS.ErrnoException
    throw new CannotRun(`the client certificate for ${host} cannot be used by this agent: ${code}`)
  }
}

/** The key as it is written, and its base64 alone: each line of it would cost too much to look for. */
const keySecrets = (content: CertificateContent | null): string[] => {
  if (content === null || content.key === null) return []
  const { key, passphrase } = content
  const bare = key.replace(/-----[^-]*-----|\s/g, '')
  return [key, bare, ...(passphrase === null ? [] : [passphrase])]
}
