/** A store as a control plane leaves it when it has started: migrated, and with periods for its results. */

import { makePeriods } from '../../control-plane/monitoring/results/stored/make-periods.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { migrate } from '../../control-plane/platform/store/database/migrate.ts'

export const prepareStore = async (db: Database, now: number): Promise<void> => {
  await migrate(db, now)
  await makePeriods(db, { now })
}
