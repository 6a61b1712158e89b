// Runs on both engines: it is the store itself.
import { documentQueries } from '../../../../../control-plane/platform/store/database/document-queries.ts'
import { eachDatabase } from '../../../../support/databases.ts'

const services = documentQueries('status_page_services', {
  name: 'test-service',
  key: 'id',
  columns: { name: 'changes', translations: 'changes', created_at: 'stays', updated_at: 'changes' },
})
const variables = documentQueries('variables', {
  name: 'test-variable',
  key: 'key',
  columns: {
    value: 'changes',
    locked: 'changes',
    secret: 'changes',
    created_at: 'stays',
    updated_at: 'changes',
    version: 'changes',
  },
  order: ['created_at', 'key'],
  unique: ['account_id', 'key'],
})

const service = (id: string, created_at = 1, account_id = 'mine') => ({
  id,
  account_id,
  name: `service ${id}`,
  translations: '{}',
  created_at,
  updated_at: null,
})
const plain = (rows: readonly object[]) => rows.map((row) => ({ ...row }))
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
const one = { id: 'a', accountId: 'mine' }
const another = { id: 'a', accountId: 'another' }

eachDatabase('a row is made, found, changed and deleted, by its account alone', async (t, db) => {
  t.equal(await db.run(services.insert, service('a')), 1)
  for (const read of [services.find, services.lock, services.share])
    await db.transaction(async (trx) => {
      t.strictSame(plain(await trx.all(read, one)), [service('a')], read.name)
      t.strictSame(await trx.all(read, another), [], read.name)
    })
  const changed = { ...service('a'), name: 'renamed', updated_at: 5 }
  t.equal(await db.run(services.update, { ...changed, account_id: 'another' }), 0)
  t.equal(await db.run(services.update, { ...changed, created_at: 9 }), 1)
  t.strictSame({ ...(await db.get(services.find, one)) }, changed, 'what stays is not written again')
  t.equal(await db.run(services.remove, another), 0)
  t.equal(await db.run(services.remove, one), 1)
  t.equal(await db.get(services.find, one), undefined)
})

eachDatabase('lists are of one account, in their order, by page or from a place on', async (t, db) => {
  const rows = [
    service('c', 1),
    service('b', 2),
    service('a', 2),
    service('d', 3),
    service('e', 1, 'another'),
  ]
  for (const row of rows) await db.run(services.insert, row)
  const mine = { accountId: 'mine' }
  t.strictSame(ids(await db.all(services.all, mine)), ['a', 'b', 'c', 'd'], 'by the key')
  t.strictSame(ids(await db.all(services.page, { ...mine, limit: 2, offset: 1 })), ['b', 'c'])
  t.equal(await services.count(db, 'mine'), 4)
  t.equal(await services.count(db, 'nobody'), 0)
  t.strictSame(ids(await services.after(db, 'mine', {})), ['c', 'a', 'b', 'd'], 'by creation')
  const place = { createdAt: 2, id: 'a' }
  t.strictSame(ids(await services.after(db, 'mine', { after: place, limit: 1 })), ['b'])
  await db.transaction(async (trx) => {
    const some = await trx.all(services.shareSome, { ...mine, ids: ['d', 'a', 'e', 'none'] })
    t.strictSame(ids(some), ['a', 'd'])
  })
})

eachDatabase('another key, an order of its own, and an insert that yields', async (t, db) => {
  const row = (key: string, created_at: number) => ({
    account_id: 'mine',
    key,
    value: 'sealed',
    locked: true,
    secret: false,
    created_at,
    updated_at: null,
    version: 1,
  })
  t.equal(await db.run(variables.insert, row('B', 1)), 1)
  t.equal(await db.run(variables.insert, row('A', 2)), 1)
  t.equal(await db.run(variables.insert, row('A', 3)), 0, 'the key is taken')
  t.strictSame(plain(await db.all(variables.all, { accountId: 'mine' })), [row('B', 1), row('A', 2)])
  t.strictSame({ ...(await db.get(variables.find, { accountId: 'mine', key: 'A' })) }, row('A', 2))
  t.equal(await db.run(variables.remove, { accountId: 'mine', key: 'A' }), 1)
})

eachDatabase('each query has its own name and is prepared once', async (t, { engine }) => {
  t.match(services.find.compiled(engine).statement, /^find-test-service-[0-9a-f]{16}$/)
  t.equal(services.find.compiled(engine), services.find.compiled(engine))
  const holds = /for update/.test(services.lock.compiled(engine).sql)
  t.equal(holds, engine.rowLocks, 'rows are held where the engine can')
})
