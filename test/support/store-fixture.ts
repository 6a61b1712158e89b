/**
 * Stores as released versions left them, one folder each under test/fixtures/stores: the schema as that version made it, its
 * rows, and what its API answered. `node test/write-store-fixture.ts` writes the folder of this version.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import BetterSqlite from 'better-sqlite3'
import { sql } from 'kysely'
import pg from 'pg'
import { builderFor } from '../../control-plane/platform/store/database/builder.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { clusteredMark } from '../../control-plane/platform/store/database/ddl.ts'
import { type Engine, engines } from '../../control-plane/platform/store/database/engines.ts'
import { migrations } from '../../control-plane/platform/store/database/migrations/index.ts'
import { sqliteFile } from '../../control-plane/platform/store/database/open.ts'
import { uuidV7 } from '../../control-plane/platform/words/uuid.ts'

const folder = fileURLToPath(new URL('../fixtures/stores', import.meta.url))

/** What was asked for of the API, and the answer. `body` is null where it is no JSON. */
export type AnsweredRead = { path: string; withKey: boolean; status: number; type: string; body: unknown }

export type StoreAccess = { encryptionKey: string; apiKey: string; accountId: string; writtenAt: number }

export type StoreFixture = { version: string; access: StoreAccess; answers: AnsweredRead[] }

export const storeFixtures = (): StoreFixture[] =>
  readdirSync(folder)
    .toSorted()
    .map((version) => ({
      version,
      access: JSON.parse(readIn(version, 'access.json')),
      answers: readIn(version, 'answers.jsonl')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    }))

const readIn = (version: string, file: string): string => readFileSync(join(folder, version, file), 'utf8')

/** Puts the store into the empty database at `url`. */
export const loadStore = async (
  { version }: StoreFixture,
  { engine, url }: { engine: Engine['name']; url: string },
): Promise<void> => {
  const schema = readIn(version, 'schema.sql').replaceAll(clusteredMark, engines[engine].clustered)
  const script = schema + readIn(version, 'rows.sql')
  const file = sqliteFile(url)
  if (file !== null) {
    const connection = new BetterSqlite(file)
    connection.exec(script)
    connection.close()
    return
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(script).finally(() => client.end())
}

export const writeStore = async (db: Database, { version, access, answers }: StoreFixture): Promise<void> => {
  const target = join(folder, version)
  if (existsSync(target)) throw new Error(`${target} is there: what a version wrote is never written again`)
  mkdirSync(target, { recursive: true })
  const write = (file: string, text: string): void => writeFileSync(join(target, file), text)
  write('schema.sql', schema())
  write('rows.sql', (await rowsOf(db)).map((line) => `${line}\n`).join(''))
  write('access.json', `${JSON.stringify(access, null, 2)}\n`)
  write('answers.jsonl', answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''))
}

/** As this version makes it; what an engine adds to a table stands for itself (ddl.ts). */
const schema = (): string =>
  [
    'create table migrations (id text primary key, applied_at bigint not null)',
    ...migrations.flatMap(({ statements }) => statements),
  ]
    .map((text) => `${text.trim()};\n`)
    .join('')

type Value = string | number | boolean | null
type Row = Record<string, Value>

const rowsOf = async (db: Database): Promise<string[]> => {
  const lines: string[] = []
  for (const table of await sqliteTables(db)) {
    const rows = await everyRow(db, table)
    lines.push(...rows.map((row) => insertOf(table, row)).toSorted())
  }
  return lines
}

const insertOf = (table: string, row: Row): string =>
  `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.values(row).map(literal).join(', ')});`

const literal = (value: Value): string =>
  typeof value === 'string'
    ? `'${value.replaceAll("'", "''")}'`
    : String(value === null ? null : Number(value))

/** Of a SQLite store, by name. */
export const sqliteTables = async (db: Database): Promise<string[]> => {
  const text = sql<{ name: string }>`select name from sqlite_master where type = 'table' order by name`
  return (await db.select(() => ({ compile: () => text.compile(builderFor(db.engine)) }))).map(
    ({ name }) => name,
  )
}

export const everyRow = (db: Database, table: string): Promise<Row[]> =>
  db.select(() => ({
    compile: () => sql<Row>`select * from ${sql.table(table)}`.compile(builderFor(db.engine)),
  }))

/** Ids and random bytes that are the same at every run. */
export const fixedRandomness = (startMs: number) => {
  let count = 0
  const randomBytes = (size: number): Buffer => {
    const blocks: Buffer[] = []
    for (let bytes = 0; bytes < size; bytes += 32)
      blocks.push(createHash('sha256').update(`random ${count++}`).digest())
    return Buffer.concat(blocks).subarray(0, size)
  }
  const newId = (): string => {
    const hex = randomBytes(16).toString('hex')
    const uuidV4 = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
    return uuidV7(startMs + count, uuidV4)
  }
  return { randomBytes, newId }
}
