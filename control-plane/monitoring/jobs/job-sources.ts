/**
 * Everything that the jobs of one claim are made of, read before any of them is put together: each kind of thing with one
 * query for the whole batch, and only where a type of the batch has use for it, which most have not.
 */

import { isTestRun } from '../../../protocol/job.ts'
import {
  readSnippets,
  type Scripted,
  type SnippetsOfScripts,
} from '../../access/snippets/required-snippets.ts'
import type { ClearVariable } from '../../access/variables/sealed-value.ts'
import { openSessionVariables, readVariables } from '../../access/variables/sealed-value.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { query } from '../../platform/store/database/query.ts'
import type { ClientCertificatesTable } from '../../platform/store/database/tables/configuration.ts'
import type { ChecksTable, JobsTable } from '../../platform/store/database/tables/runs.ts'
import { effectiveSettings } from '../definitions/check-groups/effective-settings.ts'
import { type GroupDoc, groupDoc } from '../definitions/check-groups/schema.ts'
import { type CheckDoc, type CheckFile, checkDoc, checkFiles } from '../definitions/checks/check-doc.ts'
import { type CheckDocCache, checkDocCache } from '../definitions/checks/check-doc-cache.ts'
import { checkContext, groupContext, openSettings } from '../definitions/checks/sealed-settings.ts'
import type { CheckKind, Scripts } from '../definitions/checks/types/check-kind.ts'
import type { BundleOfJob } from '../definitions/code-bundles/bundle-of-check.ts'
import { type LocationProxy, readProxy } from '../locations/proxy-url.ts'

type Ids = { ids: readonly string[] }

const checksOfJobs = query('checks-of-jobs', (k, p: Ids, engine) =>
  k
    .selectFrom('checks')
    .select(['id', 'account_id', 'group_id', 'name', 'version', 'doc'])
    .where('id', 'in', engine.textList(p.ids)),
)

const groupsOfChecks = query('groups-of-checks', (k, p: Ids, engine) =>
  k
    .selectFrom('check_groups')
    .select(['id', 'doc'])
    .where('id', 'in', k.selectFrom('checks').select('group_id').where('id', 'in', engine.textList(p.ids))),
)

/** Copies that tests run: their jobs name them in place of a check. */
const copiesOfJobs = query('tested-checks-of-jobs', (k, p: Ids, engine) =>
  k
    .selectFrom('tested_checks')
    .select(['id', 'account_id', 'group_id', 'name', 'doc'])
    .where('id', 'in', engine.textList(p.ids)),
)

/** A copy says which group it is of, and is believed within its own account. */
const groupsOfCopies = query('groups-of-tested-checks', (k, p: Ids, engine) =>
  k
    .selectFrom('tested_checks as c')
    .innerJoin('check_groups as g', (join) =>
      join.onRef('g.id', '=', 'c.group_id').onRef('g.account_id', '=', 'c.account_id'),
    )
    .select(['g.id', 'g.doc'])
    .distinct()
    .where('c.id', 'in', engine.textList(p.ids)),
)

export const filesOfJobs = query('files-of-jobs', (k, p: Ids, engine) =>
  k.selectFrom('check_files').select(['check_id', 'doc']).where('check_id', 'in', engine.textList(p.ids)),
)

export const bundlesOfJobs = query('bundles-of-jobs', (k, p: Ids, engine) =>
  k
    .selectFrom('check_bundles as c')
    .innerJoin('code_bundles as b', 'b.id', 'c.bundle_id')
    .select(['c.check_id', 'b.id', 'b.sha256', 'b.size'])
    .where('c.check_id', 'in', engine.textList(p.ids)),
)

const sessionsOfJobs = query('sessions-of-jobs', (k, p: Ids, engine) =>
  k
    .selectFrom('check_sessions')
    .select(['id', 'refresh_cache', 'variables'])
    .where('id', 'in', engine.textList(p.ids)),
)

const certificatesOfAccounts = query('certificates-of-accounts', (k, p: Ids, engine) =>
  k.selectFrom('client_certificates').selectAll().where('account_id', 'in', engine.textList(p.ids)),
)

/** A job that was claimed, and what is known of its type. */
export type ClaimedJob = { row: JobsTable; kind: CheckKind }

/** Who claims: an agent of a location; without a public key (`sealTo`) it gets no certificates. */
type Claimant = { location: string; sealTo: string | undefined }

/** In clear, with its group's settings. Group and files: null and none unless its type has use for them. */
export type CheckOfJob = {
  id: string
  accountId: string
  groupId: number | null
  name: string
  version: number
  doc: CheckDoc
  group: GroupDoc | null
  files: CheckFile[]
}

export type StoredCertificate = ClientCertificatesTable & { createdAt: number }

/** By check: checks, bundles, snippets; by account: variables, certificates. */
export type JobSources = {
  checks: ReadonlyMap<string, CheckOfJob>
  bundles: ReadonlyMap<string, BundleOfJob>
  snippets: ReadonlyMap<string, SnippetsOfScripts>
  variables: ReadonlyMap<string, ClearVariable[]>
  certificates: ReadonlyMap<string, StoredCertificate[]>
  /** By session: those that want nothing that an agent kept, and those that give their runs variables of their own. */
  sessions: ReadonlyMap<string, SessionOfJob>
  /** The location's. */
  proxy: LocationProxy | null
}

export type SessionOfJob = { refreshCache: boolean; variables: readonly ClearVariable[] }

const idsOf = (jobs: readonly ClaimedJob[], column: 'check_id' | 'account_id' | 'session_id'): string[] => [
  ...new Set(jobs.map(({ row }) => row[column])),
]

const unlessNone = <I, R>(ids: readonly I[], read: (ids: readonly I[]) => Promise<R[]>): Promise<R[]> =>
  ids.length === 0 ? Promise.resolve([]) : read(ids)

export const readJobSources = async (
  app: App & HasCipher,
  jobs: readonly ClaimedJob[],
  { location, sealTo }: Claimant,
): Promise<JobSources> => {
  const { db, cipher } = app
  const having = (feature: keyof CheckKind) => jobs.filter(({ kind }) => kind[feature])
  const full = having('takesVariables')
  const suites = having('takesBundle')
  const certified = sealTo === undefined ? [] : having('takesClientCertificates')
  const [fullIds, accountIds] = [idsOf(full, 'check_id'), idsOf(full, 'account_id')]

  const tests = jobs.filter(({ row }) => isTestRun(row.run_source))
  const saved = await db.all(checksOfJobs, { ids: idsOf(jobs, 'check_id') })
  const copies = await unlessNone(idsOf(tests, 'check_id'), (ids) => db.all(copiesOfJobs, { ids }))
  const rows = [...saved, ...copies.map((copy) => ({ ...copy, version: 1 }))]
  const isGrouped = saved.some(({ group_id }) => group_id !== null)
  const grouped = copies.filter(({ group_id }) => group_id !== null).map(({ id }) => id)
  const groups = [
    ...(await unlessNone(isGrouped ? fullIds : [], (ids) => db.all(groupsOfChecks, { ids }))),
    ...(await unlessNone(grouped, (ids) => db.all(groupsOfCopies, { ids }))),
  ]
  const files = await unlessNone(idsOf(having('filesField'), 'check_id'), (ids) =>
    db.all(filesOfJobs, { ids }),
  )
  const bundles = await unlessNone(idsOf(suites, 'check_id'), (ids) => db.all(bundlesOfJobs, { ids }))
  const asked = full.filter(({ row }) => row.session_id !== '')
  const sessions = await unlessNone(idsOf(asked, 'session_id'), (ids) => db.all(sessionsOfJobs, { ids }))
  const certificates = await unlessNone(idsOf(certified, 'account_id'), (ids) =>
    db.all(certificatesOfAccounts, { ids }),
  )
  const checks = openChecks(app, { jobs, rows, groups, files })
  const proxy = having('proxied').length === 0 ? null : await readProxy(db, cipher, location)
  const naming = proxy?.url.includes('{{') ? [proxy.accountId] : []
  return {
    checks,
    snippets: await readSnippets(db, new Map(fullIds.flatMap((id) => scriptedOf(checks.get(id))))),
    bundles: new Map(
      bundles.map(({ check_id, id, sha256, size }) => [check_id, { id, sha256, bytes: size }]),
    ),
    variables: await readVariables(db, cipher, [...new Set([...accountIds, ...naming])]),
    certificates: Map.groupBy(
      certificates.map((row) => ({ ...row, createdAt: row.created_at })),
      ({ account_id }) => account_id,
    ),
    sessions: new Map(
      sessions.map(({ id, refresh_cache: refreshCache, variables }) => [
        id,
        { refreshCache, variables: openSessionVariables(cipher, { id, variables }) },
      ]),
    ),
    proxy,
  }
}

type Stored = {
  jobs: readonly ClaimedJob[]
  rows: readonly Pick<ChecksTable, 'id' | 'account_id' | 'group_id' | 'name' | 'version' | 'doc'>[]
  groups: readonly { id: number; doc: string }[]
  files: readonly { check_id: string; doc: string }[]
}

const openChecks = (app: App & HasCipher, { jobs, rows, groups, files }: Stored): Map<string, CheckOfJob> => {
  const { cipher } = app
  // Types that take no variables have nothing sealed, and no group has a say in what their jobs do.
  const kinds = new Map(jobs.map(({ row, kind }) => [row.check_id, kind]))
  const groupById = new Map(
    groups.map(({ id, doc }) => [
      id,
      openSettings(groupDoc.read(doc), { cipher, context: groupContext(id) }),
    ]),
  )
  const filesById = new Map(files.map(({ check_id, doc }) => [check_id, checkFiles.read(doc)]))
  return new Map(
    rows.map(({ id, account_id: accountId, group_id, name, version, doc: stored }) => {
      const sealed = checkDoc.read(stored)
      const group = groupById.get(group_id ?? 0) ?? null
      const kind = kinds.get(id)
      const opened = openSettings(sealed, { cipher, context: checkContext(id) })
      const doc = kind?.takesVariables ? effectiveSettings(opened, group, kind) : opened
      // Its run will be judged by the same document.
      checkDocCache(app).remember(id, version, sealed as Parameters<CheckDocCache['remember']>[2])
      return [
        id,
        { id, accountId, groupId: group_id, name, version, doc, group, files: filesById.get(id) ?? [] },
      ]
    }),
  )
}

/** The scripts around a check's run, its group's too, and the one that it is. */
const scriptedOf = (check: CheckOfJob | undefined): [string, Scripted][] => {
  if (check === undefined) return []
  const { id, accountId, doc, group, files } = check
  const around: Scripts[] = group === null ? [doc] : [group, doc]
  const ids = around.flatMap(({ setupSnippetId, tearDownSnippetId }) => [setupSnippetId, tearDownSnippetId])
  const codes = [
    ...around.flatMap(({ localSetupScript, localTearDownScript }) => [localSetupScript, localTearDownScript]),
    doc.script,
    ...files.map(({ content }) => content),
  ]
  return [
    [
      id,
      {
        accountId,
        ids: ids.filter((one) => typeof one === 'number'),
        codes: codes.filter((one) => typeof one === 'string'),
      },
    ],
  ]
}
