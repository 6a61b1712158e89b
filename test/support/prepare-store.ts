/** A store as a control plane leaves it when it has started: migrated, and with periods for its results. */
import type { Database } from '../../control-plane/platform/database/db.ts'
import { migrate } from '../../control-plane/platform/database/migrate.ts'
import { makePeriods } from '../../control-plane/platform/results/make-periods.ts'

export const prepareStore = async (db: Database, now: number): Promise<void> => {
  await migrate(db, now)
  await makePeriods(db, { now })
}
