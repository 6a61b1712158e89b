import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { builderFor } from '../../../../../control-plane/platform/store/database/builder.ts'
import { clearFreePages } from '../../../../../control-plane/platform/store/database/clear-free-pages.ts'
import type { Database, Db } from '../../../../../control-plane/platform/store/database/db.ts'
import { migrate } from '../../../../../control-plane/platform/store/database/migrate.ts'
import { openDatabase } from '../../../../../control-plane/platform/store/database/open.ts'
import { testApp } from '../../../../support/app.ts'
import { eachDatabase, engineNames } from '../../../../support/databases.ts'

const statement = (db: Db, raw: ReturnType<typeof sql>) =>
  db.execute(() => ({ compile: () => raw.compile(builderFor(db.engine)) }))

/** As a store that never had the migration, which is then made once more. */
const migrateAgain = async (db: Database): Promise<void> => {
  await statement(db, sql`delete from migrations where id = '0022-webhook-addresses'`)
  t.strictSame(await migrate(db, 1), ['0022-webhook-addresses'])
}

const flags = { sendFailure: true, sendDegraded: false, autoSubscribe: false }

const addChannel = (db: Db, id: number, config: object, sealed = 'sealed') =>
  statement(
    db,
    sql`insert into alert_channels values (${id}, 'a', 'WEBHOOK', 0, 1, null, 1, ${JSON.stringify({ ...flags, config })}, ${sealed})`,
  )

const addNotification = (db: Db, id: string, doc: object) =>
  statement(
    db,
    sql`insert into alert_notifications (id, account_id, channel_id, type, check_id, check_type, check_alert_id,
          check_result_id, status, sent_at, created_at, doc, due_at, claimed_until, claims, tries, sequence, event)
        values (${id}, 'a', 1, 'WEBHOOK', 'c', 'URL', '', '', 'FAILURE', 1, 1, ${JSON.stringify(doc)}, null, 0, 1, 1, 1, '')`,
  )

const docsOf = async (db: Database, table: 'alert_channels' | 'alert_notifications') =>
  (await db.select((k) => k.selectFrom(table).select(['id', 'doc']).orderBy('id'))).map(({ doc }) =>
    JSON.parse(doc),
  )

const shownBefore: [before: string, after: string][] = [
  ['https://hooks.example/in/abc', 'https://hooks.example/***'],
  ['https://hooks.example/in/abcdefghijkl', 'https://hooks.example/***'],
  ['https://***@hooks.example:8443/in?token=***&x=abcdefghijkl', 'https://***@hooks.example:8443/***'],
  ['https://***@hooks.example/***', 'https://***@hooks.example/***'],
  ['https://{{HOST}}/in/abc', 'https://***'],
  ['{{#if A}}https://hooks.example/in/abc{{/if}}', 'https://***'],
  ['https://hooks.example/in?token=***', 'https://hooks.example/***'],
  ['https://discord.com/***mnop', 'https://discord.com/***mnop'],
  ['https://hooks.example', 'https://hooks.example'],
  ['{{HOOK}}', '{{HOOK}}'],
]

eachDatabase('addresses that were shown become their masks, wherever they were copied to', async (t, db) => {
  const rest = { name: 'hook', headers: [{ key: 'a', value: '***', locked: true }] }
  for (const [position, [url]] of shownBefore.entries()) {
    await addChannel(db, position, { ...rest, url })
    const notificationResult = 'HTTP 404: Cannot POST /in/abc and /in/abcdefghijkl'
    await addNotification(db, `n${position}`, { alertConfig: { ...rest, url }, notificationResult })
  }
  await addChannel(db, 90, { address: 'ops@example.com' })
  await addNotification(db, 'n90', { alertConfig: { address: 'ops@example.com' }, notificationResult: null })
  await migrateAgain(db)
  const channels = await docsOf(db, 'alert_channels')
  const notifications = await docsOf(db, 'alert_notifications')
  for (const [position, [before, url]] of shownBefore.entries()) {
    t.strictSame(channels[position], { ...flags, config: { ...rest, url } }, before)
    t.strictSame(notifications[position].alertConfig, { ...rest, url }, before)
  }
  t.equal(notifications[0].notificationResult, 'HTTP 404: Cannot POST *** and ***defghijkl')
  t.equal(notifications[7].notificationResult, 'HTTP 404: Cannot POST /in/abc and /in/abcdefghijkl')
  t.strictSame(channels.at(-1), { ...flags, config: { address: 'ops@example.com' } })
  t.strictSame(notifications.at(-1).alertConfig, { address: 'ops@example.com' })
  await migrateAgain(db)
  t.strictSame(await docsOf(db, 'alert_channels'), channels, 'once more changes nothing')
  t.strictSame(await docsOf(db, 'alert_notifications'), notifications)
})

eachDatabase('more rows than are read at once are all changed', async (t, db) => {
  const url = 'https://hooks.example/in'
  const many = Array.from({ length: 1203 }, (_, n) => `n${n}`)
  await db.transaction(async (trx) => {
    for (const id of many) await addNotification(trx, id, { alertConfig: { url }, notificationResult: null })
  })
  await migrateAgain(db)
  const shown = (await docsOf(db, 'alert_notifications')).map(({ alertConfig }) => alertConfig.url)
  t.equal(shown.length, many.length)
  t.strictSame([...new Set(shown)], ['https://hooks.example/***'])
})

for (const engine of engineNames)
  t.test(
    `a channel that was shown otherwise before reads and comes back as any other (${engine})`,
    async (t) => {
      const { app, call, addKey, accountId } = await testApp(t, { engine })
      const config = { name: 'w', url: 'https://hooks.example/in?token=abcdefghijkl' }
      const { id } = (await call('POST', '/v1/alert-channels', { body: { type: 'WEBHOOK', config } })).body
      const doc = JSON.stringify({
        ...flags,
        config: { ...config, url: 'https://hooks.example/in?token=***' },
      })
      await statement(app.db as Database, sql`update alert_channels set doc = ${doc} where id = ${id}`)
      await migrateAgain(app.db as Database)
      const { apiKey: reader } = await addKey({ accountId, role: 'READ_ONLY' })
      const path = `/v1/alert-channels/${id}`
      t.equal((await call('GET', path)).body.config.url, config.url)
      const shown = (await call('GET', path, { key: reader })).body.config
      t.equal(shown.url, 'https://hooks.example/***ijkl')
      t.equal(
        (await call('PUT', path, { body: { type: 'WEBHOOK', config: shown } })).body.config.url,
        config.url,
      )
    },
  )

const canary = `canary${randomBytes(12).toString('hex')}`

const storeWithLeftovers = async (t: Test): Promise<{ folder: string; file: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'watchpost-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'watchpost.db')
  const db = openDatabase(`sqlite:${file}`)
  await migrate(db, 0)
  const url = `https://hooks.example/in/${canary}`
  await addChannel(db, 1, { url })
  await db.transaction(async (trx) => {
    for (let n = 0; n < 300; n++)
      await addNotification(trx, `n${n}`, { alertConfig: { url }, notificationResult: 'x'.repeat(n) })
  })
  await statement(db, sql`delete from alert_notifications where id like '%3'`)
  await db.close()
  return { folder, file }
}

const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text))

t.test('after the migration no byte of the address is left in the files of a store', async (t) => {
  const { folder, file } = await storeWithLeftovers(t)
  t.strictSame(filesWith(folder, canary), ['watchpost.db'], 'it is there before')
  const db = openDatabase(`sqlite:${file}`)
  await migrateAgain(db)
  t.not(filesWith(folder, canary).length, 0, 'and still is in pages that nothing uses')
  t.equal(clearFreePages(file), null)
  t.strictSame(filesWith(folder, canary), [], 'nowhere, while the store is in use')
  t.equal((await docsOf(db, 'alert_notifications')).length, 270, 'and the store goes on')
  await addChannel(db, 2, { url: '{{HOOK}}' })
  await db.close()
  t.strictSame(filesWith(folder, canary), [])
  const before = statSync(file).mtimeMs
  t.equal(clearFreePages(file), null)
  t.equal(statSync(file).mtimeMs, before, 'once is enough')
})

t.test('a store that is too large is left as it is, and the operator told how', async (t) => {
  const { folder, file } = await storeWithLeftovers(t)
  const advice = clearFreePages(file, { limitBytes: 1000 })
  t.match(advice, /were not cleared \(it has \d+ MB\).*sqlite3 '.*watchpost\.db' 'vacuum; /)
  t.strictSame(filesWith(folder, canary), ['watchpost.db'])
  t.equal(clearFreePages(file), null)
})

t.test('what cannot be done now is told and done the next time', async (t) => {
  const { file } = await storeWithLeftovers(t)
  const reading = new BetterSqlite(file)
  t.teardown(() => reading.close())
  reading.exec('begin immediate')
  t.match(clearFreePages(file, { busyMs: 1 }), /were not cleared \(database is locked\)/)
  reading.exec('commit')
  t.equal(clearFreePages(file), null)
})
