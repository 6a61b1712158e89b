import { statSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { letFileShrink } from '../../../../../control-plane/platform/store/database/let-file-shrink.ts'
import { temporaryFolder } from '../../../../support/test-agent.ts'

/** As older versions made it: rows, most of which are gone, in a file that keeps its pages. */
const olderStore = (t: Test): string => {
  const file = join(temporaryFolder(t), 'watchpost.db')
  const connection = new BetterSqlite(file)
  connection.exec('create table rows (id integer primary key, text text)')
  const insert = connection.prepare('insert into rows (text) values (?)')
  connection.transaction(() => {
    for (let row = 0; row < 1000; row++) insert.run('x'.repeat(2000))
  })()
  connection.exec('delete from rows where id > 10')
  connection.close()
  return file
}

t.test('a file of an older version is written anew once, and shrinks from then on', async (t) => {
  const file = olderStore(t)
  const before = statSync(file).size
  t.equal(letFileShrink(file), null)
  t.ok(statSync(file).size < before / 10)
  const connection = new BetterSqlite(file)
  t.teardown(() => connection.close())
  t.equal(connection.pragma('auto_vacuum', { simple: true }), 2)
  t.equal(connection.prepare('select count(*) from rows').pluck().get(), 10)
  const written = statSync(file).mtimeMs
  t.equal(letFileShrink(file), null)
  t.equal(statSync(file).mtimeMs, written, 'nothing is left to do')
})

t.test('one that is too large, or in use, stays as it is and says how to do it by hand', async (t) => {
  const file = olderStore(t)
  const before = statSync(file).size
  t.match(
    letFileShrink(file, { limitBytes: 1000 }),
    /it has 2 MB.*sqlite3 '.*watchpost\.db' 'pragma auto_vacuum/s,
  )
  const other = new BetterSqlite(file)
  t.teardown(() => other.close())
  other.exec('begin immediate')
  t.match(letFileShrink(file, { busyMs: 0 }), /database is locked/)
  other.exec('rollback')
  t.equal(statSync(file).size, before)
  t.equal(other.prepare('select count(*) from rows').pluck().get(), 10)
})
