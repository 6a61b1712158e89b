import { sql } from 'kysely'
import { kindOfTable, type RetentionKind } from '../../../platform/retention/retention-kind.ts'
import type { Db } from '../../../platform/store/database/db.ts'

/** Sessions with their runs. One that runs has not stopped, and does not end. */
export const sessionsKind: RetentionKind = kindOfTable({
  name: 'sessions',
  table: 'check_sessions',
  setting: 'sessions',
  makesRoom: true,
  at: 'stopped_at',
  idsGrow: true,
  beforeRemoval: (trx: Db, over) =>
    trx.execute((k) => k.deleteFrom('check_session_runs').where(sql<boolean>`session_id in ${over}`)),
})
