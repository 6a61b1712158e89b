import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { openDatabase, sqliteFile } from '../../../control-plane/platform/store/database/open.ts'
import { selectRows } from '../../../control-plane/platform/store/database/raw-sql.ts'
import { backupSqlite } from '../../../control-plane/platform/store/database/sqlite-backup.ts'
import { adminOf } from '../../support/admin-program.ts'
import { freshDatabaseUrl } from '../../support/databases.ts'
import { scratchFolder } from '../../support/programs.ts'
import { writeUnreleasedStore } from '../../support/unreleased-store.ts'

t.test('a backup of a version before the first release is refused, and nothing is changed', async (t) => {
  const url = await freshDatabaseUrl(t, 'sqlite')
  await writeUnreleasedStore(url)
  const file = join(await scratchFolder(t), 'old.backup')
  const manifest = { made_at: 1, version: '0.0.1' }
  await backupSqlite(sqliteFile(url) ?? '', file, {
    manifest,
    files: [{ name: 'encryption-key', content: 'x' }],
  })

  const dataDir = await scratchFolder(t)
  const restore = adminOf({ DATA_DIR: dataDir })
  const refused = await restore('restore', file)
  t.equal(refused.exitCode, 1)
  t.match(
    refused.stderr,
    /the backup is of a version before the first release, which this one cannot read/,
    'one sentence says why',
  )
  t.strictSame(await readdir(dataDir), [], 'neither a store nor a key is left behind')

  const store = join(dataDir, 'watchpost.db')
  await writeUnreleasedStore(`sqlite:${store}`, 'b')
  await writeFile(join(dataDir, 'encryption-key'), 'mine')
  const names = await readdir(dataDir)
  t.equal((await restore('restore', file, '--force')).exitCode, 1, 'also with --force')
  const db = openDatabase(`sqlite:${store}`)
  t.same(
    await selectRows(db, sql`select id from accounts`),
    [{ id: 'b' }],
    'the store that was here is as it was',
  )
  await db.close()
  t.equal(await readFile(join(dataDir, 'encryption-key'), 'utf8'), 'mine')
  t.strictSame(await readdir(dataDir), names)
})
