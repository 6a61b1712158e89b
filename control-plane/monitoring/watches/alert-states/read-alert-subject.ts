import type { CheckType } from '../../../../protocol/check-type.ts'
import { accountDoc } from '../../../access/accounts/account-doc.ts'
import { findAccount } from '../../../access/accounts/queries.ts'
import {
  alertSettingsOf,
  escalationOf,
  failureShareOf,
  remindersOf,
} from '../../../alerting/engine/alert-rules.ts'
import type { AlertSubject } from '../../../alerting/engine/alert-subject.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { effectiveSettings } from '../../definitions/check-groups/effective-settings.ts'
import { findGroup } from '../../definitions/check-groups/queries.ts'
import { groupDoc } from '../../definitions/check-groups/schema.ts'
import { checkDoc } from '../../definitions/checks/check-doc.ts'
import { checksById } from '../../definitions/checks/checks-by-id.ts'
import { kindOf } from '../../definitions/checks/types/index.ts'

/** Undefined when the check is gone. */
export const alertSubject = async (db: Db, checkId: string): Promise<AlertSubject | undefined> => {
  const [check] = await db.all(checksById, { ids: [checkId] })
  if (!check) return undefined
  const { account_id: accountId, group_id: groupId } = check
  const own = checkDoc.read(check.doc)
  const groupRow = groupId === null ? undefined : await db.get(findGroup, { id: groupId, accountId })
  const group = groupRow ? groupDoc.read(groupRow.doc) : null
  const account = await db.get(findAccount, { id: accountId })
  const { settings, origin } = alertSettingsOf(
    own,
    group,
    accountDoc.read(account?.doc ?? '{}').alertSettings,
  )
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
    groupName: groupRow?.name ?? null,
    description: own.description,
    tags: doc.tags,
    rules: {
      escalation: escalationOf(settings),
      reminders: remindersOf(settings),
      muted: mutedBy !== null || stoppedBy !== null,
    },
    settings,
    origin,
    mutedBy,
    stoppedBy,
    expected: doc.runParallel ? Math.max(1, locationCount) : 1,
    share: failureShareOf(settings),
    triggerIncident: own.triggerIncident,
  }
}
