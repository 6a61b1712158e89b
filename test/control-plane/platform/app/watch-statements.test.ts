// Runs on both engines in test:all: each engine tells its statements itself.
import pino from 'pino'
import t from 'tap'
import { findAccount } from '../../../../control-plane/access/accounts/queries.ts'
import { metricGroups } from '../../../../control-plane/metrics.ts'
import { createMetrics } from '../../../../control-plane/platform/app/metrics.ts'
import { statementMetrics, watchStatements } from '../../../../control-plane/platform/app/watch-statements.ts'
import { migrate } from '../../../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../../../control-plane/platform/store/database/open.ts'
import type { WatchedStatement } from '../../../../control-plane/platform/store/database/statement-watch.ts'
import { engineNames, freshDatabaseUrl } from '../../../support/databases.ts'

const read: WatchedStatement = { name: 'list-things', sql: 'select * from things where id = ?', kind: 'read' }

const watched = () => {
  const time = { now: 0 }
  const logged: Array<Record<string, unknown>> = []
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) })
  const metrics = createMetrics(metricGroups)
  return { time, logged, metrics, watch: watchStatements({ metrics, log, monotonic: () => time.now }) }
}

t.test('a statement that takes long is named in the log, once a minute', async (t) => {
  const { time, logged, watch } = watched()
  watch.note(read, 99)
  t.strictSame(logged, [])
  watch.note(read, 100)
  t.match(logged, [
    { level: 40, name: 'list-things', sql: read.sql, kind: 'read', durationMs: 100, unsaid: 0 },
  ])
  time.now = 59_999
  watch.note(read, 5000)
  t.equal(logged.length, 1)
  time.now = 60_000
  watch.note({ ...read, name: null }, 250.4)
  t.match(logged[1], { name: null, sql: read.sql, durationMs: 250, unsaid: 1 })
})

for (const engine of engineNames)
  t.test(`every statement is measured by its kind (${engine})`, async (t) => {
    const { watch, metrics } = watched()
    const db = openDatabase(await freshDatabaseUrl(t, engine), watch)
    t.teardown(() => db.close())
    await migrate(db, 0)
    const countOf = async (kind: string): Promise<number> => {
      const { values } = await statementMetrics.seconds({ metrics }).get()
      const sample = values.find(
        ({ metricName, labels }) => metricName?.endsWith('_count') && labels.kind === kind,
      )
      return sample?.value ?? 0
    }
    const before = await countOf('read')
    await db.get(findAccount, { id: 'nobody' })
    t.equal((await countOf('read')) - before, 1)
    // On PostgreSQL many are one round trip.
    t.ok((await countOf('write')) > (engine === 'sqlite' ? 100 : 2), 'migrations write')
    // PostgreSQL commits on its own side.
    t.equal((await countOf('commit')) > 0, engine === 'sqlite')
    await t.rejects(db.select((k) => k.selectFrom('accounts').select('nothing' as never)))
    t.equal((await countOf('read')) - before, 2, 'one that fails, too')
  })
