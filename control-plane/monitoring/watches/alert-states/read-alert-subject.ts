import type { CheckType } from '../../../../protocol/check-type.ts'
import { accountDoc } from '../../../access/accounts/account-doc.ts'
import { accountsById } from '../../../access/accounts/queries.ts'
import { subjectText } from '../../../alerting/alert-channels/subscriptions.ts'
import {
  type AccountAlertSettings,
  alertSettingsOf,
  escalationOf,
  failureShareOf,
  flappingOf,
  remindersOf,
} from '../../../alerting/engine/alert-rules.ts'
import type { AlertSubject } from '../../../alerting/engine/alert-subject.ts'
import { groupingOf, stormBrakeOf } from '../../../alerting/notifications/gathering.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { effectiveSettings } from '../../definitions/check-groups/effective-settings.ts'
import { groupsById } from '../../definitions/check-groups/queries.ts'
import { type GroupDoc, groupDoc } from '../../definitions/check-groups/schema.ts'
import { type CheckDoc, checkDoc } from '../../definitions/checks/check-doc.ts'
import { hostOfCheck } from '../../definitions/checks/check-target.ts'
import { checksById } from '../../definitions/checks/checks-by-id.ts'
import { kindOf } from '../../definitions/checks/types/index.ts'

/** Undefined when the check is gone. */
export const alertSubject = async (db: Db, checkId: string): Promise<AlertSubject | undefined> =>
  (await alertSubjects(db, [checkId])).get(checkId)

type CheckRow = {
  id: string
  account_id: string
  type: string
  group_id: number | null
  name: string
  doc: string
}
type Around = { groups: ReadonlyMap<number, Group>; accounts: ReadonlyMap<string, AccountAlertSettings> }
type Group = { accountId: string; name: string; doc: GroupDoc }

/** By the ids of the checks; those that are gone are left out. */
export const alertSubjects = async (
  db: Db,
  checkIds: readonly string[],
): Promise<Map<string, AlertSubject>> => {
  const checks = checkIds.length === 0 ? [] : await db.all(checksById, { ids: checkIds })
  const accountIds = [...new Set(checks.map(({ account_id }) => account_id))]
  const groupIds = [...new Set(checks.flatMap(({ group_id }) => group_id ?? []))]
  const groups = await groupsById(db, accountIds, groupIds)
  const accounts = checks.length === 0 ? [] : await db.all(accountsById, { ids: accountIds })
  const around: Around = {
    groups: new Map(
      groups.map(({ id, account_id: accountId, name, doc }) => [
        id,
        { accountId, name, doc: groupDoc.read(doc) },
      ]),
    ),
    accounts: new Map(accounts.map(({ id, doc }) => [id, accountDoc.read(doc).alertSettings])),
  }
  return new Map(checks.map((check) => [check.id, subjectOf(check, around)]))
}

const subjectOf = (check: CheckRow, { groups, accounts }: Around): AlertSubject => {
  const { account_id: accountId, group_id: groupId } = check
  const own = checkDoc.read(check.doc)
  const found = groupId === null ? undefined : groups.get(groupId)
  const ofAccount = found?.accountId === accountId ? found : undefined
  const group = ofAccount?.doc ?? null
  const {
    dependencyWaitSeconds = 0,
    stormBrake,
    grouping,
    ...account
  } = accounts.get(accountId) ?? accountDoc.read('{}').alertSettings
  const { settings, origin } = alertSettingsOf(own, group, account)
  const doc = effectiveSettings(own, group, kindOf(check.type))
  const locationCount = (doc.locations?.length ?? 0) + (doc.privateLocations?.length ?? 0)
  const mutedBy = own.muted ? 'check' : group?.muted ? 'group' : null
  const stoppedBy = !own.activated ? 'check' : group?.activated === false ? 'group' : null
  return {
    id: check.id,
    accountId,
    type: check.type as CheckType,
    name: check.name,
    groupId,
    groupName: ofAccount?.name ?? null,
    description: own.description,
    tags: doc.tags,
    rules: {
      escalation: escalationOf(settings),
      reminders: remindersOf(settings),
      muted: mutedBy !== null || stoppedBy !== null,
      flapping: flappingOf(settings),
    },
    settings,
    origin,
    severity: own.severity,
    mutedBy,
    stoppedBy,
    expected: doc.runParallel ? Math.max(1, locationCount) : 1,
    share: failureShareOf(settings),
    triggerIncident: own.triggerIncident,
    groupTells: group?.groupHealth?.tells ?? null,
    dependencyWaitMs: dependencyWaitSeconds * 1000,
    gathering: {
      stormBrake: stormBrakeOf(stormBrake),
      grouping: groupingOf(grouping),
      host: hostOfCheck(check.type, own.request) ?? '',
      dependency: dependencyOf([...own.dependsOn, ...(group?.dependsOn ?? [])]),
    },
  }
}

/** The first that is named. */
const dependencyOf = ([first]: CheckDoc['dependsOn']): string | null => {
  if (first?.groupId !== undefined) return subjectText({ groupId: first.groupId })
  return first?.checkId === undefined ? null : subjectText({ checkId: first.checkId })
}
