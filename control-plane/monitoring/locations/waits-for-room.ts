/** Whether something waits in a location that an agent there could run, if it were free. */
import type { Db } from '../../platform/store/database/db.ts'
import { whyUnable } from './agents/why-unable.ts'
import { lateJobKinds } from './sample-queries.ts'

export const waitsForRoom = async (db: Db, location: string, now: number): Promise<boolean> => {
  for (const kind of await db.all(lateJobKinds, { locationId: location, now })) {
    const { check_type: checkType, runtime_id: runtimeId, run_location: locationName } = kind
    if ((await whyUnable(db, { location, locationName, checkType, runtimeId }, now)) === null) return true
  }
  return false
}
