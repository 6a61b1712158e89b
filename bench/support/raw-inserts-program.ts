/**
 * The limit of P3: `node raw-inserts-program.ts <from.db> <to.db> <rows>` copies stored results into an empty store of
 * the same schema with the driver alone, 1,000 rows a transaction, durable (WAL, synchronous=FULL) as ours is. Prints
 * `rows per second <number>`; reading the rows is not timed.
 */
import BetterSqlite from 'better-sqlite3'

const [from = '', to = '', limit = '0'] = process.argv.slice(2)
const rowsPerTransaction = 1000

const source = new BetterSqlite(from, { readonly: true })
const rows = source.prepare('select * from results limit ?').all(Number(limit)) as Record<string, unknown>[]
source.close()

const store = new BetterSqlite(to)
store.pragma('journal_mode = WAL')
store.pragma('synchronous = FULL')
store.pragma('cache_size = -8192')
const columns = Object.keys(rows[0] ?? {})
const insert = store.prepare(
  `insert into results (${columns.join(', ')}) values (${columns.map((name) => `@${name}`).join(', ')})`,
)
const insertAll = store.transaction((part: Record<string, unknown>[]) => {
  for (const row of part) insert.run(row)
})
const startedAt = performance.now()
for (let first = 0; first < rows.length; first += rowsPerTransaction)
  insertAll.immediate(rows.slice(first, first + rowsPerTransaction))
const seconds = (performance.now() - startedAt) / 1000
store.close()
process.stdout.write(`rows per second ${Math.round(rows.length / seconds)}\n`)
