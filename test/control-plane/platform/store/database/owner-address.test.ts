import { sql } from 'kysely'
import t from 'tap'
import type { Database } from '../../../../../control-plane/platform/store/database/db.ts'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import { testApp } from '../../../../support/app.ts'
import { engineNames, freshDatabase } from '../../../../support/databases.ts'
import { addPerson } from '../../../../support/members.ts'

const migrateAgain = async (db: Database): Promise<void> => {
  await db.execute((k) => k.deleteFrom('migrations' as never).where(sql<boolean>`id = '0024-owner-address'`))
  t.strictSame(await migrate(db, 0), ['0024-owner-address'])
}

for (const engine of engineNames)
  t.test(`the first owner of an older store gets the address that new ones have (${engine})`, async (t) => {
    const db = await freshDatabase(t, engine)
    const plane = await testApp(t, { parts: { db } })
    const emails = async () =>
      (await db.select((k) => k.selectFrom('users').select('email'))).map(({ email }) => email)
    await addPerson(plane, { email: 'owner@localhost', role: 'OWNER' })
    await migrateAgain(db)
    t.strictSame(await emails(), ['owner@watchpost.localhost'])
    await addPerson(plane, { email: 'owner@localhost', role: 'OWNER' })
    await migrateAgain(db)
    t.strictSame(
      (await emails()).sort(),
      ['owner@localhost', 'owner@watchpost.localhost'],
      'no two users share one',
    )
  })
