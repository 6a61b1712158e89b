/** `watchpost store move`: a whole store from one engine to the other, also when it is killed again and again. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import BetterSqlite from 'better-sqlite3'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createCipher } from '../../../control-plane/platform/doors/secrets/cipher.ts'
import { migrate } from '../../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../../control-plane/platform/store/database/open.ts'
import { change, selectRows } from '../../../control-plane/platform/store/database/raw-sql.ts'
import { adminOf } from '../../support/admin-program.ts'
import { testApp } from '../../support/app.ts'
import { freshDatabaseUrl } from '../../support/databases.ts'
import { fillStore } from '../../support/full-store.ts'
import { prepareStore } from '../../support/prepare-store.ts'
import { scratchFolder } from '../../support/programs.ts'
import type { AnsweredRead } from '../../support/store-fixture.ts'
import { loadStore, type StoreAccess, storeFixtures } from '../../support/store-fixture.ts'
import { answersOf, keyFor, shortOf } from '../../support/store-reads.ts'
import { testsBeginAt } from '../../support/tests-begin.ts'

t.setTimeout(300_000)

const encryptionKey = randomBytes(32)

type Stage = { dataDir: string; from: string; to: string; env: Record<string, string> }

const stageOf = async (t: Test, key: string = encryptionKey.toString('base64')): Promise<Stage> => {
  const dataDir = await scratchFolder(t)
  const from = `sqlite:${join(dataDir, 'watchpost.db')}`
  const to = await freshDatabaseUrl(t, 'postgres')
  return { dataDir, from, to, env: { DATA_DIR: dataDir, DATABASE_URL: from, ENCRYPTION_KEY: key } }
}

/** What the API says of the store. */
const answersAt = async (
  t: Test,
  url: string,
  { access, reads }: { access: StoreAccess; reads: readonly Pick<AnsweredRead, 'path' | 'withKey'>[] },
) => {
  const db = openDatabase(url)
  const clock = {
    now: () => access.writtenAt,
    monotonic: () => access.writtenAt,
    sleep: async () => undefined,
  }
  const cipher = createCipher([Buffer.from(access.encryptionKey, 'base64')], randomBytes)
  const answers: unknown[] = []
  await t.test(`the API over ${db.engine.name}`, async (t) => {
    t.teardown(() => db.close())
    await migrate(db, access.writtenAt)
    const plane = await testApp(t, { parts: { db, clock, cipher } })
    for (const read of reads)
      answers.push({
        path: read.path,
        ...shortOf(await plane.call('GET', read.path, keyFor(access.apiKey, read))),
      })
  })
  return answers
}

/** A store in which everything happened, and how to ask for all of it. */
const fullStore = async (t: Test, url: string) => {
  const db = openDatabase(url)
  await prepareStore(db, testsBeginAt)
  const cipher = createCipher([encryptionKey], randomBytes)
  const plane = await testApp(t, { parts: { db, cipher } })
  const world = await fillStore(plane)
  const reads = await answersOf(world)
  plane.drain()
  await db.close()
  const access = {
    encryptionKey: encryptionKey.toString('base64'),
    apiKey: world.ownerKey,
    accountId: plane.accountId,
    writtenAt: plane.app.clock.now(),
  }
  return { access, reads }
}

for (const fixture of storeFixtures())
  t.test(`the store of ${fixture.version} answers the same on PostgreSQL`, async (t) => {
    const stage = await stageOf(t, fixture.access.encryptionKey)
    await loadStore(fixture, stage.from)
    const moved = await adminOf(stage.env)('store', 'move', '--to', stage.to, '--json')
    t.match(moved, { exitCode: 0, json: { resumed: false, mended: {} } }, moved.stderr)
    const { access, answers: reads } = fixture
    const before = await answersAt(t, stage.from, { access, reads })
    t.strictSame(await answersAt(t, stage.to, { access, reads }), before)
  })

t.test('there and back: a store in which everything happened answers the same', async (t) => {
  const stage = await stageOf(t)
  const asked = await fullStore(t, stage.from)
  const copy = `${stage.from}.copy`
  await copyFile(stage.from.slice('sqlite:'.length), copy.slice('sqlite:'.length))
  const before = await answersAt(t, copy, asked)
  const there = await adminOf(stage.env)('store', 'move', '--to', stage.to)
  t.match(there, { exitCode: 0, stdout: /both stores were read again and are the same/ }, there.stderr)
  t.match(there.stdout, /the same ENCRYPTION_KEY/)
  const again = `sqlite:${join(stage.dataDir, 'again.db')}`
  const back = await adminOf({ ...stage.env, DATABASE_URL: stage.to })('store', 'move', '--to', again)
  t.match(back, { exitCode: 0 }, back.stderr)
  t.strictSame(await answersAt(t, stage.to, asked), before)
  t.strictSame(await answersAt(t, again, asked), before)
  const sums = ({ stdout }: { stdout: string }) => stdout.split('\n').filter((line) => line.startsWith('  '))
  t.ok(sums(there).length > 30)
  t.match(there.stdout, /^ {2}result_rows_\d+ +\d+ rows/m, 'results of a period are among them')
  t.strictSame(sums(back), sums(there), 'rows and checksums are those of the first')
})

const program = fileURLToPath(new URL('../../../control-plane/admin.ts', import.meta.url))

/** Ends the program at the first line that it says, or lets it end. */
const killedMove = (env: Record<string, string>, to: string, afterMs: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'store', 'move', '--to', to], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: 'ignore',
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    })
  })

/** Ends the program as soon as `isBegun` sees what it did. True where it came to its end before. */
const moveKilledOnce = (
  env: Record<string, string>,
  to: string,
  isBegun: () => Promise<boolean>,
): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'store', 'move', '--to', to], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: 'ignore',
    })
    const look = async (): Promise<void> => {
      while (child.exitCode === null && child.signalCode === null)
        if (await isBegun()) child.kill('SIGKILL')
        else await sleep(20)
    }
    look().catch(reject)
    child.once('error', reject)
    child.once('close', (code) => resolve(code === 0))
  })

/** Accounts with long documents: many pieces. */
const fillAccounts = (url: string, count: number): void => {
  const file = new BetterSqlite(url.slice('sqlite:'.length))
  const insert = file.prepare(
    'insert into accounts (id, name, created_at, updated_at, doc) values (?, ?, ?, null, ?)',
  )
  const doc = JSON.stringify({ filling: 'x'.repeat(20_000) })
  file.transaction(() => {
    for (let n = 0; n < count; n++) insert.run(`filling-${n}`, `n ${n}`, n, doc)
  })()
  file.close()
}

t.test('killed at many moments it goes on, and no control plane starts in between', async (t) => {
  const stage = await stageOf(t)
  const db = openDatabase(stage.from)
  await migrate(db, 0).finally(() => db.close())
  fillAccounts(stage.from, 3000)
  let [kills, partly] = [0, 0]
  for (let afterMs = 600; kills < 50; afterMs *= 1.3) {
    if (await killedMove(stage.env, stage.to, afterMs)) break
    kills += 1
    const target = openDatabase(stage.to)
    const copied = await selectRows<{ copied: number }>(
      target,
      sql`select copied from store_move where name = 'accounts'`,
    ).catch(() => [])
    const rows = await selectRows<{ n: number }>(target, sql`select count(*) as n from accounts`).catch(
      () => [],
    )
    if (copied[0] !== undefined) {
      partly += 1
      t.equal(rows[0]?.n, copied[0].copied, 'rows and position are of one transaction')
      await t.rejects(migrate(target, 0), { name: 'StoreProblem', message: /store move/ })
    }
    await target.close()
  }
  t.ok(kills > 0 && partly > 0, `${kills} kills, ${partly} in the middle`)
  const target = openDatabase(stage.to)
  t.teardown(() => target.close())
  t.strictSame(await migrate(target, 0), [], 'it is a store like any other')
  const [row] = await selectRows<{ n: number }>(target, sql`select count(*) as n from accounts`)
  t.equal(row?.n, 3000)
  const left = await selectRows<{ there: boolean }>(
    target,
    sql`select to_regclass('store_move') is not null as there`,
  )
  t.strictSame(left, [{ there: false }])
})

t.test('it is refused, with the way out', async (t) => {
  const stage = await stageOf(t)
  const move = (env = {}, to = stage.to) => adminOf({ ...stage.env, ...env })('store', 'move', '--to', to)
  t.match(await move(), { exitCode: 1, stderr: /there is no store at/ })
  await fullStore(t, stage.from)
  await t.test('while the store is in use', async (t) => {
    const running = openDatabase(stage.from)
    t.teardown(() => running.close())
    t.match(await move(), { exitCode: 1, stderr: /is in use: stop the control plane/ })
  })
  t.match(await move({ ENCRYPTION_KEY: randomBytes(32).toString('base64') }), {
    exitCode: 1,
    stderr: /secrets need keys that are not here/,
  })
  t.match(await move({}, stage.from), { exitCode: 1, stderr: /names the store that DATABASE_URL names/ })
  t.match(await move({}, 'mysql://x'), { exitCode: 2, stderr: /must begin with sqlite: or postgres/ })
  const target = openDatabase(stage.to)
  t.teardown(() => target.close())
  const tables = () =>
    selectRows(target, sql`select relname from pg_class where relnamespace = current_schema()::regnamespace`)
  t.strictSame(await tables(), [], 'nothing was written by what was refused')
  await change(target, sql`create table something (id text primary key)`)
  t.match(await move(), { exitCode: 1, stderr: /tables of something else \(something\)/ })
  await change(target, sql`drop table something`)
  await migrate(target, 0)
  t.match(await move(), { exitCode: 1, stderr: /the target holds a store/ })
})

t.test('a part of another store is not filled up with this one', async (t) => {
  const stage = await stageOf(t)
  const db = openDatabase(stage.from)
  await migrate(db, 0).finally(() => db.close())
  fillAccounts(stage.from, 3000)
  const other = `sqlite:${join(stage.dataDir, 'other.db')}`
  await copyFile(stage.from.slice('sqlite:'.length), other.slice('sqlite:'.length))
  const otherDb = openDatabase(other)
  await change(otherDb, sql`update accounts set created_at = 1`).finally(() => otherDb.close())
  const target = openDatabase(stage.to)
  t.teardown(() => target.close())
  const isBegun = async () => {
    const begun = await selectRows(target, sql`select name from store_move`).catch(() => [])
    return begun.length > 0
  }
  t.notOk(await moveKilledOnce(stage.env, stage.to, isBegun), 'it was killed before its end')
  const moved = await adminOf({ ...stage.env, DATABASE_URL: other })('store', 'move', '--to', stage.to)
  t.match(moved, { exitCode: 1, stderr: /a part of another store/ })
})

t.test('what was changed between two calls is found, and said', async (t) => {
  const stage = await stageOf(t)
  const db = openDatabase(stage.from)
  await migrate(db, 0).finally(() => db.close())
  fillAccounts(stage.from, 3000)
  const target = openDatabase(stage.to)
  t.teardown(() => target.close())
  const isBegun = async () => {
    const rows = await selectRows<{ n: number }>(target, sql`select count(*) as n from accounts`).catch(
      () => [],
    )
    return (rows[0]?.n ?? 0) > 0
  }
  t.notOk(await moveKilledOnce(stage.env, stage.to, isBegun), 'it was killed before its end')
  const changed = openDatabase(stage.from)
  await change(changed, sql`update accounts set name = 'other' where id = 'filling-0'`).finally(() =>
    changed.close(),
  )
  const moved = await adminOf(stage.env)('store', 'move', '--to', stage.to)
  t.match(moved, {
    exitCode: 1,
    stderr: /accounts differs: 3000 rows with the checksum \w+ became 3000 with/,
  })
  await t.rejects(migrate(target, 0), { name: 'StoreProblem' })
})

t.test('texts that PostgreSQL cannot hold are mended, and told', async (t) => {
  const stage = await stageOf(t)
  const db = openDatabase(stage.from)
  await migrate(db, 0)
  await change(
    db,
    sql`insert into accounts (id, name, created_at, updated_at, doc) values ('one', ${'a\0b'}, 1, null, ${JSON.stringify({ a: '\0', b: '\ud800' })})`,
  ).finally(() => db.close())
  const moved = await adminOf(stage.env)('store', 'move', '--to', stage.to, '--json')
  t.match(moved, { exitCode: 0, json: { mended: { 'accounts.name': 1 } } }, moved.stderr)
  const target = openDatabase(stage.to)
  t.teardown(() => target.close())
  t.strictSame(await selectRows(target, sql`select name, doc from accounts`), [
    { name: 'a\ufffdb', doc: String.raw`{"a":"\u0000","b":"\ud800"}` },
  ])
  t.ok(existsSync(stage.from.slice('sqlite:'.length)))
})
