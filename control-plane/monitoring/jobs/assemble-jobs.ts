/**
 * Jobs as an agent gets them, put together from what was read (job-sources.ts): the row of each, what its check says, and
 * how its traffic leaves. Nothing is read here. The only place where these secrets leave the store.
 */
import type { CheckType } from '../../../protocol/check-type.ts'
import type { ApiScript } from '../../../protocol/checks/api.ts'
import { type Job, type SealedCertificate, textLength } from '../../../protocol/job.ts'
import { fillVariables } from '../../../protocol/templates/encodings.ts'
import type { SnippetsOfScripts } from '../../access/snippets/required-snippets.ts'
import type { ClearVariable } from '../../access/variables/sealed-value.ts'
import type { Cipher } from '../../platform/services/secrets/cipher.ts'
import type { JobsTable } from '../../platform/store/database/tables/runs.ts'
import type { GroupDoc } from '../definitions/check-groups/schema.ts'
import type { CheckDoc } from '../definitions/checks/check-doc.ts'
import type { Scripts } from '../definitions/checks/types/check-kind.ts'
import {
  certificateForHost,
  openKey,
  sealForAgent,
} from '../definitions/client-certificates/client-certificate.ts'
import { bundleTicketOf } from '../definitions/code-bundles/bundle-ticket.ts'
import type { CheckOfJob, ClaimedJob, JobSources, SessionOfJob, StoredCertificate } from './job-sources.ts'

/** Characters of the jobs of one answer: agents read none that is larger than 64 MB. */
export const maxAnswerLength = 16 * 1024 * 1024

/** The first jobs that fit into an answer, at least one; the others come with the next. */
export const withinAnswer = (jobs: readonly Job[]): { taken: Job[]; left: Job[] } => {
  let room = maxAnswerLength
  let count = 0
  for (const job of jobs) {
    room -= textLength(job)
    if (room < 0 && count > 0) break
    count += 1
  }
  return { taken: jobs.slice(0, count), left: jobs.slice(count) }
}

/** `sealTo`: the public key of who claims. */
type Seal = { cipher: Cipher; sealTo: string | undefined }

/** In the order of their moments. A job whose check vanished in between has no check to run: its row went with the check. */
export const assembleJobs = (claimed: readonly ClaimedJob[], sources: JobSources, seal: Seal): Job[] => {
  // Several jobs of one check share what it says.
  const contents = new Map<string, JobContent>()
  return claimed
    .toSorted((a, b) => a.row.run_at - b.row.run_at)
    .flatMap(({ row, kind }) => {
      const check = sources.checks.get(row.check_id)
      if (check === undefined) return []
      const session = sources.sessions.get(row.session_id) ?? null
      const key = session === null ? check.id : `${check.id} ${row.session_id}`
      const content = contents.get(key) ?? contentOf({ check, kind, session }, sources)
      contents.set(key, content)
      const { id: jobId, fence } = row
      const own = { ...toJob(row, check.name), ...content }
      const job = { ...own, ...networkOf({ jobId, check, kind, content }, sources, seal) }
      const bundle = sources.bundles.get(check.id)
      if (bundle === undefined) return [job]
      const bundleTicket = bundleTicketOf(seal.cipher, { jobId, fence, bundleId: bundle.id })
      return [{ ...job, bundleTicket }]
    })
}

const toJob = (row: JobsTable, checkName: string): Omit<Job, keyof JobContent> => ({
  id: row.id,
  fence: row.fence,
  accountId: row.account_id,
  checkId: row.check_id,
  checkName,
  checkType: row.check_type as CheckType,
  runtimeId: row.runtime_id as Job['runtimeId'],
  runLocation: row.run_location,
  runSource: row.run_source as Job['runSource'],
  checkRunId: row.check_run_id,
  sequenceId: row.sequence_id,
  attempt: row.attempt,
  dueAt: row.due_at,
  runAt: row.run_at,
  deadlineMs: row.deadline_ms,
})

/** What a job carries from its check: the spec, and the variables of check, group and account in clear. */
type JobContent = Pick<Job, 'variables' | 'spec'>
type OfCheck = Pick<ClaimedJob, 'kind'> & { check: CheckOfJob }

const contentOf = (
  { check, kind, session }: OfCheck & { session: SessionOfJob | null },
  { bundles, snippets, variables }: JobSources,
): JobContent => {
  const { doc, group, files } = check
  // By far the most jobs are of types whose requests no group, variable or script has a say in.
  if (!kind.takesVariables) {
    const nothing = { setupScripts: [], tearDownScripts: [], snippets: [], refreshCache: false }
    return { variables: [], spec: kind.spec({ doc, files: [], bundle: null, ...nothing }) }
  }
  const found = snippets.get(check.id)
  const scripts = scriptsOf(doc, group, found?.byId ?? new Map())
  return {
    variables: withSession(jobVariables(variables.get(check.accountId) ?? [], doc, group), session),
    spec: kind.spec({
      doc,
      files,
      bundle: bundles.get(check.id) ?? null,
      ...scripts,
      snippets: [...(found?.required ?? [])],
      refreshCache: session?.refreshCache ?? false,
    }),
  }
}

/** What a session gives its runs wins over all else. */
const withSession = (variables: Job['variables'], session: SessionOfJob | null): Job['variables'] => {
  const given = session?.variables ?? []
  if (given.length === 0) return variables
  const keys = new Set(given.map(({ key }) => key))
  return [
    ...variables.filter(({ key }) => !keys.has(key)),
    ...given.map(({ key, value, isHidden }) => ({ key, value, secret: isHidden })),
  ]
}

/** The group's setup runs before the check's, and its teardown after it. */
const scriptsOf = (own: Scripts, group: Scripts | null, snippets: SnippetsOfScripts['byId']) => {
  const setup = (of: Scripts | null, whose: string) =>
    scriptsAt(snippets, of?.setupSnippetId, {
      name: `the setup script of the ${whose}`,
      code: of?.localSetupScript,
    })
  const tearDown = (of: Scripts | null, whose: string) =>
    scriptsAt(snippets, of?.tearDownSnippetId, {
      name: `the teardown script of the ${whose}`,
      code: of?.localTearDownScript,
    })
  return {
    setupScripts: [...setup(group, 'group'), ...setup(own, 'check')],
    tearDownScripts: [...tearDown(own, 'check'), ...tearDown(group, 'group')],
  }
}

/** At one place the snippet runs before the local script. */
const scriptsAt = (
  snippets: SnippetsOfScripts['byId'],
  snippetId: number | null | undefined,
  local: { name: string; code: string | null | undefined },
): ApiScript[] => {
  const snippet = typeof snippetId === 'number' ? snippets.get(snippetId) : undefined
  return [...(snippet ? [snippet] : []), ...(local.code ? [{ name: local.name, code: local.code }] : [])]
}

/** Check over group (both are in the effective settings) over account over what the service provides. */
const jobVariables = (
  account: readonly ClearVariable[],
  doc: CheckDoc,
  group: GroupDoc | null,
): Job['variables'] => {
  const byKey = new Map<string, Job['variables'][number]>()
  if (group !== null) {
    const value = group.apiCheckDefaults.url
    byKey.set('GROUP_BASE_URL', { key: 'GROUP_BASE_URL', value, secret: false })
  }
  for (const { key, value, isHidden } of account) byKey.set(key, { key, value, secret: isHidden })
  for (const { key, value, secret = false, locked = false } of doc.environmentVariables ?? [])
    byKey.set(key, { key, value, secret: secret || locked })
  return [...byKey.values()]
}

type JobNetwork = Pick<Job, 'proxyUrl' | 'certificate'>
type NetworkedJob = OfCheck & { jobId: string; content: JobContent }

/** Through the location's proxy, and with which client certificate: its key leaves sealed for the agent that claims. */
const networkOf = (
  job: NetworkedJob,
  { proxy, certificates, variables }: JobSources,
  seal: Seal,
): JobNetwork => {
  const { proxied, takesClientCertificates } = job.kind
  const proxyUrl = proxied && proxy ? filledIn(proxy.url, variables.get(proxy.accountId)) : null
  const ofAccount = takesClientCertificates ? (certificates.get(job.check.accountId) ?? []) : []
  const certificate = ofAccount.length === 0 ? null : certificateOf(job, ofAccount, seal)
  return { ...(proxyUrl === null ? {} : { proxyUrl }), ...(certificate === null ? {} : { certificate }) }
}

/** A name that is not set stays: the agent says so. */
const filledIn = (address: string, variables: readonly { key: string; value: string }[] = []): string =>
  fillVariables(address, new Map(variables.map(({ key, value }) => [key, value])))

const certificateOf = (
  { jobId, content, kind, check }: NetworkedJob,
  candidates: readonly StoredCertificate[],
  { cipher, sealTo }: Seal,
): SealedCertificate | null => {
  const host = hostOf(content)
  const wanted = kind.clientCertificate === undefined ? 'by-host' : kind.clientCertificate(check.doc)
  const chosen =
    host === null || wanted === null
      ? null
      : wanted === 'by-host'
        ? certificateForHost(candidates, host)
        : (candidates.find(({ id }) => id === wanted.id) ?? null)
  if (sealTo === undefined || host === null || chosen === null) return null
  const { key, passphrase } =
    chosen.sealed_key === null
      ? { key: null, passphrase: null }
      : openKey(cipher, chosen.id, chosen.sealed_key)
  const certificate = { cert: chosen.cert, ca: chosen.ca, key, passphrase }
  return { host, sealed: sealForAgent(certificate, sealTo, jobId) }
}

/** The host that the check asks first, as addresses write it and without a dot at its end. */
const hostOf = ({ spec, variables }: JobContent): string | null => {
  const { url = '', hostname } = (spec as { request?: { url?: string; hostname?: string } }).request ?? {}
  if (hostname !== undefined) return filledIn(hostname, variables).trim().toLowerCase().replace(/\.$/, '')
  return URL.parse(filledIn(url, variables).trim())?.hostname.replace(/\.$/, '') ?? null
}
