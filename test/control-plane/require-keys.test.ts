// Runs on both engines: of two that start at once on a new store, one is in conflict with the other's canary.
/** Another encryption key is refused by every store that was started once, whether it has secrets or none. */
import { randomBytes } from 'node:crypto'
import { contextOf } from '../../control-plane/access/credentials/second-factor.ts'
import { encryptedColumns } from '../../control-plane/admin/encrypted-columns.ts'
import { resealAll } from '../../control-plane/admin/reseal.ts'
import { createCipher, keyId } from '../../control-plane/platform/services/secrets/cipher.ts'
import { deleteCanary } from '../../control-plane/platform/services/secrets/key-canary.ts'
import { UnusableStoreError } from '../../control-plane/platform/store/database/unusable-store-error.ts'
import { requireKeys } from '../../control-plane/require-keys.ts'
import { eachEngine, type TestApp } from '../support/app.ts'

const startWith = ({ app }: TestApp, ...keys: Buffer[]): Promise<void> =>
  requireKeys({ db: app.db, config: app.config, cipher: createCipher(keys, randomBytes) })

const canaries = ({ app }: TestApp) => app.db.select((k) => k.selectFrom('key_canaries').selectAll())

eachEngine('a store without a secret refuses another key', async (t, plane) => {
  const [own, other] = [randomBytes(32), randomBytes(32)]
  await startWith(plane, own)
  const planted = await canaries(plane)
  t.equal(planted.length, 1)
  await startWith(plane, own)
  t.strictSame(await canaries(plane), planted, 'it is planted once')
  await t.rejects(startWith(plane, other), {
    name: 'UnusableStoreError',
    message: /does not fit the store.*key_canaries.*Put that key back/,
  })
  await startWith(plane, other, own)
  t.strictSame(await canaries(plane), planted, 'a key that is put in front changes nothing yet')
})

eachEngine('it moves with a rotation, and then the old key is not needed', async (t, plane) => {
  const [own, next] = [randomBytes(32), randomBytes(32)]
  await startWith(plane, own)
  const cipher = createCipher([next, own], randomBytes)
  const work = { cipher, firstKeyId: keyId(next), columns: encryptedColumns }
  t.equal(await resealAll(plane.app.db, work), 1)
  await startWith(plane, next)
  await t.rejects(startWith(plane, own), UnusableStoreError)
})

eachEngine('a store that has none yet gets it only from a key that opens its secrets', async (t, plane) => {
  const [own, other] = [randomBytes(32), randomBytes(32)]
  const cipher = createCipher([own], randomBytes)
  await plane.app.db.run(deleteCanary, {})
  await plane.app.db.execute((k) =>
    k.insertInto('user_totp').values({
      ...{ user_id: 'somebody', sealed_secret: cipher.encrypt('secret', contextOf('somebody')) },
      ...{ confirmed_at: null, used_step: 0 },
    }),
  )
  await t.rejects(startWith(plane, other), { message: /its table user_totp/ })
  t.strictSame(await canaries(plane), [], 'nothing was changed')
  await startWith(plane, own)
  t.equal((await canaries(plane)).length, 1)
})

eachEngine('of two first starts with two keys one is refused', async (t, plane) => {
  const ends = await Promise.allSettled([
    startWith(plane, randomBytes(32)),
    startWith(plane, randomBytes(32)),
  ])
  t.strictSame(ends.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
})
