import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { runLocations } from '../../schedule/schedule-queries.ts'
import { forDependents, letGo } from '../check-sessions/advance-session.ts'
import { insertSession } from '../check-sessions/queries.ts'
import { beingRunNow, runnableChecks } from './queries.ts'

/**
 * Runs checks at once, beside what their schedules say: each as a session, in one location, or in all where they decide together. One that
 * is being run so already is not run twice. Returns the names to wake after the commit.
 */
export const runNow = async (
  trx: Db,
  checkIds: readonly string[],
  { now, newId }: Stamp,
): Promise<string[]> => {
  if (checkIds.length === 0) return []
  const running = new Set((await trx.all(beingRunNow, { ids: checkIds })).map(({ check_id }) => check_id))
  const ids = checkIds.filter((id) => !running.has(id))
  const wake: string[] = []
  for (const check of ids.length === 0 ? [] : await trx.all(runnableChecks, { ids })) {
    const places = runLocations.read(check.locations)
    const session = {
      id: newId(),
      account_id: check.account_id,
      check_id: check.id,
      check_type: check.type,
      name: check.name,
      status: 'STARTED',
      run_source: forDependents,
      trigger_id: newId(),
      group_id: null,
      position: 0,
      locations: runLocations.write(check.parallel ? places : places.slice(0, 1)),
      runtime_id: check.runtime_id,
      refresh_cache: false,
      is_test: false,
      variables: null,
      created_at: now,
      started_at: now,
      stopped_at: null,
    }
    await trx.run(insertSession, session)
    wake.push(...(await letGo(trx, session, { now, newId })))
  }
  return wake
}
