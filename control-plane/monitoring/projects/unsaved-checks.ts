/** Checks of a command-line client's files, as a test runs them: with what their group says, and by the rules of checks that are saved. */
import { createHash } from 'node:crypto'
import type { CheckType } from '../../../protocol/check-type.ts'
import type { Violation } from '../../../protocol/validate.ts'
import type { App } from '../../platform/app/app.ts'
import type { ApiCaller } from '../../platform/web/http/server/api-caller.ts'
import { ApiError, invalid, violation } from '../../platform/words/errors.ts'
import { effectiveSettings } from '../definitions/check-groups/effective-settings.ts'
import type { GroupDoc } from '../definitions/check-groups/schema.ts'
import type { CheckDoc } from '../definitions/checks/check-doc.ts'
import { newCheckBody } from '../definitions/checks/generic-routes.ts'
import { checkKinds } from '../definitions/checks/types/index.ts'
import { unsavedCheck } from '../definitions/checks/unsaved-check.ts'
import type { ChosenCheck } from '../watches/test-sessions/chosen-checks.ts'
import { checkFromClient } from './client-payload.ts'

type Values = Record<string, unknown>

export type ClientJob = Values & { checkType: CheckType; logicalId: string; group?: unknown }

type Surroundings = {
  api: ApiCaller
  accountId: string
  project: string
  sharedFiles: ReadonlyArray<{ path: string; content: string }>
  /** Whether the test says where all of its checks run. */
  hasLocation: boolean
}

/** What clients say of a run beside the check itself. */
const ofTheRun = new Set([
  ...['testRetryStrategy', 'group', 'sourceInfo', 'logicalId', 'filePath', 'groupId', 'triggerIncident'],
])

/** In their order. @throws ApiError 400 that names every problem of all of them */
export const unsavedChecks = async (
  app: App,
  jobs: readonly ClientJob[],
  around: Surroundings,
): Promise<ChosenCheck[]> => {
  const problems: Violation[] = []
  const seen = new Set<string>()
  const checks: ChosenCheck[] = []
  for (const [at, job] of jobs.entries()) {
    const note = ({ path, rule, message }: Violation): void =>
      void problems.push({
        path: `checkRunJobs.${at}.${path}`,
        rule,
        message: `check "${job.logicalId}": ${message}`,
      })
    if (seen.has(job.logicalId)) note(violation('logicalId', 'unique', 'is there twice'))
    seen.add(job.logicalId)
    try {
      checks.push(await unsavedOf(app, job, around))
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error
      const { violations } = error.attributes as { violations?: Violation[] }
      for (const one of violations ?? [violation('', 'api', error.message)]) note(one)
    }
  }
  if (problems.length > 0) throw invalid(problems)
  return checks
}

const unsavedOf = async (app: App, job: ClientJob, around: Surroundings): Promise<ChosenCheck> => {
  const { accountId, sharedFiles, hasLocation } = around
  const { checkType: type } = job
  const kind = checkKinds[type]
  if (!kind.scheduled) throw invalid([violation('checkType', 'scheduled', 'is of checks that no agent runs')])
  const payload = Object.fromEntries(Object.entries(job).filter(([name]) => !ofTheRun.has(name)))
  const client = checkFromClient(payload, sharedFiles, (field) => field in kind.fields)
  const problems = [...client.problems, ...problemsOfRun(job)]
  if (problems.length > 0) throw invalid(problems)
  const id = idOf(around, job.logicalId)
  const body = newCheckBody(app, client.payload as { checkType: CheckType })
  const { doc: own, files } = await unsavedCheck(app, { id, accountId, type, body })
  const group = groupOf(job, around.api)
  const doc = withBaseUrl(effectiveSettings(own, group, kind), group)
  if (!hasLocation && (doc.locations ?? []).length + (doc.privateLocations ?? []).length === 0)
    throw invalid([violation('locations', 'required', 'must say where it runs, or "runLocation" must')])
  const bundleId = doc.codeBundleId ?? null
  return { checkId: id, type, name: doc.name, groupId: null, group: null, doc, files, bundleId }
}

const problemsOfRun = ({ sourceInfo }: ClientJob): Violation[] =>
  (sourceInfo as Values | null | undefined)?.['updateSnapshots'] === true
    ? [violation('sourceInfo.updateSnapshots', 'supported', 'is not there: pictures are files of the suite')]
    : []

/** What a group does around its checks needs the group to be there. @throws ApiError 400 */
const groupOf = ({ group }: ClientJob, api: ApiCaller): GroupDoc | null => {
  if (group === undefined || group === null) return null
  const call = { method: 'POST', shape: '/v2/check-groups', body: group } as const
  const doc = inGroup(() => api.filled(call) as GroupDoc)
  const scripts = ['localSetupScript', 'localTearDownScript', 'setupSnippetId', 'tearDownSnippetId'] as const
  const problems = scripts
    .filter((name) => doc[name])
    .map((name) => violation(`group.${name}`, 'supported', 'of a group is run for saved checks only'))
  if (problems.length > 0) throw invalid(problems)
  return doc
}

const inGroup = <T>(read: () => T): T => {
  try {
    return read()
  } catch (error) {
    const violations = error instanceof ApiError ? error.attributes['violations'] : undefined
    if (!Array.isArray(violations)) throw error
    throw invalid((violations as Violation[]).map((one) => ({ ...one, path: `group.${one.path}` })))
  }
}

/** Requests name it where they stand in a group. */
const withBaseUrl = (doc: CheckDoc, group: GroupDoc | null): CheckDoc => {
  const value = group?.apiCheckDefaults?.url
  if (!value || !('environmentVariables' in doc)) return doc
  const base = { key: 'GROUP_BASE_URL', value, locked: false }
  return { ...doc, environmentVariables: [...(doc.environmentVariables ?? []), base] }
}

/** The same for each test of the check, so that its failures are found together. */
const idOf = ({ accountId, project }: Surroundings, logicalId: string): string => {
  const hex = createHash('sha256')
    .update(JSON.stringify([accountId, project, logicalId]))
    .digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
