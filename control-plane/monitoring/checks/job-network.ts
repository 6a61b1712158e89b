/**
 * How the traffic of jobs leaves their agent: through the location's proxy, and with which client certificate. Beside
 * `job-content.ts` the only place where such secrets leave the store; a certificate's key leaves it sealed for the agent
 * that claims, and for nobody in between.
 */
import type { Job, SealedCertificate } from '../../../protocol/job.ts'
import { variablesOfAccount } from '../../access/variables/queries.ts'
import { openValue } from '../../access/variables/sealed-value.ts'
import type { App } from '../../platform/app.ts'
import type { ClientCertificatesTable } from '../../platform/database/tables/configuration.ts'
import { certificateForHost } from '../client-certificates/certificate-for-host.ts'
import { listCertificates } from '../client-certificates/queries.ts'
import { sealForAgent } from '../client-certificates/seal-for-agent.ts'
import { openKey } from '../client-certificates/sealed-key.ts'
import { locationDoc } from '../private-locations/location-doc.ts'
import { openProxyUrl } from '../private-locations/proxy-url.ts'
import { findProxyOfLocation } from '../private-locations/queries.ts'
import { fillVariables } from './fill-variables.ts'
import type { JobContent } from './job-content.ts'
import { kindOf } from './types/index.ts'

export type Claimant = {
  location: string
  /** The agent's public key; without one it gets no certificates. */
  sealTo: string | undefined
}

export type NetworkedJob = {
  id: string
  account_id: string
  check_type: string
  content: JobContent
}

export type JobNetwork = Pick<Job, 'proxyUrl' | 'certificate'>

/** By job id. */
export const jobNetworks = async (
  app: App,
  jobs: readonly NetworkedJob[],
  { location, sealTo }: Claimant,
): Promise<Map<string, JobNetwork>> => {
  const proxyUrl = jobs.some(isProxied) ? await proxyOf(app, location) : null
  const certificates =
    sealTo === undefined ? new Map() : await certificatesFor(app, jobs.filter(takesCertificate))
  const ways = new Map<string, JobNetwork>()
  for (const job of jobs) {
    const way: JobNetwork = {}
    if (proxyUrl !== null && isProxied(job)) way.proxyUrl = proxyUrl
    const certificate = sealTo === undefined ? null : certificateOf(app, job, { certificates, sealTo })
    if (certificate !== null) way.certificate = certificate
    ways.set(job.id, way)
  }
  return ways
}

const isProxied = ({ check_type }: NetworkedJob): boolean => kindOf(check_type).proxied ?? false

const takesCertificate = ({ check_type }: NetworkedJob): boolean =>
  kindOf(check_type).takesClientCertificates ?? false

/** With the variables of the location's account. A name that is not set stays: the agent says so. */
const proxyOf = async (app: App, location: string): Promise<string | null> => {
  const row = await app.db.get(findProxyOfLocation, { id: location })
  const { sealedProxyUrl } = locationDoc.read(row?.doc ?? '{}')
  const url = sealedProxyUrl === null ? null : openProxyUrl(app.cipher, location, sealedProxyUrl)
  if (row === undefined || !url?.includes('{{')) return url
  const variables = await app.db.all(variablesOfAccount, { accountId: row.account_id })
  return fillVariables(url, new Map(variables.map((one) => [one.key, openValue(app.cipher, one)])))
}

type Certificates = ReadonlyMap<string, readonly StoredCertificate[]>
type StoredCertificate = ClientCertificatesTable & { createdAt: number }

const certificatesFor = async (app: App, jobs: readonly NetworkedJob[]): Promise<Certificates> => {
  const accounts = new Map<string, StoredCertificate[]>()
  for (const accountId of new Set(jobs.map(({ account_id }) => account_id))) {
    const rows = await app.db.all(listCertificates, { accountId })
    if (rows.length > 0)
      accounts.set(
        accountId,
        rows.map((row) => ({ ...row, createdAt: row.created_at })),
      )
  }
  return accounts
}

const certificateOf = (
  app: App,
  job: NetworkedJob,
  { certificates, sealTo }: { certificates: Certificates; sealTo: string },
): SealedCertificate | null => {
  const candidates = certificates.get(job.account_id)
  const host = candidates === undefined || !takesCertificate(job) ? null : hostOf(job.content)
  const chosen = host === null || candidates === undefined ? null : certificateForHost(candidates, host)
  if (host === null || chosen === null) return null
  const { key, passphrase } =
    chosen.sealed_key === null
      ? { key: null, passphrase: null }
      : openKey(app.cipher, chosen.id, chosen.sealed_key)
  const content = { cert: chosen.cert, ca: chosen.ca, key, passphrase }
  return { host, sealed: sealForAgent(content, sealTo, job.id) }
}

/** The host that the check asks first, as addresses write it and without a dot at its end. */
const hostOf = ({ spec, variables }: JobContent): string | null => {
  const { url = '' } = (spec as { request?: { url?: string } }).request ?? {}
  const filled = fillVariables(url, new Map(variables.map(({ key, value }) => [key, value])))
  return URL.parse(filled.trim())?.hostname.replace(/\.$/, '') ?? null
}
