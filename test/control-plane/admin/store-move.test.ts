// Runs in test:all only: its programs are killed again and again.
/** `watchpost store move`: a whole store from one engine to the other, also when it is killed again and again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import BetterSqlite from 'better-sqlite3'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { realClock } from '../../../agent/program/real-io.ts'
import { createCipher } from '../../../control-plane/platform/services/secrets/cipher.ts'
import type { Database } from '../../../control-plane/platform/store/database/db.ts'
import { migrate } from '../../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../../control-plane/platform/store/database/open.ts'
import { change, selectRows } from '../../../control-plane/platform/store/database/raw-sql.ts'
import { adminHere } from '../../support/admin-here.ts'
import { adminOf } from '../../support/admin-program.ts'
import { testApp } from '../../support/app.ts'
import { compileCache } from '../../support/compile-cache.ts'
import { freshDatabaseUrl } from '../../support/databases.ts'
import { fillStore } from '../../support/full-store.ts'
import { type KilledAt, killedAtVariable } from '../../support/killed-at.ts'
import { runsIn } from '../../support/length.ts'
import { prepareStore } from '../../support/prepare-store.ts'
import { scratchFolder } from '../../support/programs.ts'
import { sealedStore } from '../../support/sealed-store.ts'
import type { AnsweredRead } from '../../support/store-fixture.ts'
import { loadStore, type StoreAccess, storeFixtures } from '../../support/store-fixture.ts'
import { answersOf, keyFor, shortOf } from '../../support/store-reads.ts'
import { testsBeginAt } from '../../support/tests-begin.ts'

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
    sleep: realClock().sleep,
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
    const moved = await adminHere(stage.env)('store', 'move', '--to', stage.to, '--json')
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
  const back = await adminHere({ ...stage.env, DATABASE_URL: stage.to })('store', 'move', '--to', again)
  t.match(back, { exitCode: 0 }, back.stderr)
  // The store above is asked on PostgreSQL, too; what is asked of this one came through it.
  if (runsIn('long')) t.strictSame(await answersAt(t, stage.to, asked), before)
  t.strictSame(await answersAt(t, again, asked), before)
  const sums = ({ stdout }: { stdout: string }) => stdout.split('\n').filter((line) => line.startsWith('  '))
  t.ok(sums(there).length > 30)
  t.match(there.stdout, /^ {2}result_rows_\d+ +\d+ rows/m, 'results of a period are among them')
  t.strictSame(sums(back), sums(there), 'rows and checksums are those of the first')
})

const program = fileURLToPath(new URL('../../../control-plane/admin.ts', import.meta.url))

const killing = new URL('../../support/killed-at-statement.ts', import.meta.url).href

type Start = { nodeArgs?: string[]; more?: Record<string, string> }

const startMove = ({ env, to }: Stage, { nodeArgs = [], more = {} }: Start = {}): ChildProcess =>
  spawn(process.execPath, [...nodeArgs, program, 'store', 'move', '--to', to], {
    env: { PATH: process.env['PATH'] ?? '', ...compileCache(), ...env, ...more },
    stdio: 'ignore',
  })

/** True where it came to its end by itself. */
const hasEnded = async (child: ChildProcess): Promise<boolean> => {
  const [code] = await once(child, 'close')
  return code === 0
}

/** Ends the program just before that statement is sent to the target. */
const killedMove = (stage: Stage, at: KilledAt): Promise<boolean> =>
  hasEnded(
    startMove(stage, { nodeArgs: ['--import', killing], more: { [killedAtVariable]: JSON.stringify(at) } }),
  )

const killedAfter = async (stage: Stage, afterMs: number): Promise<boolean> => {
  const child = startMove(stage)
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  return hasEnded(child).finally(() => clearTimeout(timer))
}

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

/** Three pieces: ten rows, four megabytes, and what is left. */
const accounts = 250

/** The steps of a move in their order, each by a statement that only it has. */
const steps: Record<string, KilledAt> = {
  'while it writes down whose store comes': { statement: '^insert into "store_move"', time: 1 },
  'before the first table': { statement: '^create table accounts', time: 1 },
  'before the first period': { statement: 'attach partition', time: 1 },
  'in the first piece': { statement: '^insert into "accounts"', time: 1 },
  'in a later piece': { statement: '^insert into "accounts"', time: 3 },
  'between two tables': { statement: '^delete from "api_keys"', time: 1 },
  'while both are read again': { statement: '^select .* from "accounts" .*order by', time: 1 },
  'while it ends': { statement: '^delete from migrations', time: 1 },
}

type Seen = { rows: number; copied: number | null }

/** What the target has of the accounts after a kill. */
const seenIn = async (target: Database): Promise<Seen> => {
  const [progress] = await selectRows<{ copied: number }>(
    target,
    sql`select copied from store_move where name = 'accounts'`,
  ).catch(() => [])
  const [row] = await selectRows<{ n: number }>(target, sql`select count(*) as n from accounts`).catch(
    () => [],
  )
  return { rows: row?.n ?? 0, copied: progress?.copied ?? null }
}

t.test('killed at many moments it goes on, and no control plane starts in between', async (t) => {
  const stage = await stageOf(t)
  const db = openDatabase(stage.from)
  await prepareStore(db, testsBeginAt).finally(() => db.close())
  fillAccounts(stage.from, accounts)
  const target = openDatabase(stage.to)
  t.teardown(() => target.close())
  const copied: Record<string, number | null> = {}
  for (const [step, at] of Object.entries(steps)) {
    t.notOk(await killedMove(stage, at), `it was killed ${step}`)
    const seen = await seenIn(target)
    copied[step] = seen.copied
    if (seen.copied !== null) t.equal(seen.rows, seen.copied, 'rows and position are of one transaction')
    if (step !== 'while it writes down whose store comes')
      await t.rejects(migrate(target, 0), { name: 'UnusableStoreError', message: /store move/ }, step)
  }
  const partly = copied['in a later piece'] ?? 0
  t.ok(partly > 0 && partly < accounts, `${partly} in the middle`)
  t.match(copied, {
    'before the first period': null,
    'in the first piece': 0,
    'between two tables': accounts,
    'while it ends': accounts,
  })
  const moved = await adminHere(stage.env)('store', 'move', '--to', stage.to, '--json')
  t.match(moved, { exitCode: 0, json: { resumed: true } }, moved.stderr)
  t.strictSame(await migrate(target, 0), [], 'it is a store like any other')
  const [row] = await selectRows<{ n: number }>(target, sql`select count(*) as n from accounts`)
  t.equal(row?.n, accounts)
  const left = await selectRows<{ there: boolean }>(
    target,
    sql`select to_regclass('store_move') is not null as there`,
  )
  t.strictSame(left, [{ there: false }])
})

if (runsIn('long'))
  t.test('killed at moments of the clock it goes on as well', async (t) => {
    const stage = await stageOf(t)
    const db = openDatabase(stage.from)
    await prepareStore(db, testsBeginAt).finally(() => db.close())
    fillAccounts(stage.from, 3000)
    const target = openDatabase(stage.to)
    t.teardown(() => target.close())
    let kills = 0
    for (let afterMs = 600; !(await killedAfter(stage, afterMs)); afterMs *= 1.3) {
      kills += 1
      const { rows, copied } = await seenIn(target)
      if (copied === null) continue
      t.equal(rows, copied, 'rows and position are of one transaction')
      await t.rejects(migrate(target, 0), { name: 'UnusableStoreError', message: /store move/ })
    }
    t.comment(`${kills} kills`)
    t.equal((await seenIn(target)).rows, 3000)
  })

t.test('it is refused, with the way out', async (t) => {
  const stage = await stageOf(t)
  const move = (env = {}, to = stage.to) => adminHere({ ...stage.env, ...env })('store', 'move', '--to', to)
  t.match(await move(), { exitCode: 1, stderr: /there is no store at/ })
  await sealedStore(t, stage.from, encryptionKey)
  await t.test('while the store is in use', async (t) => {
    const running = openDatabase(stage.from)
    t.teardown(() => running.close())
    t.match(await adminOf(stage.env)('store', 'move', '--to', stage.to), {
      exitCode: 1,
      stderr: /is in use: stop the control plane/,
    })
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
  fillAccounts(stage.from, 1)
  const other = `sqlite:${join(stage.dataDir, 'other.db')}`
  await copyFile(stage.from.slice('sqlite:'.length), other.slice('sqlite:'.length))
  const otherDb = openDatabase(other)
  await change(otherDb, sql`update accounts set created_at = 1`).finally(() => otherDb.close())
  const target = openDatabase(stage.to)
  t.teardown(() => target.close())
  t.notOk(
    await killedMove(stage, { statement: '^create table accounts', time: 1 }),
    'it was killed before its end',
  )
  const moved = await adminHere({ ...stage.env, DATABASE_URL: other })('store', 'move', '--to', stage.to)
  t.match(moved, { exitCode: 1, stderr: /a part of another store/ })
})

t.test('what was changed between two calls is found, and said', async (t) => {
  const stage = await stageOf(t)
  const db = openDatabase(stage.from)
  await migrate(db, 0).finally(() => db.close())
  fillAccounts(stage.from, accounts)
  const target = openDatabase(stage.to)
  t.teardown(() => target.close())
  t.notOk(
    await killedMove(stage, { statement: '^insert into "accounts"', time: 2 }),
    'it was killed before its end',
  )
  const changed = openDatabase(stage.from)
  await change(changed, sql`update accounts set name = 'other' where id = 'filling-0'`).finally(() =>
    changed.close(),
  )
  const moved = await adminHere(stage.env)('store', 'move', '--to', stage.to)
  t.match(moved, {
    exitCode: 1,
    stderr: new RegExp(`accounts differs: ${accounts} rows with the checksum \\w+ became ${accounts} with`),
  })
  await t.rejects(migrate(target, 0), { name: 'UnusableStoreError' })
})

t.test('texts that PostgreSQL cannot hold are mended, and told', async (t) => {
  const stage = await stageOf(t)
  const db = openDatabase(stage.from)
  await migrate(db, 0)
  await change(
    db,
    sql`insert into accounts (id, name, created_at, updated_at, doc) values ('one', ${'a\0b'}, 1, null, ${JSON.stringify({ a: '\0', b: '\ud800' })})`,
  ).finally(() => db.close())
  const moved = await adminHere(stage.env)('store', 'move', '--to', stage.to, '--json')
  t.match(moved, { exitCode: 0, json: { mended: { 'accounts.name': 1 } } }, moved.stderr)
  const target = openDatabase(stage.to)
  t.teardown(() => target.close())
  t.strictSame(await selectRows(target, sql`select name, doc from accounts`), [
    { name: 'a\ufffdb', doc: String.raw`{"a":"\u0000","b":"\ud800"}` },
  ])
  t.ok(existsSync(stage.from.slice('sqlite:'.length)))
})
