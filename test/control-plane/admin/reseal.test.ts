import { randomBytes } from 'node:crypto'
import { encryptedColumns } from '../../../control-plane/admin/encrypted-columns.ts'
import { resealAll, survey } from '../../../control-plane/admin/reseal.ts'
import { checkContext } from '../../../control-plane/monitoring/definitions/checks/sealed-settings.ts'
import { createCipher, keyId } from '../../../control-plane/platform/services/secrets/cipher.ts'
import { query } from '../../../control-plane/platform/store/database/query.ts'
import { eachDatabase } from '../../support/databases.ts'

const insertCheck = query('test-insert-sealed-check', (k, p: { id: string; doc: string }) =>
  k.insertInto('checks').values({
    id: p.id,
    account_id: 'account',
    type: 'API',
    name: p.id,
    activated: true,
    group_id: null,
    created_at: 0,
    updated_at: null,
    version: 1,
    doc: p.doc,
  }),
)
const readDoc = query('test-read-doc', (k, p: { id: string }) =>
  k.selectFrom('checks').select(['doc', 'version']).where('id', '=', p.id),
)

eachDatabase('sealed values inside a doc move to the first key, everything else stays', async (t, db) => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
  const old = createCipher([oldKey], randomBytes)
  const both = createCipher([newKey, oldKey], randomBytes)
  const context = checkContext('c1')
  const lookalike = `v1.${keyId(oldKey)}.AAAA`
  const doc = {
    name: lookalike,
    environmentVariables: [
      { key: 'PLAIN', value: lookalike, locked: false, secret: false },
      { key: 'SECRET', sealed: old.encrypt('one', context), locked: false, secret: true },
    ],
    request: {
      headers: [{ key: 'x', sealed: old.encrypt('two', context), locked: true }],
      queryParameters: [],
      basicAuth: { username: 'u', sealed: old.encrypt('three', context) },
      grpcConfig: { metadata: [{ key: 'm', sealed: old.encrypt('four', context), locked: true }] },
    },
  }
  await db.run(insertCheck, { id: 'c1', doc: JSON.stringify(doc) })
  await db.run(insertCheck, { id: 'c2', doc: JSON.stringify({ environmentVariables: null, request: 'x' }) })
  t.strictSame(await survey(db, encryptedColumns), new Map([[keyId(oldKey), 4]]))

  const work = { cipher: both, firstKeyId: keyId(newKey), columns: encryptedColumns }
  t.equal(await resealAll(db, work), 1, 'one row')
  t.equal(await resealAll(db, work), 0, 'a second time there is nothing to do')
  t.strictSame(await survey(db, encryptedColumns), new Map([[keyId(newKey), 4]]))

  const row = await db.get(readDoc, { id: 'c1' })
  const after = JSON.parse(row?.doc ?? '')
  const fresh = createCipher([newKey], randomBytes)
  t.equal(fresh.decrypt(after.environmentVariables[1].sealed, context), 'one')
  t.equal(fresh.decrypt(after.request.headers[0].sealed, context), 'two')
  t.equal(fresh.decrypt(after.request.basicAuth.sealed, context), 'three')
  t.equal(fresh.decrypt(after.request.grpcConfig.metadata[0].sealed, context), 'four')
  t.equal(after.name, lookalike)
  t.strictSame(
    after.environmentVariables[0],
    doc.environmentVariables[0],
    'text that looks sealed is only text',
  )
  t.equal(row?.version, 1)
})

eachDatabase('a value that was sealed for another row is an error, not a silent loss', async (t, db) => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
  const sealed = createCipher([oldKey], randomBytes).encrypt('secret', checkContext('another'))
  const doc = JSON.stringify({ environmentVariables: [{ key: 'A', sealed, locked: true }] })
  await db.run(insertCheck, { id: 'c1', doc })
  const cipher = createCipher([newKey, oldKey], randomBytes)
  await t.rejects(resealAll(db, { cipher, firstKeyId: keyId(newKey), columns: encryptedColumns }))
  t.equal((await db.get(readDoc, { id: 'c1' }))?.doc, doc)
})
