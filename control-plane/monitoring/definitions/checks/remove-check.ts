import { noteCheckRemoval } from '../../../access/changes/note-change.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import { notFound } from '../../../platform/words/errors.ts'
import type { HasConsequences } from '../../outcomes/consequences.ts'
import { dropAwaitedRuns } from '../../schedule/awaited-runs.ts'
import { dropSchedule } from '../../schedule/schedule.ts'
import { shareGroup } from '../check-groups/queries.ts'
import { dropBundle } from '../code-bundles/bundle-of-check.ts'
import { deleteTrigger } from '../triggers/queries.ts'
import { deleteCheck, deleteFiles, deleteTags } from './queries.ts'

/** With everything that is known about it, in one transaction. @throws ApiError 404 */
export const removeCheck = async (
  app: App & HasConsequences & HasWakeups,
  { id: checkId, accountId }: { id: string; accountId: string },
): Promise<void> => {
  const stamp = { now: app.clock.now(), newId: app.newId }
  const wake = await app.db.transaction(async (trx) => {
    // First: whoever is just writing something about it finishes before, or no longer finds it.
    const deleted = await trx.get(deleteCheck, { id: checkId, accountId })
    if (!deleted) throw notFound()
    // A change of its group that has already seen the check finishes before its schedule is dropped.
    if (deleted.group_id !== null) await trx.get(shareGroup, { id: deleted.group_id, accountId })
    await dropSchedule(trx, checkId)
    await dropAwaitedRuns(trx, { checkId })
    const followed = await app.consequences.onCheckRemoved(trx, { accountId, checkId }, stamp)
    await trx.run(deleteTags, { checkId })
    await trx.run(deleteFiles, { checkId })
    await dropBundle(trx, checkId)
    await trx.run(deleteTrigger, { accountId, kind: 'check', target: checkId })
    await noteCheckRemoval(trx, { accountId, checkId, now: stamp.now })
    return followed
  })
  for (const name of new Set(wake)) app.wakeups.wake(name)
}
