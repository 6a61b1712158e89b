// Runs on both engines: it is the store itself.
import t from 'tap'
import type { Db } from '../../../../../control-plane/platform/store/database/db.ts'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../../../../control-plane/platform/store/database/open.ts'
import { query } from '../../../../../control-plane/platform/store/database/query.ts'
import { eachDatabase, engineNames, freshDatabaseUrl } from '../../../../support/databases.ts'

const insertAccount = query('test-insert-account', (k, p: { id: string; name: string; now: number }) =>
  k.insertInto('accounts').values({ id: p.id, name: p.name, created_at: p.now, updated_at: null, doc: '{}' }),
)
const findAccount = query('test-find-account', (k, p: { id: string }) =>
  k.selectFrom('accounts').selectAll().where('id', '=', p.id),
)
const renameAccount = query('test-rename-account', (k, p: { id: string; was: string; name: string }) =>
  k.updateTable('accounts').set({ name: p.name }).where('id', '=', p.id).where('name', '=', p.was),
)
const accountsIn = query('test-accounts-in', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('accounts').select('id').where('id', 'in', engine.textList(p.ids)).orderBy('id'),
)
const takeAccount = query('test-take-account', (k, p: { id: string }) =>
  k.deleteFrom('accounts').where('id', '=', p.id).returning(['id', 'created_at']),
)

const account = (id: string, now = 1_700_000_000_123) => ({ id, name: 'first', now })

eachDatabase('a row comes back as it was written, with 64-bit instants as numbers', async (t, db) => {
  t.equal(await db.run(insertAccount, account('a')), 1)
  t.strictSame(
    { ...(await db.get(findAccount, { id: 'a' })) },
    {
      id: 'a',
      name: 'first',
      created_at: 1_700_000_000_123,
      updated_at: null,
      doc: '{}',
      shows_secrets: null,
    },
  )
  t.equal(await db.get(findAccount, { id: 'b' }), undefined)
})

eachDatabase('a compare-and-set changes one row or none', async (t, db) => {
  await db.run(insertAccount, account('a'))
  t.equal(await db.run(renameAccount, { id: 'a', was: 'first', name: 'second' }), 1)
  t.equal(await db.run(renameAccount, { id: 'a', was: 'first', name: 'third' }), 0)
})

eachDatabase('of many compare-and-sets at once exactly one wins', async (t, db) => {
  await db.run(insertAccount, account('a'))
  const names = Array.from({ length: 50 }, (_, i) => `name-${i}`)
  const changed = await Promise.all(
    names.map((name) => db.run(renameAccount, { id: 'a', was: 'first', name })),
  )
  t.equal(
    changed.reduce((sum, n) => sum + n, 0),
    1,
  )
})

eachDatabase('a list is one text parameter', async (t, db) => {
  for (const id of ['a', 'b', 'c']) await db.run(insertAccount, account(id))
  const found = await db.all(accountsIn, { ids: ['c', 'a', "x'; drop table accounts"] })
  t.strictSame(
    found.map(({ id }) => id),
    ['a', 'c'],
  )
})

const insertVariable = query('test-insert-variable', (k, p: { key: string; secret: boolean }) =>
  k.insertInto('variables').values({
    account_id: 'a',
    key: p.key,
    value: '',
    locked: false,
    secret: p.secret,
    created_at: 1,
    updated_at: null,
    version: 1,
  }),
)
const secrets = query('test-secrets', (k, p: { secret: boolean }) =>
  k.selectFrom('variables').select(['key', 'locked', 'secret']).where('secret', '=', p.secret).orderBy('key'),
)
const reveal = query('test-reveal', (k, p: { key: string }) =>
  k.updateTable('variables').set({ secret: false }).where('key', '=', p.key).returning(['key', 'secret']),
)

eachDatabase('booleans are booleans on this side of the store', async (t, db) => {
  await db.run(insertVariable, { key: 'a', secret: true })
  await db.run(insertVariable, { key: 'b', secret: false })
  const plain = (rows: object[]) => rows.map((row) => ({ ...row }))
  t.strictSame(plain(await db.all(secrets, { secret: true })), [{ key: 'a', locked: false, secret: true }])
  t.strictSame(plain(await db.all(secrets, { secret: false })), [{ key: 'b', locked: false, secret: false }])
  t.equal((await db.get(secrets, { secret: true }))?.secret, true)
  const selected = await db.select((k) => k.selectFrom('variables').selectAll().where('secret', '=', true))
  t.strictSame(
    selected.map(({ secret }) => secret),
    [true],
  )
  t.strictSame(plain(await db.all(reveal, { key: 'a' })), [{ key: 'a', secret: false }])
  t.strictSame(await db.all(secrets, { secret: true }), [])
})

eachDatabase('a boolean of an outer join that found nothing is null', async (t, db) => {
  await db.run(insertAccount, account('a'))
  const joined = await db.select((k) =>
    k
      .selectFrom('accounts as a')
      .leftJoin('variables as v', 'v.account_id', 'a.id')
      .select(['a.id', 'v.secret']),
  )
  t.strictSame(
    joined.map((row) => ({ ...row })),
    [{ id: 'a', secret: null }],
  )
})

eachDatabase('a boolean is not selected under a name that hides it', async (t, db) => {
  await t.rejects(
    db.select((k) => k.selectFrom('variables').select('secret as hidden')),
    /The boolean secret is selected as hidden/,
  )
  await t.rejects(
    db.select((k) =>
      k.updateTable('variables').set({ secret: false }).returning('variables.secret as hidden'),
    ),
    /The boolean secret is selected as hidden/,
  )
})

eachDatabase('an empty list holds nothing', async (t, db) => {
  await db.run(insertAccount, account('a'))
  t.strictSame(await db.all(accountsIn, { ids: [] }), [])
})

eachDatabase('a delete hands back what it took', async (t, db) => {
  await db.run(insertAccount, account('a', 7))
  t.strictSame(
    (await db.all(takeAccount, { id: 'a' })).map((row) => ({ ...row })),
    [{ id: 'a', created_at: 7 }],
  )
  t.strictSame(await db.all(takeAccount, { id: 'a' }), [])
})

eachDatabase('a transaction that throws undoes its own work and nobody else’s', async (t, db) => {
  const works: Array<(trx: Db) => Promise<unknown>> = [
    (trx) => trx.run(insertAccount, account('a')),
    async (trx) => {
      await trx.run(insertAccount, account('b'))
      throw new Error('changed my mind')
    },
    (trx) => trx.run(insertAccount, account('c')),
    (trx) => trx.run(insertAccount, account('a')),
  ]
  const settled = await Promise.allSettled(works.map((work) => db.transaction(work)))
  const oneOfA = [settled[0]?.status, settled[3]?.status].sort()
  t.strictSame(oneOfA, ['fulfilled', 'rejected'], 'the same key twice: one of the two')
  t.match(settled[1], { status: 'rejected', reason: { message: 'changed my mind' } })
  t.equal(settled[2]?.status, 'fulfilled')
  t.strictSame(
    (await db.select((k) => k.selectFrom('accounts').select('id').orderBy('id'))).map(({ id }) => id),
    ['a', 'c'],
  )
})

eachDatabase('a transaction that throws alone undoes all of its work', async (t, db) => {
  const thrown = db.transaction(async (trx) => {
    await trx.run(insertAccount, account('a'))
    throw new Error('changed my mind')
  })
  await t.rejects(thrown, { message: 'changed my mind' })
  await db.transaction((trx) => trx.run(insertAccount, account('b')))
  t.equal(await db.get(findAccount, { id: 'a' }), undefined)
  t.ok(await db.get(findAccount, { id: 'b' }), 'and the next one is taken')
})

eachDatabase('nobody reads what is not committed', async (t, db) => {
  let seenInside: unknown
  await db.transaction(async (trx) => {
    await trx.run(insertAccount, account('a'))
    seenInside = await db.get(findAccount, { id: 'a' })
    t.ok(await trx.get(findAccount, { id: 'a' }), 'the transaction sees its own row')
  })
  t.equal(seenInside, undefined)
  t.ok(await db.get(findAccount, { id: 'a' }))
})

eachDatabase('a parameter that is undefined is a mistake, not NULL', async (t, db) => {
  await t.rejects(db.run(insertAccount, { id: 'a', name: undefined as never, now: 1 }), /name is undefined/)
})

eachDatabase('a second migration finds nothing to do', async (t, db) => {
  t.strictSame(await migrate(db, 5), [])
})

for (const engine of engineNames)
  t.test(`two control planes that start at once migrate once (${engine})`, async (t) => {
    const url = await freshDatabaseUrl(t, engine)
    const databases = [openDatabase(url), openDatabase(url)]
    t.teardown(() => Promise.all(databases.map((db) => db.close())))
    const applied = await Promise.all(databases.map((db) => migrate(db, 1)))
    t.equal(applied.flat().length, new Set(applied.flat()).size, 'no migration ran twice')
    t.ok(applied.flat().length > 0)
  })

t.test('an unknown engine is refused by name', async (t) => {
  t.throws(() => openDatabase('mysql://localhost/x'), /sqlite: or postgres:/)
})

eachDatabase(
  'a parameter that is used in an expression is refused: it would be evaluated once',
  async (t, db) => {
    type Around = { now: number; id: string }
    const older = query('test-expression', (k, p: Around) =>
      k
        .selectFrom('accounts')
        .select('id')
        .where('created_at', '<', p.now - 1),
    )
    const named = query('test-template', (k, p: Around) =>
      k.selectFrom('accounts').select('id').where('id', 'like', `%${p.id}%`),
    )
    await t.rejects(async () => db.all(older, { now: 2, id: 'a' }), /parameter now is used in an expression/)
    await t.rejects(async () => db.all(named, { now: 2, id: 'a' }), /parameter id is used in an expression/)
  },
)
