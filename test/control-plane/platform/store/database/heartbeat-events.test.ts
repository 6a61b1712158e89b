import { sql } from 'kysely'
import { builderFor } from '../../../../../control-plane/platform/store/database/builder.ts'
import type { Database } from '../../../../../control-plane/platform/store/database/db.ts'
import { heartbeatEvents } from '../../../../../control-plane/platform/store/database/migrations/0018-heartbeat-events.ts'
import { eachDatabase } from '../../../../support/databases.ts'

const source = String.raw`https://ci.example/"quoted"\backslash`

const statement = (db: Database, raw: ReturnType<typeof sql>) =>
  db.execute(() => ({ compile: () => raw.compile(builderFor(db.engine)) }))

const result = (id: string) => ({
  id,
  account_id: 'a',
  check_id: 'c',
  check_type: 'HEARTBEAT',
  result_type: 'FINAL',
  location: '',
  due_at: 1,
  started_at: 1,
  stopped_at: 1,
  created_at: 1,
  response_time: 0,
  has_failures: sql.lit(0),
  has_errors: sql.lit(0),
  is_degraded: sql.lit(0),
  is_cancelled: sql.lit(0),
  over_max: sql.lit(0),
  attempts: 0,
  sequence_id: id,
  check_run_id: 1,
  doc: JSON.stringify({ name: 'Backup', state: 'RECEIVED', error: null }),
})

eachDatabase('what only the events kept moves into the results', async (t, db) => {
  await statement(db, sql`create table heartbeat_events (id text primary key, source text, user_agent text)`)
  for (const id of ['with', 'without'])
    await db.execute((k) => k.insertInto('results').values(result(id) as never))
  await statement(
    db,
    sql`insert into heartbeat_events values ('with', ${source}, 'curl/8'), ('without', null, null)`,
  )
  for (const text of heartbeatEvents) await statement(db, sql.raw(text))
  const rows = await db.select((k) => k.selectFrom('results').select(['id', 'doc']).orderBy('id'))
  const common = { name: 'Backup', state: 'RECEIVED', error: null }
  t.strictSame(
    rows.map(({ doc }) => JSON.parse(doc)),
    [
      { ...common, source, userAgent: 'curl/8' },
      { ...common, source: null, userAgent: null },
    ],
  )
})
