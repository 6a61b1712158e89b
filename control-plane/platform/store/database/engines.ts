/**
 * A row of capabilities per engine, each with its reason. Adding an engine that speaks one of the drivers' protocols is
 * a row here, the scheme of its URLs, and a URL in the test matrix.
 */
import { type Expression, type RawBuilder, sql } from 'kysely'

export type Engine = {
  /** Whose SQL, catalogue and driver it has. Whatever else rows of one name differ in is said below. */
  name: 'sqlite' | 'postgres'
  /** Several writers at once: what a change builds on must be held (`for update`, `for share`). SQLite has one writer. */
  rowLocks: boolean
  /** Claims can leave out rows that another transaction holds (`skip locked`), instead of waiting for it. */
  skipLocked: boolean
  /** A table's rows may lie in partitions that come and go by themselves; without, each period of results has tables of its own. */
  partitions: boolean
  /** Other control planes may share the store: whoever waits for a change looks again by itself. */
  shared: boolean
  /** Settings of every connection, by their names in the engine. */
  session: Readonly<Record<string, string>>
  /** Ends the definition of a table whose rows live in its primary key: a tenth more results a second on SQLite. */
  clustered: string
  /** A statement holds the whole process for as long as it takes. */
  holdsProcess: boolean
  /** A statement costs a round trip to a server: what is done for many rows is one statement (row-statement.ts). */
  roundTrips: boolean
  /** Knows how few rows lie between two bounds of a column, not between two row values: without the former it reads the whole table. */
  estimatesByColumn: boolean
  /** A table that is read along one of its indexes. SQLite would rather walk an index with all the columns than seek in a partial one with the few rows. */
  along: (table: string, index: string) => RawBuilder<unknown>
  /** `(select value …)` over a list that is given as one parameter, a JSON array (query.ts), or stands as one in a column, for `IN`. */
  textList: (list: readonly string[] | Expression<string>) => RawBuilder<string>
  /** The rows of a list that is given as one parameter, a JSON array of objects, with the types of their columns (ddl.ts). */
  rowList: (rows: readonly object[], columns: Readonly<Record<string, string>>) => RawBuilder<unknown>
  /** Case-insensitive part-of match; `pattern` already carries its % signs and escapes with a backslash. */
  containsText: (column: Expression<unknown>, pattern: string) => RawBuilder<boolean>
  /** The part of a JSON document at a path of our own (`response.status`) as text: JSON for objects and arrays, else the bare value; null if absent. */
  jsonPart: (column: Expression<unknown>, path: string) => RawBuilder<string | null>
}

/** The pattern of `containsText` for a part that is written so, whatever it is. */
export const containing = (part: string): string => `%${part.replace(/[\\%_]/g, '\\$&')}%`

/** `JSON.stringify` escapes NUL and lone surrogates, never pairs. */
const unstorableEscape = sql.lit(String.raw`\\u(0000|d[89a-f][0-9a-f]{2})`)

export const engines: Record<Engine['name'], Engine> = {
  sqlite: {
    name: 'sqlite',
    rowLocks: false,
    skipLocked: false,
    partitions: false,
    shared: false,
    holdsProcess: true,
    roundTrips: false,
    estimatesByColumn: false,
    session: {},
    clustered: 'without rowid',
    along: (table, index) => sql`${sql.ref(table)} indexed by ${sql.ref(index)}`,
    textList: (list) => sql`(select value from json_each(${list}))`,
    rowList: (rows, columns) => {
      const parts = Object.keys(columns).map(
        (column) => sql`value ->> ${sql.lit(`$.${column}`)} as ${sql.ref(column)}`,
      )
      return sql`(select ${sql.join(parts)} from json_each(${rows}))`
    },
    containsText: (column, pattern) => sql`lower(${column}) like lower(${pattern}) escape '\\'`,
    jsonPart: (column, path) => sql`json_extract(${column}, ${sql.lit(`$.${path}`)})`,
  },
  postgres: {
    name: 'postgres',
    rowLocks: true,
    skipLocked: true,
    partitions: true,
    shared: true,
    holdsProcess: false,
    roundTrips: true,
    estimatesByColumn: true,
    session: {
      // Nobody waits for ever, and no control plane that froze or vanished in a transaction keeps its locks for longer.
      statement_timeout: '10s',
      lock_timeout: '3s',
      idle_in_transaction_session_timeout: '5s',
      // A peer whose machine is gone is noticed after half a minute (PostgreSQL leaves it to the kernel: two hours).
      tcp_keepalives_idle: '10',
      tcp_keepalives_interval: '5',
      tcp_keepalives_count: '4',
      tcp_user_timeout: '30s',
    },
    clustered: '',
    along: (table) => sql.ref(table),
    textList: (list) => sql`(select jsonb_array_elements_text(cast(${list} as jsonb)))`,
    rowList: (rows, columns) => {
      const types = Object.entries(columns).map(([column, type]) => sql`${sql.ref(column)} ${sql.raw(type)}`)
      return sql`(select * from json_to_recordset(cast(${rows} as json)) as t(${sql.join(types)}))`
    },
    containsText: (column, pattern) => sql`lower(${column}) like lower(${pattern}) escape '\\'`,
    // PostgreSQL refuses a document for \u0000 or a lone surrogate in a part that nobody asks for: written otherwise first.
    jsonPart: (column, path) => {
      const storable = sql`regexp_replace(${column}, ${unstorableEscape}, ${sql.lit(String.raw`\\ufffd`)}, 'gi')`
      return sql`(cast(${storable} as json) #>> ${sql.lit(`{${path.replaceAll('.', ',')}}`)})`
    },
  },
}

/** Which row the scheme of a URL means (`DATABASE_URL`). */
export const enginesByScheme: Readonly<Record<string, Engine>> = {
  sqlite: engines.sqlite,
  postgres: engines.postgres,
  postgresql: engines.postgres,
}
