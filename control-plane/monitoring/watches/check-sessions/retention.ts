import { sql } from 'kysely'
import { kindOfTable, type RetentionKind } from '../../../platform/retention/retention-kind.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { removeTestedChecks } from '../../definitions/tested-checks/queries.ts'

/** Sessions with their runs. One that runs has not stopped, and does not end. */
export const sessionsKind: RetentionKind = kindOfTable({
  name: 'sessions',
  table: 'check_sessions',
  setting: 'sessions',
  makesRoom: true,
  at: 'stopped_at',
  idsGrow: true,
  // Those of a test end with it.
  isOver: sql`is_test = 0`,
  beforeRemoval: (trx: Db, over) =>
    trx.execute((k) => k.deleteFrom('check_session_runs').where(sql<boolean>`session_id in ${over}`)),
})

/** Tests with their sessions, the copies that those ran and what came of them. */
export const testSessionsKind: RetentionKind = kindOfTable({
  name: 'test-sessions',
  table: 'test_sessions',
  setting: 'sessions',
  makesRoom: true,
  at: 'stopped_at',
  idsGrow: true,
  beforeRemoval: async (trx: Db, over, { now }) => {
    const copies = sql`(select id from tested_checks where test_session_id in ${over})`
    await trx.execute((k) => k.deleteFrom('check_session_runs').where(sql<boolean>`session_id in ${copies}`))
    await trx.execute((k) => k.deleteFrom('check_sessions').where(sql<boolean>`id in ${copies}`))
    await removeTestedChecks(trx, { tests: over, now })
  },
})
