import type { CheckType } from '../../../../protocol/check-type.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { HasConsequences } from '../../outcomes/consequences.ts'
import { groupsById } from '../check-groups/queries.ts'
import { groupDoc } from '../check-groups/schema.ts'
import { applyToSchedule } from './apply-to-schedule.ts'
import { checkDoc } from './check-doc.ts'
import { checksWithRuntime } from './queries.ts'

type ChangedRuntime = { accountId: string; before: string }

/**
 * After the account's runtime was changed: checks that neither choose one nor have a group that does move to the new one.
 * Belongs in the transaction that changed it. Returns the locations to wake.
 */
export const applyAccountRuntime = async (
  app: HasConsequences,
  trx: Db,
  { accountId, before }: ChangedRuntime,
  stamp: Stamp,
): Promise<string[]> => {
  const checks = await trx.all(checksWithRuntime, { accountId, runtimeId: before })
  const groupIds = [...new Set(checks.map(({ group_id }) => group_id))].filter((id) => id !== null)
  const groups = new Map(
    (await groupsById(trx, [accountId], groupIds)).map(({ id, doc }) => [id, groupDoc.read(doc)]),
  )
  const wake: string[] = []
  for (const { id, type, group_id, doc } of checks) {
    const check = { id, accountId, type: type as CheckType, doc: checkDoc.read(doc) }
    const group = group_id === null ? null : (groups.get(group_id) ?? null)
    if ((check.doc.runtimeId ?? group?.runtimeId ?? null) !== null) continue
    wake.push(...(await applyToSchedule(app, trx, check, { group, stamp })))
  }
  return wake
}
