// Runs in test:all only: it migrates databases again and again.
import { Client } from 'pg'
import t from 'tap'
import { migrations } from '../../control-plane/platform/store/database/migrations.ts'
import { migratedPostgresDatabase } from './migrated-postgres.ts'
import { withConnection } from './postgres.ts'

/** What one test does: it borrows a database, uses it, and gives it back. */
const borrow = async (use: (url: string) => Promise<unknown>): Promise<string> => {
  const back: Array<() => Promise<void>> = []
  const url = await migratedPostgresDatabase(
    { teardown: (giveBack) => back.push(giveBack) },
    { leakPatienceMs: 200 },
  )
  await use(url)
  for (const giveBack of back) await giveBack()
  return url
}

const run = (url: string, statement: string) =>
  withConnection(url, (ask) => ask<Record<string, unknown>>(statement))

const nothing = async () => undefined

const addCounters = (count: number) =>
  `insert into counters (name, value) select 'c' || n, n from generate_series(1, ${count}) n`

/** Its schema is no longer its own, so that no other test gets it. */
const spoil = (url: string) => run(url, 'create table left_behind (id text)')

const addCheck = `insert into checks (id, account_id, type, name, activated, created_at, version, doc)
  values ('a', 'b', 'URL', 'n', 1, 1, 1, '{}')`

t.test('the next test finds the rows of migrations alone, be those of the last few or many', async (t) => {
  for (const count of [1, 20_000])
    await borrow(async (url) => {
      await run(url, addCounters(count))
      await run(url, addCheck)
      await run(url, 'update rollup_horizon set rollups_since = 5')
    })
  await borrow(async (url) => {
    t.strictSame(await run(url, 'select * from counters'), [])
    t.strictSame(await run(url, 'select * from checks'), [])
    t.equal((await run(url, 'select id from migrations')).length, migrations.length)
    t.match(await run(url, 'select id, rollups_since from rollup_horizon'), [{ id: 1, rollups_since: '0' }])
    await spoil(url)
  })
})

t.test('two tests at once have one each', async (t) => {
  await borrow(async (first) => {
    const second = await borrow(nothing)
    t.not(first, second)
  })
})

const changes = [
  'create table more (id text)',
  'alter table checks add column more text',
  'create index more on counters (value)',
  'delete from migrations where id = (select min(id) from migrations)',
]
for (const change of changes)
  t.test(`a database is not handed on after: ${change}`, async (t) => {
    const url = await borrow((url) => run(url, change))
    await t.rejects(run(url, 'select 1'), { code: '3D000' }, 'it is gone')
  })

t.test('a connection that the test left open is an error, and is cut', async (t) => {
  const client = { url: '', cut: Promise.resolve<unknown>(undefined) }
  const leave = async (url: string) => {
    const left = new Client({ connectionString: url })
    client.url = url
    client.cut = new Promise((resolve) => left.on('error', resolve))
    await left.connect()
  }
  await t.rejects(borrow(leave), /left a connection open/)
  t.match(await client.cut, { code: '57P01' })
  await t.rejects(run(client.url, 'select 1'), { code: '3D000' }, 'it is gone')
})
