/**
 * Writing a check group, and bringing the runs of its checks in line, in one transaction. Locks are taken in the order of
 * definitions/checks/save-check.ts: alert channels, then the group. The group's lock is enough to keep its checks in it.
 */

import type { CheckType } from '../../../../protocol/check-type.ts'
import { lockAccount } from '../../../access/accounts/queries.ts'
import { noteGroupChange } from '../../../access/changes/note-change.ts'
import { holdChannels } from '../../../alerting/alert-channels/subscription-queries.ts'
import {
  type ChannelChoice,
  dropSubscriptions,
  setSubscriptions,
  subjectText,
} from '../../../alerting/alert-channels/subscriptions.ts'
import { deleteGroupHealth, markGroups } from '../../../alerting/engine/group-health-queries.ts'
import type { App } from '../../../platform/app/app.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import { nextNumber } from '../../../platform/store/database/counters.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { CheckGroupsTable } from '../../../platform/store/database/tables/checks.ts'
import { requireVersion } from '../../../platform/web/http/request/entity-tag.ts'
import { ApiError, invalid, notFound } from '../../../platform/words/errors.ts'
import type { HasConsequences } from '../../outcomes/consequences.ts'
import { applyToSchedule } from '../checks/apply-to-schedule.ts'
import { checkDoc } from '../checks/check-doc.ts'
import { type References, referenceViolations } from '../checks/check-references.ts'
import { repeatedKeys } from '../checks/environment-variables.ts'
import { patternProblems } from '../checks/pattern-problems.ts'
import { checksOfGroup } from '../checks/queries.ts'
import { groupContext, sealSettings } from '../checks/sealed-settings.ts'
import {
  dependencyViolations,
  dropDependencies,
  writeDependencies,
} from '../dependencies/save-dependencies.ts'
import { deleteTrigger } from '../triggers/queries.ts'
import {
  deleteGroup,
  deleteGroupTags,
  insertGroup,
  insertGroupTag,
  lockGroup,
  updateGroup,
} from './queries.ts'
import { type GroupDoc, groupDoc } from './schema.ts'

/** A validated body: of a creation all defaults are filled in, of a change only what was sent is there. */
export type GroupBody = Partial<GroupDoc> & { alertChannelSubscriptions?: ChannelChoice[] }

type Creation = { accountId: string; body: GroupBody; autoAssignAlerts: boolean }

/** @throws ApiError 400 */
export const createGroup = (
  app: App & HasCipher,
  { accountId, body, autoAssignAlerts }: Creation,
): Promise<CheckGroupsTable> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    if (body.dependsOn?.length) await trx.get(lockAccount, { id: accountId })
    const channels = await trx.all(holdChannels, { accountId })
    const { alertChannelSubscriptions = [], ...given } = body
    const doc = given as GroupDoc
    const id = await nextNumber(trx, 'check-group')
    await requireValid(trx, { id, accountId }, body, doc)
    const sealed = sealSettings(doc, { cipher: app.cipher, context: groupContext(id) })
    const row = {
      id,
      account_id: accountId,
      ...columnsOf(sealed),
      created_at: now,
      updated_at: null,
      version: 1,
    }
    await trx.run(insertGroup, row)
    await writeTags(trx, row, doc.tags)
    await writeDependencies(trx, { accountId, text: subjectText({ groupId: id }), dependsOn: doc.dependsOn })
    const automatic = autoAssignAlerts
      ? channels.map((channel) => ({ alertChannelId: channel.id, activated: true }))
      : []
    const choices = [...automatic, ...alertChannelSubscriptions]
    if (choices.length > 0) await setSubscriptions(trx, { accountId, groupId: id }, choices)
    await followHealth(trx, { id, accountId, doc, now })
    return row
  })
}

type Change = {
  id: number
  accountId: string
  changes: GroupBody
  /** The `If-Match` header: the change is made only to the version the caller has seen. */
  ifMatch: string | undefined
}

/** Only what is sent changes. @throws ApiError 400, 404, 412 */
export const changeGroup = async (
  app: App & HasCipher & HasWakeups & HasConsequences,
  { id, accountId, changes, ifMatch }: Change,
): Promise<CheckGroupsTable> => {
  const now = app.clock.now()
  const { row, wake } = await app.db.transaction(async (trx) => {
    const { alertChannelSubscriptions: choices, ...sent } = changes
    if (sent.dependsOn?.length) await trx.get(lockAccount, { id: accountId })
    if (choices) await trx.all(holdChannels, { accountId })
    const before = await trx.get(lockGroup, { id, accountId })
    if (!before) throw notFound()
    requireVersion(ifMatch, before.version)
    const stored = groupDoc.read(before.doc)
    const doc = { ...stored, ...sent } as GroupDoc
    await requireValid(trx, { id, accountId }, changes, doc)
    const sealed = sealSettings(doc, { cipher: app.cipher, context: groupContext(id) }, stored)
    const row = { ...before, ...columnsOf(sealed), updated_at: now, version: before.version + 1 }
    await trx.run(updateGroup, row)
    await noteGroupChange(trx, { accountId, groupId: id, now })
    if (stored.groupHealth !== null || doc.groupHealth !== null)
      await followHealth(trx, { id, accountId, doc, now })
    if (sent.tags) {
      await trx.run(deleteGroupTags, { groupId: id })
      await writeTags(trx, row, doc.tags)
    }
    if (sent.dependsOn)
      await writeDependencies(trx, {
        accountId,
        text: subjectText({ groupId: id }),
        dependsOn: sent.dependsOn,
      })
    if (choices) await setSubscriptions(trx, { accountId, groupId: id }, choices)
    const wake = isSameForRuns(stored, doc)
      ? []
      : await applyToChecks(app, trx, { id, accountId, doc }, { now, newId: app.newId })
    return { row, wake }
  })
  for (const location of new Set(wake)) app.wakeups.wake(location)
  return row
}

/** @throws ApiError 404; 409 while it holds checks */
export const removeGroup = (app: App, id: number, accountId: string): Promise<void> =>
  app.db.transaction(async (trx) => {
    if (!(await trx.get(lockGroup, { id, accountId }))) throw notFound()
    const checks = await trx.all(checksOfGroup, { groupId: id, accountId })
    if (checks.length > 0)
      throw new ApiError(409, 'The group still holds checks: delete them or move them out first', {
        attributes: { checkIds: checks.map((check) => check.id) },
      })
    await trx.run(deleteGroup, { id, accountId })
    await trx.run(deleteGroupTags, { groupId: id })
    await dropSubscriptions(trx, { accountId, groupId: id })
    await dropDependencies(trx, subjectText({ groupId: id }))
    await trx.run(deleteGroupHealth, { groupId: id })
    await trx.run(deleteTrigger, { accountId, kind: 'group', target: String(id) })
  })

/** Looked at anew, or its health is over. */
const followHealth = async (
  trx: Db,
  { id, accountId, doc, now }: ChangedGroup & { now: number },
): Promise<void> => {
  if (doc.groupHealth === null) await trx.run(deleteGroupHealth, { groupId: id })
  else await trx.run(markGroups, { groups: [{ group_id: id, account_id: accountId }], now })
}

type ChangedGroup = { id: number; accountId: string; doc: GroupDoc }

const applyToChecks = async (
  app: App & HasConsequences,
  trx: Db,
  { id: groupId, accountId, doc: group }: ChangedGroup,
  stamp: Stamp,
): Promise<string[]> => {
  const wake: string[] = []
  for (const { id, type, doc } of await trx.all(checksOfGroup, { groupId, accountId })) {
    const check = { id, accountId, type: type as CheckType, doc: checkDoc.read(doc) }
    wake.push(...(await applyToSchedule(app, trx, check, { group, stamp })))
  }
  return wake
}

/** Whether nothing changed that says if, when or where the checks run: then their schedules are left alone. */
const isSameForRuns = (before: GroupDoc, after: GroupDoc): boolean =>
  JSON.stringify(runSettings(before)) === JSON.stringify(runSettings(after))

const runSettings = (doc: GroupDoc) => [
  doc.activated,
  doc.locations,
  doc.privateLocations,
  doc.runParallel,
  doc.runtimeId,
  [doc.setupSnippetId, doc.tearDownSnippetId, doc.localSetupScript, doc.localTearDownScript].some(Boolean),
]

const requireValid = async (
  trx: Db,
  { id, accountId }: { id: number; accountId: string },
  sent: GroupBody,
  doc: GroupDoc,
): Promise<void> => {
  const { dependsOn = [] } = sent
  const text = subjectText({ groupId: id })
  const problems = [
    ...patternProblems('apiCheckDefaults.assertions', sent.apiCheckDefaults?.assertions),
    ...repeatedKeys(doc.environmentVariables),
    ...(await referenceViolations(trx, accountId, sent as References)),
    ...(dependsOn.length === 0
      ? []
      : await dependencyViolations(trx, { accountId, text, groupId: null, dependsOn })),
  ]
  if (problems.length > 0) throw invalid(problems)
}

const columnsOf = (doc: GroupDoc) => ({
  name: doc.name,
  activated: doc.activated,
  doc: groupDoc.write(doc),
})

const writeTags = async (
  trx: Db,
  { id, account_id }: { id: number; account_id: string },
  tags: string[],
): Promise<void> => {
  for (const tag of new Set(tags)) await trx.run(insertGroupTag, { groupId: id, accountId: account_id, tag })
}
