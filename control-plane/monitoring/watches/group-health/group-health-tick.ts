/**
 * The loop that judges groups as a whole: as soon as one of their checks has told something (alerting/engine/apply-transitions.ts marks the
 * group in the transaction of that), and otherwise once a minute, which sees whatever else changed: mutes, maintenance, checks that come and go.
 */

import { subjectText } from '../../../alerting/alert-channels/subscriptions.ts'
import { silencesIn } from '../../../alerting/engine/advance-in-silence.ts'
import {
  deleteGroupHealth,
  dueGroups,
  lockDueGroup,
  saveGroupHealth,
} from '../../../alerting/engine/group-health-queries.ts'
import {
  type GroupHealthState,
  type GroupMember,
  groupVerdict,
  nextGroupHealth,
} from '../../../alerting/engine/group-verdict.ts'
import { recordAlerts } from '../../../alerting/engine/record-alert.ts'
import { type AlertEvent, ofNoRun } from '../../../alerting/messages/alert-event.ts'
import { notificationsWakeup } from '../../../alerting/notifications/queue-notifications.ts'
import { windowsOfAccount } from '../../../communication/maintenance-windows/window-plans.ts'
import type { App } from '../../../platform/app/app.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { groupsById } from '../../definitions/check-groups/queries.ts'
import { type GroupDoc, groupDoc } from '../../definitions/check-groups/schema.ts'
import { activeMembers, tagsOfMembers } from './queries.ts'

const groupsPerLook = 200
const lookAgainMs = 60_000

/** Each in a transaction of its own; of several control planes the one that still finds it due under the lock judges it. */
export const groupHealthTick = async (app: App & HasWakeups): Promise<void> => {
  const now = app.clock.now()
  for (const { group_id: groupId } of await app.db.all(dueGroups, { now, limit: groupsPerLook })) {
    const stamp = { now, newId: app.newId }
    if (await app.db.transaction((trx) => judge(trx, groupId, stamp))) app.wakeups.wake(notificationsWakeup)
  }
}

/** Returns whether somebody is told. */
const judge = async (trx: Db, groupId: number, stamp: Stamp): Promise<boolean> => {
  const { now } = stamp
  const row = await trx.get(lockDueGroup, { groupId, now })
  if (row === undefined) return false
  const { account_id: accountId } = row
  const [found] = await groupsById(trx, [accountId], [groupId])
  const doc = found === undefined ? null : groupDoc.read(found.doc)
  if (found === undefined || doc === null || doc.groupHealth === null) {
    await trx.run(deleteGroupHealth, { groupId })
    return false
  }
  const group = { id: groupId, accountId, name: found.name, doc }
  const verdict = groupVerdict(await membersOf(trx, group, now), doc.groupHealth)
  const before = row as GroupHealthState
  const { next, tell } = nextGroupHealth(before, verdict, { tells: doc.groupHealth.tells, now })
  await trx.run(saveGroupHealth, { groupId, ...next, wakeAt: now + lookAgainMs })
  if (tell === null) return false
  const since = tell === 'failure' ? next.since : row.since
  const event = eventOf(group, { next, isOver: tell === 'recovery', since, stamp })
  await recordAlerts(trx, [{ event, afterFailure: true, isFirst: tell === 'failure' }], stamp)
  return true
}

type Group = { id: number; accountId: string; name: string; doc: GroupDoc }

/** None of a group that is muted or does not run. */
const membersOf = async (
  trx: Db,
  { id: groupId, accountId, doc }: Group,
  now: number,
): Promise<GroupMember[]> => {
  if (doc.muted || !doc.activated) return []
  const rows = await trx.all(activeMembers, { accountId, groupId })
  const inMaintenance = await maintenanceOf(trx, { groupId, accountId, tags: doc.tags, now })
  return rows.map((row) => ({
    told: row.told as GroupMember['told'],
    isKnown: row.told !== null || (row.state !== null && row.state !== 'unknown' && row.stale_since === null),
    isMuted: isTrue(row.muted),
    inMaintenance: inMaintenance(row.id),
    isKeptBack: row.held_by !== null,
  }))
}

/** Engines say it in their own ways. */
const isTrue = (text: string | null): boolean => text === 'true' || text === '1'

type Asked = { groupId: number; accountId: string; tags: readonly string[]; now: number }

const maintenanceOf = async (trx: Db, { groupId, accountId, tags, now }: Asked) => {
  const plans = await windowsOfAccount(trx, accountId, now)
  if (plans.length === 0) return () => false
  const own = Map.groupBy(await trx.all(tagsOfMembers, { accountId, groupId }), ({ check_id }) => check_id)
  return (checkId: string): boolean => {
    const all = [...tags, ...(own.get(checkId) ?? []).map(({ tag }) => tag)]
    return silencesIn(plans, all, { from: now, to: now + 1 }).length > 0
  }
}

type Told = { next: GroupHealthState; isOver: boolean; since: number; stamp: Stamp }

const eventOf = (
  { id, accountId, name, doc }: Group,
  { next: { failing, counted }, isOver, since, stamp: { now, newId } }: Told,
): AlertEvent => ({
  ...ofNoRun,
  alertType: isOver ? 'ALERT_RECOVERY' : 'ALERT_FAILURE',
  accountId,
  checkAlertId: newId(),
  checkId: subjectText({ groupId: id }),
  checkName: name,
  checkType: null,
  checkDescription: null,
  groupId: id,
  groupName: null,
  tags: doc.tags,
  errorMessage: null,
  startedAt: since,
  at: now,
  failingSince: since,
  group: { id, failing, counted },
})
