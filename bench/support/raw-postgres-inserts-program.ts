/**
 * The limit of P3 on PostgreSQL: `node raw-postgres-inserts-program.ts <from url> <to url> <rows>` copies stored results into an empty
 * store of the same schema with the driver alone, 1,000 rows a transaction, a statement a table, the columns as arrays. Prints `rows per
 * second <number>`; reading the rows and making the arrays are not timed.
 */
import pg from 'pg'

const [from = '', to = '', limit = '0'] = process.argv.slice(2)
const rowsPerTransaction = 1000
const tables = ['result_rows', 'result_docs']

const connected = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

type Insert = { text: string; values: unknown[] }

const insertsOf = async (source: pg.Client, table: string): Promise<Insert[]> => {
  const columns = await source.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  )
  const { rows } = await source.query(`select * from ${table} limit ${Number(limit)}`)
  const arrays = columns.rows.map(({ type }, n) => `$${n + 1}::${type}[]`)
  const text = `insert into ${table} select * from unnest(${arrays.join(', ')})`
  return Array.from({ length: Math.ceil(rows.length / rowsPerTransaction) }, (_, n) => {
    const some = rows.slice(n * rowsPerTransaction, (n + 1) * rowsPerTransaction)
    return { text, values: columns.rows.map(({ name }) => some.map((row) => row[name])) }
  })
}

const source = await connected(from)
const inserts: Insert[][] = []
for (const table of tables) inserts.push(await insertsOf(source, table))
await source.end()

const store = await connected(to)
const most = Math.max(...inserts.map((list) => list.length))
const startedAt = performance.now()
for (let n = 0; n < most; n++) {
  await store.query('begin')
  for (const list of inserts) {
    const insert = list[n]
    if (insert) await store.query({ name: insert.text.slice(0, 30), ...insert })
  }
  await store.query('commit')
}
const seconds = (performance.now() - startedAt) / 1000
await store.end()
const rows = inserts[0]?.reduce((sum, { values }) => sum + (values[0] as unknown[]).length, 0) ?? 0
process.stdout.write(`rows per second ${Math.round(rows / seconds)}\n`)
