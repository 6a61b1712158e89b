// Runs in test:all only: it rotates the keys of a full store again and again.
import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openValue } from '../../../control-plane/access/variables/sealed-value.ts'
import { encryptedColumns } from '../../../control-plane/admin/encrypted-columns.ts'
import { type Survey, survey } from '../../../control-plane/admin/reseal.ts'
import { createCipher } from '../../../control-plane/platform/services/secrets/cipher.ts'
import {
  keysIn,
  ownEncryptionKeys,
  writeEncryptionKeys,
} from '../../../control-plane/platform/services/secrets/generated-secrets.ts'
import { openDatabase } from '../../../control-plane/platform/store/database/open.ts'
import { adminHere } from '../../support/admin-here.ts'
import { adminOf } from '../../support/admin-program.ts'
import { createAuthority } from '../../support/certificates.ts'
import { accountId, apiKey, endsWith, scratchFolder, startControlPlane } from '../../support/programs.ts'
import { sealedStore } from '../../support/sealed-store.ts'

const canary = 'canary-2f9d41c7'

const callerOf =
  (url: string) =>
  async (method: string, path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

/** Something sealed in every place that holds sealed values. */
const seed = async (url: string): Promise<void> => {
  const call = callerOf(url)
  for (let n = 0; n < 250; n += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        call('POST', '/v1/variables', { key: `SECRET_${n + i}`, value: `${canary} ${n + i}`, secret: true }),
      ),
    )
  const { key, cert } = createAuthority().issue({ altName: 'DNS:example.com' })
  await call('POST', '/v1/client-certificates', { host: 'example.com', cert, key })
  await call('POST', '/v1/private-locations', {
    name: 'Cellar',
    slugName: 'cellar',
    proxyUrl: `http://user:${canary}@proxy.example.com:3128`,
  })
  await call('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    config: { name: 'hook', url: 'https://example.com/hook', method: 'POST', webhookSecret: canary },
  })
}

/** Every sealed value anywhere in the store, by key id: the list of encrypted columns must not miss one. */
const sealedAnywhere = async (file: string): Promise<Map<string, number>> => {
  const counts = new Map<string, number>()
  const db = openDatabase(`sqlite:${file}`)
  const tables = await db.select((k) =>
    k
      .selectFrom('sqlite_master' as never)
      .select('name' as never)
      .where('type' as never, '=', 'table' as never),
  )
  for (const { name } of tables as Array<{ name: string }>) {
    const rows = await db.select((k) => k.selectFrom(name as never).selectAll())
    for (const [, id = ''] of JSON.stringify(rows).matchAll(/"v1\.([0-9a-f]{8})\.[\w-]+\\?"/g))
      counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  await db.close()
  return counts
}

const surveyOf = async (file: string): Promise<Survey> => {
  const db = openDatabase(`sqlite:${file}`)
  const found = await survey(db, encryptedColumns)
  await db.close()
  return found
}

const ofSeed = 254

const bytesOf = async (folder: string): Promise<string> => {
  const texts = await Promise.all(
    (await readdir(folder, { recursive: true })).map(async (name) => {
      const path = join(folder, name)
      return (await stat(path)).isFile() ? readFile(path, 'latin1') : ''
    }),
  )
  return texts.join('\n')
}

t.test(
  'the encryption key is rotated under a running control plane, and the old one forgotten',
  async (t) => {
    const dataDir = await scratchFolder(t)
    const file = join(dataDir, 'watchpost.db')
    const admin = adminOf({ DATA_DIR: dataDir })
    const service = endsWith(t, await startControlPlane({ dataDir }))
    const call = callerOf(service.url)
    await seed(service.url)

    const before = await sealedAnywhere(file)
    t.strictSame(await surveyOf(file), before, 'the list of encrypted columns misses nothing')
    t.equal(before.size, 1)
    const [[oldId, count] = ['', 0]] = [...before]
    t.equal(count, ofSeed, 'the canary of the key included')
    const oldKeys = await readFile(join(dataDir, 'encryption-key'), 'utf8')

    const rotating = admin('encryption-key', 'rotate', '--remove-old', '--json')
    let written = 0
    // The API's rate limit bounds how much can be written meanwhile.
    for (let done = false; !done && written < 250; written += 1) {
      await call('POST', '/v1/variables', { key: `DURING_${written}`, value: canary, secret: true })
      done = await Promise.race([
        rotating.then(() => true),
        new Promise<false>((r) => setImmediate(r, false)),
      ])
    }
    const rotated = await rotating
    t.equal(rotated.exitCode, 0, rotated.stdout + rotated.stderr)
    t.match(rotated.json, { resumed: false, removedKeyIds: [oldId] })
    t.not(rotated.json.keyId, oldId)

    const keys = keysIn(await readFile(join(dataDir, 'encryption-key'), 'utf8'))
    t.equal(keys.length, 1)
    t.equal((await stat(join(dataDir, 'encryption-key'))).mode & 0o777, 0o600)
    const after = await sealedAnywhere(file)
    t.strictSame(
      after,
      new Map([[rotated.json.keyId, ofSeed + written]]),
      'all are under the new key, none is lost',
    )

    const db = openDatabase(`sqlite:${file}`)
    const cipher = createCipher(keys, randomBytes)
    const rows = await db.select((k) =>
      k.selectFrom('variables').selectAll().where('account_id', '=', accountId),
    )
    t.equal(rows.length, 250 + written)
    t.ok(
      rows.every((row) => openValue(cipher, row).startsWith(canary)),
      'every secret is readable with the new key alone',
    )
    t.throws(() => openValue(createCipher(keysIn(oldKeys), randomBytes), rows[0]!), /needs encryption key/)
    await db.close()

    await call('PUT', '/v1/variables/SECRET_0', { value: `${canary} changed` })
    t.notOk((await bytesOf(dataDir)).includes(canary), 'no secret is in clear anywhere in the data folder')
    t.notOk(service.output().includes(canary))
    t.equal((await adminHere({ DATA_DIR: dataDir })('check')).exitCode, 0)
  },
)

t.test('a rotation that was cut off goes on; keys that are missing are named', async (t) => {
  const dataDir = await scratchFolder(t)
  const admin = adminHere({ DATA_DIR: dataDir })
  const old = [...ownEncryptionKeys(dataDir, randomBytes)()]
  await sealedStore(t, `sqlite:${join(dataDir, 'watchpost.db')}`, old[0] ?? Buffer.alloc(0))
  // As it is when a rotation is killed right after it has written the new key.
  const fresh = randomBytes(32)
  writeEncryptionKeys(dataDir, [fresh, ...old])
  const resumed = await admin('encryption-key', 'rotate', '--json')
  t.match(resumed.json, { resumed: true, resealed: 2, removedKeyIds: [] })
  t.strictSame(
    keysIn(await readFile(join(dataDir, 'encryption-key'), 'utf8')),
    [fresh, ...old],
    'no further key',
  )

  writeEncryptionKeys(dataDir, old)
  const lost = await admin('encryption-key', 'rotate')
  t.match([lost.exitCode, lost.stderr], [1, /need keys that are not here: [0-9a-f]{8} \(2\)/])
  const check = await admin('check')
  t.match([check.exitCode, check.stdout], [1, /Problem: 2 secrets need encryption key/])
})

t.test('keys that the environment gives are the operator’s to change', async (t) => {
  const dataDir = await scratchFolder(t)
  const key = randomBytes(32)
  const [one, two] = [key.toString('base64'), randomBytes(32).toString('base64')]
  await sealedStore(t, `sqlite:${join(dataDir, 'watchpost.db')}`, key)
  const alone = await adminHere({ DATA_DIR: dataDir, ENCRYPTION_KEY: one })('encryption-key', 'rotate')
  t.match([alone.exitCode, alone.stderr], [1, /ENCRYPTION_KEY is set/])
  const admin = adminHere({ DATA_DIR: dataDir, ENCRYPTION_KEY: `${two},${one}` })
  t.equal((await admin('encryption-key', 'rotate', '--remove-old')).exitCode, 1)
  t.match((await admin('encryption-key', 'rotate', '--json')).json, { resumed: true, resealed: 2 })
  t.equal((await adminHere({ DATA_DIR: dataDir, ENCRYPTION_KEY: two })('check')).exitCode, 0)
  t.strictSame((await readdir(dataDir)).includes('encryption-key'), false)
})
