// Runs in test:all only: it fills and reads whole stores.
import { readdir } from 'node:fs/promises'
import t from 'tap'
import { adminOf } from '../../support/admin-program.ts'
import { freshDatabaseUrl } from '../../support/databases.ts'
import { scratchFolder } from '../../support/programs.ts'

t.test('PostgreSQL is backed up with its own tools, and the command says how', async (t) => {
  const admin = adminOf({
    DATA_DIR: await scratchFolder(t),
    DATABASE_URL: await freshDatabaseUrl(t, 'postgres'),
  })
  const backup = await admin('backup', 'x')
  t.match([backup.exitCode, backup.stderr], [1, /pg_dump --format=custom .* "\$DATABASE_URL"/])
  const restore = await admin('restore', 'x')
  t.match([restore.exitCode, restore.stderr], [1, /pg_restore .* --dbname="\$DATABASE_URL"/])
})

t.test('before the first start there is nothing to check or back up', async (t) => {
  const dataDir = await scratchFolder(t)
  const admin = adminOf({ DATA_DIR: dataDir })
  t.match(await admin('check'), { exitCode: 1, stdout: /there is no store/ })
  t.match(await admin('backup', 'x'), { exitCode: 1, stderr: /there is no store/ })
  t.strictSame(await readdir(dataDir), [], 'looking leaves nothing behind')
})
