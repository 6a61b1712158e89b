/**
 * What jobs carry from their checks: the spec, and the variables of check, group and account in clear. The only place
 * where these secrets leave the store.
 */
import type { ApiScript } from '../../../protocol/checks/api.ts'
import type { Job } from '../../../protocol/job.ts'
import { snippetsById } from '../../access/snippets/queries.ts'
import { variablesOfAccount } from '../../access/variables/queries.ts'
import { openValue } from '../../access/variables/sealed-value.ts'
import type { App } from '../../platform/app.ts'
import { checkContext, groupContext, openSettings } from '../../platform/secrets/sealed-settings.ts'
import { effectiveSettings } from '../check-groups/effective-settings.ts'
import { groupsById } from '../check-groups/queries.ts'
import { type GroupDoc, groupDoc } from '../check-groups/schema.ts'
import { checkDocCache } from '../runs/check-doc-cache.ts'
import type { RetriedCheck } from '../runs/retry-of.ts'
import { type CheckDoc, checkDoc, checkFiles } from './check-doc.ts'
import { findFiles } from './queries.ts'
import { type Library, readLibrary, requiredBy } from './required-snippets.ts'
import type { Scripts } from './types/check-kind.ts'
import { kindOf } from './types/index.ts'

export type CheckOfJob = {
  id: string
  account_id: string
  type: string
  group_id: number | null
  name: string
  version: number
  doc: string
}

export type JobContent = Pick<Job, 'variables' | 'spec'>

type Variable = Job['variables'][number]

/** By check id. */
export const jobContents = async (
  app: App,
  checks: readonly CheckOfJob[],
): Promise<Map<string, JobContent>> => {
  const simple = checks.filter(({ type }) => !kindOf(type).takesVariables)
  const others = checks.filter(({ type }) => kindOf(type).takesVariables)
  const contents = new Map(simple.map((check) => [check.id, simpleContent(app, check)]))
  if (others.length === 0) return contents
  const around = await surroundings(app, others)
  for (const check of others) contents.set(check.id, await fullContent(app, check, around))
  return contents
}

/** Types whose requests no group, variable or script has a say in: by far the most jobs. */
const simpleContent = (app: App, { id, version, type, doc: text }: CheckOfJob): JobContent => {
  const doc = checkDoc.read(text)
  // Its run will be judged by the same document.
  checkDocCache(app).remember(id, version, doc as RetriedCheck['doc'])
  const spec = kindOf(type).spec({ doc, files: [], setupScripts: [], tearDownScripts: [], snippets: [] })
  return { variables: [], spec }
}

type Surroundings = {
  groups: Map<number, GroupDoc>
  variables: Map<string, Variable[]>
  /** Those that are setup or teardown, by id. */
  snippets: Map<number, ApiScript>
  /** Those that scripts require, by account. */
  libraries: Map<string, Library>
}

const surroundings = async (app: App, checks: readonly CheckOfJob[]): Promise<Surroundings> => {
  const accountIds = [...new Set(checks.map(({ account_id }) => account_id))]
  const groupIds = [...new Set(checks.map(({ group_id }) => group_id))].filter((id) => id !== null)
  const groups = new Map(
    (await groupsById(app.db, accountIds, groupIds)).map(({ id, doc }) => [
      id,
      openSettings(groupDoc.read(doc), { cipher: app.cipher, context: groupContext(id) }),
    ]),
  )
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
  const scripted = [...checks.map(({ doc }) => checkDoc.read(doc)), ...groups.values()]
  const snippetIds = scripted
    .flatMap(({ setupSnippetId, tearDownSnippetId }) => [setupSnippetId, tearDownSnippetId])
    .filter((id) => typeof id === 'number')
  const rows = await snippetsById(app.db, accountIds, [...new Set(snippetIds)])
  const snippets = new Map(
    rows.map(({ id, name, script }) => [id, { name: `the snippet "${name}"`, code: script }]),
  )
  const codes = scripted.flatMap(({ localSetupScript, localTearDownScript }) => [
    localSetupScript ?? '',
    localTearDownScript ?? '',
  ])
  const libraries = await readLibrary(app.db, accountIds, [...codes, ...rows.map(({ script }) => script)])
  return { groups, variables, snippets, libraries }
}

const fullContent = async (
  app: App,
  check: CheckOfJob,
  { groups, variables, snippets, libraries }: Surroundings,
): Promise<JobContent> => {
  const kind = kindOf(check.type)
  const group = check.group_id === null ? null : (groups.get(check.group_id) ?? null)
  const seal = { cipher: app.cipher, context: checkContext(check.id) }
  const own = openSettings(checkDoc.read(check.doc), seal)
  const doc = effectiveSettings(own, group, kind.type)
  const files = kind.filesField ? await app.db.get(findFiles, { checkId: check.id }) : undefined
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
  const setupScripts = [...setup(group, 'group'), ...setup(own, 'check')]
  const tearDownScripts = [...tearDown(own, 'check'), ...tearDown(group, 'group')]
  return {
    variables: jobVariables(variables.get(check.account_id) ?? [], doc, group),
    spec: kind.spec({
      doc,
      files: files ? checkFiles.read(files.doc) : [],
      setupScripts,
      tearDownScripts,
      snippets: requiredBy([...setupScripts, ...tearDownScripts], libraries.get(check.account_id)),
    }),
  }
}

/** At one place the snippet runs before the local script. */
const scriptsAt = (
  snippets: Map<number, ApiScript>,
  snippetId: number | null | undefined,
  local: { name: string; code: string | null | undefined },
): ApiScript[] => {
  const snippet = typeof snippetId === 'number' ? snippets.get(snippetId) : undefined
  return [...(snippet ? [snippet] : []), ...(local.code ? [{ name: local.name, code: local.code }] : [])]
}

/**
 * Check over group (both are in the effective settings) over account over what the service provides. For the agent a
 * locked variable is as secret as a secret one: what readers may not see in a setting is in no result either.
 */
const jobVariables = (account: Variable[], doc: CheckDoc, group: GroupDoc | null): Variable[] => {
  const byKey = new Map<string, Variable>()
  if (group !== null) {
    const value = group.apiCheckDefaults.url
    byKey.set('GROUP_BASE_URL', { key: 'GROUP_BASE_URL', value, secret: false })
  }
  for (const variable of account) byKey.set(variable.key, variable)
  for (const { key, value, secret = false, locked = false } of doc.environmentVariables ?? [])
    byKey.set(key, { key, value, secret: secret || locked })
  return [...byKey.values()]
}
