/**
 * From a check that was written, or whose group was, to when and where it runs. Belongs in the transaction that wrote it.
 */
import type { CheckType } from '../../../protocol/check-type.ts'
import { accountDoc } from '../../access/accounts/account-doc.ts'
import { shareAccount } from '../../access/accounts/queries.ts'
import { resolveForStoppedCheck } from '../../communication/incidents/open-or-resolve.ts'
import type { Db } from '../../platform/database/db.ts'
import { syncLook } from '../certificate-expiry/sync-certificate-watch.ts'
import { effectiveSettings } from '../check-groups/effective-settings.ts'
import type { GroupDoc } from '../check-groups/schema.ts'
import { syncHeartbeat } from '../heartbeats/heartbeat.ts'
import { syncSchedule } from '../runs/schedule.ts'
import type { CheckDoc } from './check-doc.ts'
import { runLocations } from './check-references.ts'
import { seedOf, slotsOf, spreadOffset } from './schedule-rules.ts'
import { checkKinds } from './types/index.ts'

export type WrittenCheck = { id: string; accountId: string; type: CheckType; doc: CheckDoc }
export type Making = { now: number; newId: () => string }

/** Returns the locations to wake after the commit. */
export const syncRuns = async (
  trx: Db,
  check: WrittenCheck,
  { group, making }: { group: GroupDoc | null; making: Making },
): Promise<string[]> => {
  const { id, accountId, type } = check
  const doc = effectiveSettings(check.doc, group, type)
  const { heartbeat } = doc
  if (heartbeat !== undefined)
    await syncHeartbeat(trx, {
      checkId: id,
      accountId,
      activated: doc.activated,
      heartbeat,
      now: making.now,
    })
  if ('sslCheckDomain' in checkKinds[type].fields)
    await syncLook(trx, {
      checkId: id,
      accountId,
      activated: doc.activated,
      domain: doc.sslCheckDomain ?? null,
      now: making.now,
    })
  if (!doc.activated) await resolveForStoppedCheck(trx, id, making)
  if (!checkKinds[type].scheduled) return []
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
      runtimeId: await runtimeOf(trx, { ...check, doc }, group),
    },
    making,
  )
}

/** The check's, else the group's (both in the effective settings), else the account's. */
const runtimeOf = async (
  trx: Db,
  { accountId, type, doc }: WrittenCheck,
  group: GroupDoc | null,
): Promise<string | null> => {
  if (!checkKinds[type].needsRuntime(doc, group)) return null
  if (doc.runtimeId !== null) return doc.runtimeId
  const account = await trx.get(shareAccount, { id: accountId })
  return accountDoc.read(account?.doc ?? '{}').runtimeId
}
