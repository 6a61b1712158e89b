/** What a job carries from its check: the spec, and the variables of check, group and account in clear. */
import type { ApiScript } from '../../../protocol/checks/api.ts'
import type { Job } from '../../../protocol/job.ts'
import type { Cipher } from '../../platform/doors/secrets/cipher.ts'
import { effectiveSettings } from '../definitions/check-groups/effective-settings.ts'
import type { GroupDoc } from '../definitions/check-groups/schema.ts'
import { type CheckDoc, checkDoc } from '../definitions/checks/check-doc.ts'
import { checkContext, openSettings } from '../definitions/checks/sealed-settings.ts'
import type { Scripts } from '../definitions/checks/types/check-kind.ts'
import { kindOf } from '../definitions/checks/types/index.ts'
import type { CheckOfJob, JobSources, Variable } from './job-sources.ts'
import { ownCodes, requiredBy } from './required-snippets.ts'

export type JobContent = Pick<Job, 'variables' | 'spec'>

/** Types whose requests no group, variable or script has a say in: by far the most jobs. */
export const simpleContent = (type: string, doc: CheckDoc): JobContent => ({
  variables: [],
  spec: kindOf(type).spec({
    doc,
    files: [],
    bundle: null,
    setupScripts: [],
    tearDownScripts: [],
    snippets: [],
    refreshCache: false,
  }),
})

export const fullContent = (
  { check, refreshCache }: { check: CheckOfJob; refreshCache: boolean },
  sources: JobSources,
  cipher: Cipher,
): JobContent => {
  const kind = kindOf(check.type)
  const group = check.group_id === null ? null : (sources.groups.get(check.group_id) ?? null)
  const own = openSettings(checkDoc.read(check.doc), { cipher, context: checkContext(check.id) })
  const doc = effectiveSettings(own, group, kind.type)
  const scripts = scriptsOf(own, group, sources)
  const files = sources.files.get(check.id) ?? []
  const codes = [
    ...[...scripts.setupScripts, ...scripts.tearDownScripts].map(({ code }) => code),
    ...ownCodes(doc, files),
  ]
  return {
    variables: jobVariables(sources.variables.get(check.account_id) ?? [], doc, group),
    spec: kind.spec({
      doc,
      files,
      bundle: sources.bundles.get(check.id) ?? null,
      ...scripts,
      snippets: requiredBy(codes, sources.libraries.get(check.account_id)),
      refreshCache,
    }),
  }
}

/** The group's setup runs before the check's, and its teardown after it. */
const scriptsOf = (own: Scripts, group: Scripts | null, { snippets }: Pick<JobSources, 'snippets'>) => {
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
  snippets: JobSources['snippets'],
  snippetId: number | null | undefined,
  local: { name: string; code: string | null | undefined },
): ApiScript[] => {
  const snippet = typeof snippetId === 'number' ? snippets.get(snippetId) : undefined
  return [...(snippet ? [snippet] : []), ...(local.code ? [{ name: local.name, code: local.code }] : [])]
}

/** Check over group (both are in the effective settings) over account over what the service provides. */
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
