/**
 * How the traffic of a job leaves its agent: through the location's proxy, and with which client certificate. A
 * certificate's key leaves the store sealed for the agent that claims, and for nobody in between.
 */
import type { Job, SealedCertificate } from '../../../protocol/job.ts'
import type { Cipher } from '../../platform/doors/secrets/cipher.ts'
import { kindOf } from '../definitions/checks/types/index.ts'
import { certificateForHost } from '../definitions/client-certificates/certificate-for-host.ts'
import { sealForAgent } from '../definitions/client-certificates/seal-for-agent.ts'
import { openKey } from '../definitions/client-certificates/sealed-key.ts'
import { fillVariables } from './fill-variables.ts'
import type { JobContent } from './job-content.ts'
import type { CheckOfJob, JobSources } from './job-sources.ts'

export type JobNetwork = Pick<Job, 'proxyUrl' | 'certificate'>

type NetworkedJob = { jobId: string; check: CheckOfJob; content: JobContent; sealTo: string | undefined }

export const jobNetwork = (job: NetworkedJob, sources: JobSources, cipher: Cipher): JobNetwork => {
  const { proxied = false, takesClientCertificates = false } = kindOf(job.check.type)
  const certificate = takesClientCertificates ? certificateOf(job, sources, cipher) : null
  return {
    ...(proxied && sources.proxyUrl !== null ? { proxyUrl: sources.proxyUrl } : {}),
    ...(certificate === null ? {} : { certificate }),
  }
}

const certificateOf = (
  { jobId, check, content, sealTo }: NetworkedJob,
  { certificates }: Pick<JobSources, 'certificates'>,
  cipher: Cipher,
): SealedCertificate | null => {
  const candidates = certificates.get(check.account_id) ?? []
  if (sealTo === undefined || candidates.length === 0) return null
  const host = hostOf(content)
  const chosen = host === null ? null : certificateForHost(candidates, host)
  if (host === null || chosen === null) return null
  const { key, passphrase } =
    chosen.sealed_key === null
      ? { key: null, passphrase: null }
      : openKey(cipher, chosen.id, chosen.sealed_key)
  const certificate = { cert: chosen.cert, ca: chosen.ca, key, passphrase }
  return { host, sealed: sealForAgent(certificate, sealTo, jobId) }
}

/** The host that the check asks first, as addresses write it and without a dot at its end. */
const hostOf = ({ spec, variables }: JobContent): string | null => {
  const { url = '' } = (spec as { request?: { url?: string } }).request ?? {}
  const filled = fillVariables(url, new Map(variables.map(({ key, value }) => [key, value])))
  return URL.parse(filled.trim())?.hostname.replace(/\.$/, '') ?? null
}
