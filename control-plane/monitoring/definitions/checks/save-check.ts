/**
 * Writing a check: the rules no schema can say, the row with what hangs on it, and the runs that follow from it, in one
 * transaction. A check without any location is kept and never due; it runs as soon as it gets one.
 *
 * Locks are taken in one order everywhere: the account (where dependencies may change), alert channels, the check, its groups.
 */

import type { CheckType } from '../../../../protocol/check-type.ts'
import type { Violation } from '../../../../protocol/validate.ts'
import { lockAccount } from '../../../access/accounts/queries.ts'
import { holdChannels } from '../../../alerting/alert-channels/subscription-queries.ts'
import {
  type ChannelChoice,
  setSubscriptions,
  subjectText,
} from '../../../alerting/alert-channels/subscriptions.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { ChecksTable } from '../../../platform/store/database/tables/runs.ts'
import { requireVersion } from '../../../platform/web/http/request/entity-tag.ts'
import { invalid, notFound, violation } from '../../../platform/words/errors.ts'
import type { HasConsequences } from '../../outcomes/consequences.ts'
import { shareGroup } from '../check-groups/queries.ts'
import { type GroupDoc, groupDoc } from '../check-groups/schema.ts'
import { bundleViolations, chooseBundle } from '../code-bundles/bundle-of-check.ts'
import { dependencyViolations, writeDependencies } from '../dependencies/save-dependencies.ts'
import { applyToSchedule } from './apply-to-schedule.ts'
import { type CheckDoc, type CheckFile, checkDoc, checkFiles } from './check-doc.ts'
import { numberChecks } from './check-numbers.ts'
import { type References, referenceViolations } from './check-references.ts'
import { repeatedKeys } from './environment-variables.ts'
import { patternProblems } from './pattern-problems.ts'
import {
  deleteTags,
  findFiles,
  insertCheck,
  insertTag,
  lockCheck,
  updateCheck,
  upsertFiles,
} from './queries.ts'
import { offsetError, seedOf, spreadOffset } from './schedule-rules.ts'
import { checkContext, sealSettings } from './sealed-settings.ts'
import { tokenViolations } from './token-violations.ts'
import { checkKinds } from './types/index.ts'

/** A validated body: of a creation all defaults are filled in, of a change only what was sent is there. */
export type CheckBody = Record<string, unknown>

type Creation = { accountId: string; type: CheckType; body: CheckBody; autoAssignAlerts: boolean }

/** @throws ApiError 400 */
export const createCheck = (
  app: App & HasCipher & HasConsequences & HasWakeups,
  { accountId, type, body, autoAssignAlerts }: Creation,
): Promise<ChecksTable> => {
  const id = app.newId()
  const now = app.clock.now()
  return saved(app, async (trx) => {
    await holdDependencies(trx, accountId, body)
    const channels = await trx.all(holdChannels, { accountId })
    const { doc, choices = [], files } = parts(type, body)
    const complete = completed(app, type, { id, given: doc as CheckDoc, before: null })
    const groups = await groupsOf(trx, accountId, [complete.groupId])
    await requireValid(trx, { id, accountId, type, doc: complete, files, sent: body, groups, now })
    const sealed = sealSettings(complete, { cipher: app.cipher, context: checkContext(id) })
    const row = { id, account_id: accountId, type, created_at: now, ...columnsOf(sealed) }
    await trx.run(insertCheck, row)
    await numberChecks(trx, [{ check_id: id, account_id: accountId, check_type: type }])
    await writeTags(trx, row, complete.tags)
    await writeDependencies(trx, {
      accountId,
      text: subjectText({ checkId: id }),
      dependsOn: complete.dependsOn,
    })
    if (files?.length) await trx.run(upsertFiles, { checkId: id, accountId, doc: checkFiles.write(files) })
    await writeBundle(trx, { checkId: id, accountId, doc: complete, now })
    const automatic = channels
      .filter((channel) => autoAssignAlerts || channel.auto_subscribe)
      .map((channel) => ({ alertChannelId: channel.id, activated: true }))
    const all = [...automatic, ...choices]
    if (all.length > 0) await setSubscriptions(trx, { accountId, checkId: id }, all)
    const wake = await applyToSchedule(
      app,
      trx,
      { id, accountId, type, doc: complete },
      { group: groups.get(complete.groupId) ?? null, stamp: { now, newId: app.newId } },
    )
    return { row: { ...row, updated_at: null, version: 1 }, wake }
  })
}

type Change = {
  id: string
  accountId: string
  type: CheckType
  changes: CheckBody
  /** The `If-Match` header: the change is made only to the version the caller has seen. */
  ifMatch: string | undefined
}

/** Only what is sent changes. @throws ApiError 400, 404, 412 */
export const changeCheck = (
  app: App & HasCipher & HasConsequences & HasWakeups,
  { id, accountId, type, changes, ifMatch }: Change,
): Promise<ChecksTable> => {
  const now = app.clock.now()
  return saved(app, async (trx) => {
    await holdDependencies(trx, accountId, changes)
    const { doc: sent, choices, files } = parts(type, changes)
    if (choices) await trx.all(holdChannels, { accountId })
    const before = await trx.get(lockCheck, { id, accountId })
    if (!before || before.type !== type) throw notFound()
    requireVersion(ifMatch, before.version)
    const stored = checkDoc.read(before.doc)
    const doc = completed(app, type, { id, given: { ...stored, ...sent }, before: stored, sent })
    const groups = await groupsOf(trx, accountId, [stored.groupId, doc.groupId])
    const judged = files ?? (await filesToJudge(trx, id, { stored, doc }))
    await requireValid(trx, { id, accountId, type, doc, files: judged, sent: changes, groups, now })
    const sealed = sealSettings(doc, { cipher: app.cipher, context: checkContext(id) }, stored)
    const row = { ...before, ...columnsOf(sealed), updated_at: now, version: before.version + 1 }
    await trx.run(updateCheck, row)
    if (sent.tags) {
      await trx.run(deleteTags, { checkId: id })
      await writeTags(trx, row, doc.tags)
    }
    if (sent.dependsOn)
      await writeDependencies(trx, {
        accountId,
        text: subjectText({ checkId: id }),
        dependsOn: sent.dependsOn,
      })
    if (files) await trx.run(upsertFiles, { checkId: id, accountId, doc: checkFiles.write(files) })
    await writeBundle(trx, { checkId: id, accountId, doc, now })
    if (choices) await setSubscriptions(trx, { accountId, checkId: id }, choices)
    const wake = await applyToSchedule(
      app,
      trx,
      { id, accountId, type, doc },
      { group: groups.get(doc.groupId) ?? null, stamp: { now, newId: app.newId } },
    )
    return { row, wake }
  })
}

/** Two writes that make a circle only together would not see each other. */
const holdDependencies = async (trx: Db, accountId: string, sent: Partial<CheckDoc>): Promise<void> => {
  if (mayMakeCircle(sent)) await trx.get(lockAccount, { id: accountId })
}

const mayMakeCircle = ({ dependsOn = [], groupId }: Partial<CheckDoc>): boolean =>
  dependsOn.length > 0 || typeof groupId === 'number'

type CheckWrite = { row: ChecksTable; wake: string[] }

/** Agents are woken when what they are to find is on disk. */
const saved = async (app: App & HasWakeups, work: (trx: Db) => Promise<CheckWrite>): Promise<ChecksTable> => {
  const { row, wake } = await app.db.transaction(work)
  for (const location of wake) app.wakeups.wake(location)
  return row
}

type Parts = { doc: Partial<CheckDoc>; choices?: ChannelChoice[]; files?: CheckFile[] | undefined }

/** What of a body belongs into the doc, and what is stored beside it. Null is no files. */
export const parts = (type: CheckType, body: CheckBody): Parts => {
  const { filesField } = checkKinds[type]
  const { checkType: _, alertChannelSubscriptions, ...doc } = body
  const files = filesField === undefined ? undefined : (doc[filesField] as CheckFile[] | null | undefined)
  if (filesField !== undefined) delete doc[filesField]
  return {
    doc: doc as Partial<CheckDoc>,
    ...(alertChannelSubscriptions ? { choices: alertChannelSubscriptions as ChannelChoice[] } : {}),
    files: files === null ? [] : files,
  }
}

type Completion = { id: string; given: CheckDoc; before: CheckDoc | null; sent?: Partial<CheckDoc> }

/** With what the service fills in. An offset belongs to its frequency: with another one it is sent along or chosen anew. */
export const completed = (
  app: App,
  type: CheckType,
  { id, given, before, sent = {} }: Completion,
): CheckDoc => {
  const kind = checkKinds[type]
  const doc = kind.complete ? kind.complete(given, before, app.newId) : given
  if (!kind.scheduled || !('frequencyOffset' in kind.fields)) return doc
  const sentOffset = before === null ? given.frequencyOffset : sent.frequencyOffset
  const keepsOffset =
    typeof sentOffset === 'number' || (before !== null && given.frequency === before.frequency)
  return keepsOffset ? doc : { ...doc, frequencyOffset: spreadOffset(doc.frequency, seedOf(id)) }
}

/** By id, with null for a group that does not exist; none of them changes until the transaction ends. */
const groupsOf = async (
  trx: Db,
  accountId: string,
  ids: Array<number | null>,
): Promise<Map<number | null, GroupDoc>> => {
  const groups = new Map<number | null, GroupDoc>()
  const wanted = [...new Set(ids)].filter((id) => id !== null).sort((a, b) => a - b)
  for (const id of wanted) {
    const row = await trx.get(shareGroup, { id, accountId })
    if (row) groups.set(id, groupDoc.read(row.doc))
  }
  return groups
}

type CheckToValidate = {
  id: string
  accountId: string
  type: CheckType
  doc: CheckDoc
  files: CheckFile[] | undefined
  sent: CheckBody
  groups: Map<number | null, GroupDoc>
  now: number
}

/** What is sent is looked at: a check with an older pattern can still be changed otherwise. */
type Sent = { request?: { assertions?: readonly unknown[] | null } }

export const requireValid = async (trx: Db, given: CheckToValidate): Promise<void> => {
  const { id, accountId, type, doc, files, sent, groups, now } = given
  const kind = checkKinds[type]
  const { groupId } = doc
  const problems: Violation[] = [
    ...(kind.scheduled && typeof doc.frequencyOffset === 'number' ? offsetViolations(doc) : []),
    ...(kind.problems?.(doc, files) ?? []),
    ...patternProblems('request.assertions', (sent as Sent).request?.assertions),
    ...repeatedKeys(doc.environmentVariables),
    ...(groupId !== null && !groups.has(groupId)
      ? [violation('groupId', 'exists', `names a check group that does not exist: ${groupId}`)]
      : []),
    ...(await referenceViolations(trx, accountId, sent as References)),
    ...(mayMakeCircle(sent)
      ? await dependencyViolations(trx, {
          accountId,
          text: subjectText({ checkId: id }),
          groupId,
          dependsOn: (sent as Partial<CheckDoc>).dependsOn,
        })
      : []),
    ...(await bundleViolations(trx, {
      accountId,
      field: sent['codeBundlePath'] === doc.codeBundleId ? 'codeBundlePath' : 'codeBundleId',
      id: doc.codeBundleId ?? null,
      now,
    })),
    ...(await tokenViolations(trx, id, doc.heartbeat)),
  ]
  if (problems.length > 0) throw invalid(problems)
}

const offsetViolations = ({ frequency, frequencyOffset }: CheckDoc): Violation[] => {
  const problem = offsetError(frequency, frequencyOffset ?? 0)
  return problem === null ? [] : [violation('frequencyOffset', 'range', problem)]
}

const columnsOf = (doc: CheckDoc) => ({
  name: doc.name,
  activated: doc.activated,
  group_id: doc.groupId,
  doc: checkDoc.write(doc),
})

const writeTags = async (
  trx: Db,
  { id, account_id }: { id: string; account_id: string },
  tags: string[],
): Promise<void> => {
  for (const tag of new Set(tags)) await trx.run(insertTag, { checkId: id, accountId: account_id, tag })
}

/** Without its bundle a suite has to make do with the files that it has. */
const filesToJudge = async (
  trx: Db,
  checkId: string,
  { stored, doc }: { stored: CheckDoc; doc: CheckDoc },
): Promise<CheckFile[] | undefined> => {
  if ((stored.codeBundleId ?? null) === (doc.codeBundleId ?? null)) return undefined
  const row = await trx.get(findFiles, { checkId })
  return row === undefined ? [] : checkFiles.read(row.doc)
}

type BundleOfCheck = { checkId: string; accountId: string; doc: CheckDoc; now: number }

const writeBundle = async (trx: Db, { checkId, accountId, doc, now }: BundleOfCheck): Promise<void> => {
  if (doc.codeBundleId !== undefined)
    await chooseBundle(trx, { checkId, accountId, bundleId: doc.codeBundleId, now })
}
