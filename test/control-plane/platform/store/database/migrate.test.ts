// Runs on both engines: a schema is changed by transactions of each.
/** Numbered migrations: in order, once, each whole or not at all, whoever starts at the same time. */
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { migrationState } from '../../../../../control-plane/platform/store/database/applied-migrations.ts'
import type { Engine } from '../../../../../control-plane/platform/store/database/engines.ts'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import {
  type Migration,
  migrations,
} from '../../../../../control-plane/platform/store/database/migrations.ts'
import { openDatabase } from '../../../../../control-plane/platform/store/database/open.ts'
import { selectRows } from '../../../../../control-plane/platform/store/database/raw-sql.ts'
import { engineNames, freshDatabaseUrl } from '../../../../support/databases.ts'

const own = migrations.map(({ id }) => id)
const migration = (id: string, ...texts: string[]): Migration => ({ id, statements: () => texts })
const added = migration('0002-notes', 'create table notes (text text)', "insert into notes values ('first')")
const changed = migration('0003-notes', 'alter table notes add column at bigint', 'update notes set at = 7')
const failing = migration('0003-notes', 'alter table notes add column at bigint', 'update nothing set at = 7')

const opened = async (t: Test, engine: Engine['name'], count: number) => {
  const url = await freshDatabaseUrl(t, engine)
  const databases = Array.from({ length: count }, () => openDatabase(url))
  t.teardown(() => Promise.all(databases.map((db) => db.close())))
  return databases as [(typeof databases)[0], ...typeof databases]
}

for (const engine of engineNames) {
  t.test(`what a later version adds is applied to the store of an earlier one (${engine})`, async (t) => {
    const [db] = await opened(t, engine, 1)
    t.strictSame(await migrate(db, 1), own)
    t.strictSame((await migrationState(db, [...migrations, added])).pending, ['0002-notes'])
    t.strictSame(await migrate(db, 2, { known: [...migrations, added, changed] }), [
      '0002-notes',
      '0003-notes',
    ])
    t.strictSame(await selectRows(db, sql`select text, at from notes`), [{ text: 'first', at: 7 }])
    t.strictSame(await migrate(db, 3, { known: [...migrations, added, changed] }), [], 'once')
  })

  t.test(
    `one that fails halfway leaves nothing of itself, and the next start goes on (${engine})`,
    async (t) => {
      const [db] = await opened(t, engine, 1)
      await t.rejects(migrate(db, 1, { known: [...migrations, added, failing] }), /nothing/)
      const { applied } = await migrationState(db, migrations)
      t.strictSame(applied, [...own, '0002-notes'])
      await t.rejects(selectRows(db, sql`select at from notes`), /at/)
      t.strictSame(await migrate(db, 2, { known: [...migrations, added, changed] }), ['0003-notes'])
      t.strictSame(await selectRows(db, sql`select text, at from notes`), [{ text: 'first', at: 7 }])
    },
  )

  t.test(`of control planes that start at once each migration is one's (${engine})`, async (t) => {
    const databases = await opened(t, engine, 4)
    const known = [...migrations, added, changed]
    const applied = await Promise.all(databases.map((db) => migrate(db, 1, { known })))
    t.strictSame(applied.flat().sort(), [...own, '0002-notes', '0003-notes'])
    t.strictSame(await selectRows(databases[0], sql`select text, at from notes`), [{ text: 'first', at: 7 }])
  })
}
