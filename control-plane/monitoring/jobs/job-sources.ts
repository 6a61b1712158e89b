/** Everything that the jobs of one claim are made of, read before any of them is put together. */
import type { HasCipher } from '../../platform/doors/secrets/cipher.ts'
import type { ApiScript } from '../../../protocol/checks/api.ts'
import type { Job } from '../../../protocol/job.ts'
import { snippetsById } from '../../access/snippets/queries.ts'
import { variablesOfAccount } from '../../access/variables/queries.ts'
import { openValue } from '../../access/variables/sealed-value.ts'
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { ClientCertificatesTable } from '../../platform/store/database/tables/configuration.ts'
import { groupsById } from '../check-groups/queries.ts'
import { type GroupDoc, groupDoc } from '../check-groups/schema.ts'
import { refreshingSessions } from '../check-sessions/queries.ts'
import { type CheckFile, checkDoc, checkFiles } from '../checks/check-doc.ts'
import { filesOfChecks } from '../checks/queries.ts'
import { groupContext, openSettings } from '../checks/sealed-settings.ts'
import type { Scripts } from '../checks/types/check-kind.ts'
import { kindOf } from '../checks/types/index.ts'
import { listCertificates } from '../client-certificates/queries.ts'
import { type BundleOfJob, bundlesOfChecks } from '../code-bundles/bundle-of-check.ts'
import { locationDoc } from '../private-locations/location-doc.ts'
import { openProxyUrl } from '../private-locations/proxy-url.ts'
import { findProxyOfLocation } from '../private-locations/queries.ts'
import { checksById } from '../runs/check-queries.ts'
import { fillVariables } from './fill-variables.ts'
import { type Library, ownCodes, readLibrary } from './required-snippets.ts'

/** A check as a claim reads it: its document as it is stored, secrets sealed. */
export type CheckOfJob = {
  id: string
  account_id: string
  type: string
  group_id: number | null
  name: string
  version: number
  doc: string
}

export type Variable = Job['variables'][number]
export type StoredCertificate = ClientCertificatesTable & { createdAt: number }

/** Who claims: an agent of a location; without a public key (`sealTo`) it gets no certificates. */
export type Claimant = { location: string; sealTo: string | undefined }

/** In clear, and by id: groups, setup and teardown snippets, files of checks; by account: variables, libraries, certificates. */
export type JobSources = {
  checks: ReadonlyMap<string, CheckOfJob>
  groups: ReadonlyMap<number, GroupDoc>
  snippets: ReadonlyMap<number, ApiScript>
  files: ReadonlyMap<string, CheckFile[]>
  bundles: ReadonlyMap<string, BundleOfJob>
  variables: ReadonlyMap<string, Variable[]>
  libraries: ReadonlyMap<string, Library>
  certificates: ReadonlyMap<string, readonly StoredCertificate[]>
  /** Sessions that want nothing that an agent kept. */
  refreshing: ReadonlySet<string>
  /** The location's proxy. */
  proxyUrl: string | null
}

type ClaimedJob = { check_id: string; session_id: string }

/** One query for the checks; the others only where a type has use for what they bring, which most jobs do not. */
export const readJobSources = async (
  app: App & HasCipher,
  jobs: readonly ClaimedJob[],
  { location, sealTo }: Claimant,
): Promise<JobSources> => {
  const checks = await app.db.all(checksById, { ids: [...new Set(jobs.map(({ check_id }) => check_id))] })
  const certified =
    sealTo === undefined ? [] : checks.filter(({ type }) => kindOf(type).takesClientCertificates)
  return {
    checks: new Map(checks.map((check) => [check.id, check])),
    ...(await readSettings(
      app,
      checks.filter(({ type }) => kindOf(type).takesVariables),
    )),
    ...(await readBundles(
      app.db,
      checks.filter(({ type }) => kindOf(type).takesBundle),
      jobs,
    )),
    certificates: await readCertificates(app.db, accountsOf(certified)),
    proxyUrl: checks.some(({ type }) => kindOf(type).proxied) ? await readProxyUrl(app, location) : null,
  }
}

const accountsOf = (checks: readonly CheckOfJob[]): string[] => [
  ...new Set(checks.map(({ account_id }) => account_id)),
]

type Settings = Pick<JobSources, 'groups' | 'snippets' | 'files' | 'variables' | 'libraries'>

/** For types whose requests groups, variables and scripts have a say in. */
const readSettings = async (app: App & HasCipher, checks: readonly CheckOfJob[]): Promise<Settings> => {
  const none = new Map<never, never>()
  if (checks.length === 0)
    return { groups: none, snippets: none, files: none, variables: none, libraries: none }
  const accountIds = accountsOf(checks)
  const groups = await readGroups(app, accountIds, checks)
  const files = await readFiles(app.db, checks)
  const docs = checks.map(({ doc }) => checkDoc.read(doc))
  const codes = docs.flatMap((doc, index) => ownCodes(doc, files.get(checks[index]?.id ?? '') ?? []))
  return {
    groups,
    files,
    variables: await readVariables(app, accountIds),
    ...(await readScripts(app.db, accountIds, { scripted: [...docs, ...groups.values()], codes })),
  }
}

const readGroups = async (
  app: App & HasCipher,
  accountIds: readonly string[],
  checks: readonly CheckOfJob[],
): Promise<Map<number, GroupDoc>> => {
  const ids = [...new Set(checks.map(({ group_id }) => group_id))].filter((id) => id !== null)
  const rows = await groupsById(app.db, accountIds, ids)
  return new Map(
    rows.map(({ id, doc }) => [
      id,
      openSettings(groupDoc.read(doc), { cipher: app.cipher, context: groupContext(id) }),
    ]),
  )
}

const readFiles = async (db: Db, checks: readonly CheckOfJob[]): Promise<Map<string, CheckFile[]>> => {
  const ids = checks.filter(({ type }) => kindOf(type).filesField).map(({ id }) => id)
  const rows = ids.length === 0 ? [] : await db.all(filesOfChecks, { ids })
  return new Map(rows.map(({ check_id, doc }) => [check_id, checkFiles.read(doc)]))
}

/** For suites alone. */
const readBundles = async (
  db: Db,
  suites: readonly CheckOfJob[],
  jobs: readonly ClaimedJob[],
): Promise<Pick<JobSources, 'bundles' | 'refreshing'>> => {
  const ids = suites.map(({ id }) => id)
  const sessionIds = jobs
    .filter(({ check_id, session_id }) => session_id !== '' && ids.includes(check_id))
    .map(({ session_id }) => session_id)
  const sessions = sessionIds.length === 0 ? [] : await db.all(refreshingSessions, { ids: sessionIds })
  return {
    bundles: ids.length === 0 ? new Map() : await bundlesOfChecks(db, ids),
    refreshing: new Set(sessions.map(({ id }) => id)),
  }
}

/** For the agent a locked variable is as secret as a secret one: nobody may read it in a result either. */
const readVariables = async (app: App & HasCipher, accountIds: readonly string[]): Promise<Map<string, Variable[]>> => {
  const variables = new Map<string, Variable[]>()
  for (const accountId of accountIds)
    variables.set(
      accountId,
      (await app.db.all(variablesOfAccount, { accountId })).map((row) => ({
        key: row.key,
        value: openValue(app.cipher, row),
        secret: row.secret || row.locked,
      })),
    )
  return variables
}

const readScripts = async (
  db: Db,
  accountIds: readonly string[],
  { scripted, codes: ownScripts }: { scripted: readonly Scripts[]; codes: readonly string[] },
): Promise<Pick<JobSources, 'snippets' | 'libraries'>> => {
  const ids = scripted
    .flatMap(({ setupSnippetId, tearDownSnippetId }) => [setupSnippetId, tearDownSnippetId])
    .filter((id) => typeof id === 'number')
  const rows = await snippetsById(db, accountIds, [...new Set(ids)])
  const codes = scripted.flatMap(({ localSetupScript, localTearDownScript }) => [
    localSetupScript ?? '',
    localTearDownScript ?? '',
  ])
  return {
    snippets: new Map(
      rows.map(({ id, name, script }) => [id, { name: `the snippet "${name}"`, code: script }]),
    ),
    libraries: await readLibrary(db, accountIds, [
      ...ownScripts,
      ...codes,
      ...rows.map(({ script }) => script),
    ]),
  }
}

const readCertificates = async (
  db: Db,
  accountIds: readonly string[],
): Promise<Map<string, StoredCertificate[]>> => {
  const certificates = new Map<string, StoredCertificate[]>()
  for (const accountId of accountIds) {
    const rows = await db.all(listCertificates, { accountId })
    certificates.set(
      accountId,
      rows.map((row) => ({ ...row, createdAt: row.created_at })),
    )
  }
  return certificates
}

/** With the variables of the location's account. A name that is not set stays: the agent says so. */
const readProxyUrl = async (app: App & HasCipher, location: string): Promise<string | null> => {
  const row = await app.db.get(findProxyOfLocation, { id: location })
  const { sealedProxyUrl } = locationDoc.read(row?.doc ?? '{}')
  const url = sealedProxyUrl === null ? null : openProxyUrl(app.cipher, location, sealedProxyUrl)
  if (row === undefined || !url?.includes('{{')) return url
  const variables = await app.db.all(variablesOfAccount, { accountId: row.account_id })
  return fillVariables(url, new Map(variables.map((one) => [one.key, openValue(app.cipher, one)])))
}
