// Runs in test:all only: it starts the control plane and reads a whole store.
// Runs on both engines in test:all: what is given up is written by statements of their own.
/** A store whose encryption key is lost, as a released version left it: what can be kept is kept, and it starts. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { encryptedColumns } from '../../../control-plane/admin/encrypted-columns.ts'
import { giveUpSecrets } from '../../../control-plane/admin/give-up-secrets.ts'
import { survey } from '../../../control-plane/admin/reseal.ts'
import { createCipher, keyId } from '../../../control-plane/platform/services/secrets/cipher.ts'
import { migrate } from '../../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../../control-plane/platform/store/database/open.ts'
import { adminHere } from '../../support/admin-here.ts'
import { engineNames, freshDatabaseUrl } from '../../support/databases.ts'
import { endsWith, scratchFolder, startControlPlane } from '../../support/programs.ts'
import { loadStore, storeFixtures } from '../../support/store-fixture.ts'
import { keyFor } from '../../support/store-reads.ts'

const fixture = storeFixtures().at(-1)
if (fixture === undefined) throw new Error('there is no store of a released version')
const { access, answers } = fixture

for (const engine of engineNames)
  t.test(`nothing remains that the lost key sealed (${engine})`, async (t) => {
    const url = await freshDatabaseUrl(t, engine)
    await loadStore(fixture, url)
    const db = openDatabase(url)
    t.teardown(() => db.close())
    await migrate(db, access.writtenAt)
    const [kept, fresh] = [Buffer.from(access.encryptionKey, 'base64'), randomBytes(32)]
    const before = await survey(db, encryptedColumns)
    const both = { cipher: createCipher([fresh, kept], randomBytes), columns: encryptedColumns }
    t.strictSame(await giveUpSecrets(db, both), [], 'what can be opened stays')
    t.strictSame(await survey(db, encryptedColumns), before)

    const lost = await giveUpSecrets(db, { ...both, cipher: createCipher([fresh], randomBytes) })
    t.strictSame([...(await survey(db, encryptedColumns)).keys()], [keyId(fresh)])
    const kinds = lost.map(({ holds }) => holds)
    for (const kind of ['values of variables', 'addresses and keys of alert channels', 'secrets in checks'])
      t.ok(kinds.includes(kind), kind)
    t.ok(lost.every(({ count, names }) => names.length > 0 && names.length <= Math.min(count, 20)))
  })

t.test('a backup without its key is restored, says what is lost, and the control plane starts', async (t) => {
  const [from, outside, to] = [await scratchFolder(t), await scratchFolder(t), await scratchFolder(t)]
  await loadStore(fixture, `sqlite:${join(from, 'watchpost.db')}`)
  const file = join(outside, 'bare.backup')
  const ofStore = adminHere({ DATA_DIR: from, ENCRYPTION_KEY: access.encryptionKey })
  const made = await ofStore('backup', file)
  t.equal(made.exitCode, 0, made.stderr)

  const admin = adminHere({ DATA_DIR: to })
  const refused = await admin('restore', file)
  t.match([refused.exitCode, refused.stderr], [1, /need the encryption keys [0-9a-f]{8}.*--without-secrets/])
  const restored = await admin('restore', file, '--without-secrets')
  t.equal(restored.exitCode, 0, restored.stderr)
  t.match(
    restored.stdout,
    /could not be opened and are given up; give them again:\n +\d+ values of variables: /,
  )
  t.ok(existsSync(join(to, 'encryption-key')), 'there was no key at all, and there is one')
  const checked = await admin('check', '--integrity')
  t.equal(checked.exitCode, 0, checked.stdout)

  const env = {
    BOOTSTRAP_ACCOUNT_ID: access.accountId,
    BOOTSTRAP_API_KEY: access.apiKey,
    API_REQUESTS_PER_MINUTE: '1000000',
  }
  const plane = endsWith(t, await startControlPlane({ dataDir: to, env }))
  for (const answered of answers.filter(({ status }) => status === 200)) {
    const { key } = keyFor(access.apiKey, answered)
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
    const { status } = await fetch(`${plane.url}${answered.path}`, { headers })
    // What was nothing but its secret is gone, with the links in old mails, and some times are too long ago by now.
    t.ok([200, 400, 404, 410].includes(status), `${answered.path}: ${status}`)
  }
  await plane.end('SIGTERM')
  t.equal(await plane.exitCode(), 0)
  t.notMatch(plane.output(), /"level":(50|60)/, 'nothing has failed')
})
