import { sql } from 'kysely'
import { insertResult } from '../../../../control-plane/monitoring/runs/result-queries.ts'
import { builderFor } from '../../../../control-plane/platform/database/builder.ts'
import type { Database } from '../../../../control-plane/platform/database/db.ts'
import { heartbeatEvents } from '../../../../control-plane/platform/database/migrations/0018-heartbeat-events.ts'
import { eachDatabase } from '../../../support/databases.ts'

const source = String.raw`https://ci.example/"quoted"\backslash`

const statement = (db: Database, raw: ReturnType<typeof sql>) =>
  db.execute(() => ({ compile: () => raw.compile(builderFor(db.engine)) }))

const result = (id: string) => ({
  id,
  accountId: 'a',
  checkId: 'c',
  checkType: 'HEARTBEAT',
  resultType: 'FINAL',
  location: '',
  dueAt: 1,
  startedAt: 1,
  stoppedAt: 1,
  now: 1,
  responseTime: 0,
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  isCancelled: false,
  overMax: false,
  attempts: 0,
  sequenceId: id,
  checkRunId: 1,
  doc: JSON.stringify({ name: 'Backup', state: 'RECEIVED', error: null }),
})

eachDatabase('what only the events kept moves into the results', async (t, db) => {
  await statement(db, sql`create table heartbeat_events (id text primary key, source text, user_agent text)`)
  await db.run(insertResult, result('with'))
  await db.run(insertResult, result('without'))
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
