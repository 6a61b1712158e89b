/** A check as alerting sees it: its rules after group and account have had their say, and what notifications name. */
import type { CheckType } from '../../../protocol/check-type.ts'
import { accountDoc } from '../../access/accounts/account-doc.ts'
import { findAccount } from '../../access/accounts/queries.ts'
import type { AlertRules } from '../../alerting/engine/advance.ts'
import {
  alertSettingsOf,
  escalationOf,
  failureShareOf,
  remindersOf,
  type SettingsOrigin,
  type StoredAlertSettings,
} from '../../alerting/engine/alert-rules.ts'
import type { FailureShare } from '../../alerting/engine/round-verdict.ts'
import type { TriggerIncident } from '../../communication/incidents/open-or-resolve.ts'
import type { Db } from '../../platform/database/db.ts'
import { effectiveSettings } from '../check-groups/effective-settings.ts'
import { findGroup } from '../check-groups/queries.ts'
import { groupDoc } from '../check-groups/schema.ts'
import { checksById } from '../runs/check-queries.ts'
import { checkDoc } from './check-doc.ts'

export type AlertSubject = {
  id: string
  accountId: string
  type: CheckType
  name: string
  groupId: number | null
  groupName: string | null
  description: string | null
  /** The check's and its group's. */
  tags: string[]
  /** A check that does not run alerts as little as a muted one. */
  rules: Omit<AlertRules, 'silences'>
  settings: StoredAlertSettings
  origin: SettingsOrigin
  /** Who muted it, and who stopped it; null for nobody. */
  mutedBy: 'check' | 'group' | null
  stoppedBy: 'check' | 'group' | null
  /** How many locations run one due time together; 1: each run counts by itself. */
  expected: number
  share: FailureShare
  triggerIncident: TriggerIncident | null
}

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
  const doc = effectiveSettings(own, group, check.type)
  const places = (doc.locations?.length ?? 0) + (doc.privateLocations?.length ?? 0)
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
    expected: doc.runParallel ? Math.max(1, places) : 1,
    share: failureShareOf(settings),
    triggerIncident: own.triggerIncident,
  }
}
