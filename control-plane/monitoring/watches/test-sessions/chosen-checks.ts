/** Which checks a test runs, as they are now: with every value in clear, their files and their bundle. */
import type { checkTypes } from '../../../../protocol/check-type.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import { groupsOfAccount } from '../../definitions/check-groups/queries.ts'
import { type GroupDoc, groupDoc } from '../../definitions/check-groups/schema.ts'
import { type CheckDoc, type CheckFile, checkDoc, checkFiles } from '../../definitions/checks/check-doc.ts'
import { checkContext, openSettings } from '../../definitions/checks/sealed-settings.ts'
import { kindOf } from '../../definitions/checks/types/index.ts'
import { bundlesOfJobs, filesOfJobs } from '../../jobs/job-sources.ts'
import { matchesTarget, type Target } from '../check-sessions/match-target.ts'
import { orderOf } from '../check-sessions/trigger-sessions.ts'
import { checksOfAccount } from './queries.ts'

/** A check that a test copies; one that nobody saved has an id that follows from its name in its project. */
export type ChosenCheck = {
  checkId: string
  type: (typeof checkTypes)[number]
  name: string
  groupId: number | null
  group: GroupDoc | null
  doc: CheckDoc
  files: CheckFile[]
  bundleId: string | null
}

type Choice = { accountId: string; target: Target; groupId?: number; allowDeactivated: boolean }

/** In the order of their groups; heartbeats are not run by anybody. */
export const chooseChecks = async (
  app: App & HasCipher,
  { accountId, target, groupId: chosenGroup, allowDeactivated }: Choice,
): Promise<ChosenCheck[]> => {
  const groups = new Map(
    (await app.db.all(groupsOfAccount, { accountId })).map(({ id, doc }) => [id, groupDoc.read(doc)]),
  )
  const meant = (await app.db.all(checksOfAccount, { accountId }))
    .map((row) => ({ ...row, doc: checkDoc.read(row.doc), group: groups.get(row.group_id ?? 0) ?? null }))
    .filter(
      ({ id, type, doc, group, group_id }) =>
        kindOf(type).scheduled &&
        (chosenGroup === undefined || group_id === chosenGroup) &&
        (allowDeactivated || (doc.activated && (group?.activated ?? true))) &&
        matchesTarget({ id, tags: [...doc.tags, ...(group?.tags ?? [])] }, target),
    )
    .sort((a, b) => orderOf(a.doc) - orderOf(b.doc))
  const ids = meant.map(({ id }) => id)
  const files = new Map((await app.db.all(filesOfJobs, { ids })).map(({ check_id, doc }) => [check_id, doc]))
  const bundles = new Map(
    (await app.db.all(bundlesOfJobs, { ids })).map(({ check_id, id }) => [check_id, id]),
  )
  return meant.map(({ id, type, name, group_id: groupId, group, doc }) => ({
    checkId: id,
    type: kindOf(type).type,
    name,
    groupId,
    group,
    doc: openSettings(doc, { cipher: app.cipher, context: checkContext(id) }),
    files: checkFiles.read(files.get(id) ?? '[]'),
    bundleId: bundles.get(id) ?? null,
  }))
}
