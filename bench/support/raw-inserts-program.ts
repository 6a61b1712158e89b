/**
 * The limit of P3: `node raw-inserts-program.ts <from.db> <to.db> <rows>` copies stored results into an empty store of
 * the same schema with the driver alone, 1,000 rows a transaction, durable (WAL, synchronous=FULL) as ours is. Prints
 * `rows per second <number>`; reading the rows is not timed.
 */
import BetterSqlite from 'better-sqlite3'

const [from = '', to = '', limit = '0'] = process.argv.slice(2)
const rowsPerTransaction = 1000

const source = new BetterSqlite(from, { readonly: true })
type Row = Record<string, unknown>
const tables = source
  .prepare(
    "select name from sqlite_master where type = 'table' and (name glob 'result_rows_[0-9]*' or name glob 'result_docs_[0-9]*')",
  )
  .pluck()
  .all() as string[]
const rowsOf = (name: string): Row[] =>
  source.prepare(`select * from ${name} limit ?`).all(Number(limit)) as Row[]
const lists = tables.map((name) => ({ name, rows: rowsOf(name) })).filter(({ rows }) => rows.length > 0)
source.close()

const store = new BetterSqlite(to)
store.pragma('journal_mode = WAL')
store.pragma('synchronous = FULL')
store.pragma('cache_size = -8192')
const inserts = lists.map(({ name, rows }) => {
  const columns = Object.keys(rows[0] ?? {})
  const values = columns.map((column) => `@${column}`).join(', ')
  return { rows, insert: store.prepare(`insert into ${name} (${columns.join(', ')}) values (${values})`) }
})
const most = Math.max(0, ...lists.map(({ rows }) => rows.length))
const insertAll = store.transaction((first: number) => {
  for (const { rows, insert } of inserts)
    for (const row of rows.slice(first, first + rowsPerTransaction)) insert.run(row)
})
const startedAt = performance.now()
for (let first = 0; first < most; first += rowsPerTransaction) insertAll.immediate(first)
const seconds = (performance.now() - startedAt) / 1000
store.close()
process.stdout.write(`rows per second ${Math.round(most / seconds)}\n`)
