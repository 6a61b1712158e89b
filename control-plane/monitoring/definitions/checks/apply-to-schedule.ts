/**
 * From a check that was written, or whose group was, to when and where it runs. Belongs in the transaction that wrote it.
 */

import type { CheckType } from '../../../../protocol/check-type.ts'
import { accountDoc } from '../../../access/accounts/account-doc.ts'
import { shareAccount } from '../../../access/accounts/queries.ts'
import { noteCheckChange } from '../../../access/changes/note-change.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { HasConsequences } from '../../outcomes/consequences.ts'
import { syncHeartbeat } from '../../schedule/heartbeat.ts'
import { syncSchedule } from '../../schedule/schedule.ts'
import { effectiveSettings } from '../check-groups/effective-settings.ts'
import type { GroupDoc } from '../check-groups/schema.ts'
import type { CheckDoc } from './check-doc.ts'
import { runLocations } from './check-references.ts'
import { seedOf, slotsOf, spreadOffset } from './schedule-rules.ts'
import { checkKinds, kindOf } from './types/index.ts'

type CheckToApply = { id: string; accountId: string; type: CheckType; doc: CheckDoc }

type Circumstances = { group: GroupDoc | null; stamp: Stamp }

/** A check as its group has it: its timer or its slots, and what else follows. Returns the names to wake after the commit. */
export const applyToSchedule = async (
  { consequences }: HasConsequences,
  trx: Db,
  given: CheckToApply,
  { group, stamp }: Circumstances,
): Promise<string[]> => {
  const check = { ...given, doc: effectiveSettings(given.doc, group, kindOf(given.type)) }
  const { id: checkId, accountId, type, doc } = check
  const { activated, heartbeat, sslCheckDomain = null, triggerIncident } = doc
  if (heartbeat !== undefined)
    await syncHeartbeat(trx, { checkId, accountId, activated, heartbeat, now: stamp.now })
  const watched = 'sslCheckDomain' in checkKinds[type].fields ? sslCheckDomain : undefined
  const writes = await noteCheckChange(trx, { accountId, checkId, now: stamp.now })
  const written = { checkId, accountId, activated, sslCheckDomain: watched, triggerIncident }
  const names = await consequences.onCheckWritten(trx, written, stamp)
  return checkKinds[type].scheduled
    ? [...names, ...(await applySlots(trx, { ...check, writes }, { group, stamp }))]
    : names
}

const applySlots = async (
  trx: Db,
  check: CheckToApply & { writes: number },
  { group, stamp }: Circumstances,
): Promise<string[]> => {
  const { id, accountId, type, doc } = check
  const seed = seedOf(id)
  const offset = doc.frequencyOffset ?? spreadOffset(doc.frequency, seed)
  return syncSchedule(
    trx,
    {
      id,
      accountId,
      type,
      activated: doc.activated,
      ...slotsOf({ frequency: doc.frequency, offset, seed }),
      locations: await runLocations(trx, accountId, doc),
      parallel: doc.runParallel,
      runtimeId: await runtimeOf(trx, check, group),
      tags: doc.tags,
      writes: check.writes,
    },
    stamp,
  )
}

/** The check's, else the group's (both in the effective settings), else the account's. */
export const runtimeOf = async (
  trx: Db,
  { accountId, type, doc }: Omit<CheckToApply, 'id'>,
  group: GroupDoc | null,
): Promise<string | null> => {
  if (!checkKinds[type].needsRuntime(doc, group)) return null
  if (doc.runtimeId !== null) return doc.runtimeId
  const account = await trx.get(shareAccount, { id: accountId })
  return accountDoc.read(account?.doc ?? '{}').runtimeId
}
