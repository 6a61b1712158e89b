/**
 * Stores as released versions left them, one folder each under test/fixtures/stores: the schema as that version made it on each engine, its
 * rows, and what its API answered. `node test/write-store-fixture.ts` writes the folder of this version.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import type { PortableValue } from '../../control-plane/admin/store-move/portable-row.ts'
import { insertRows, rowsFrom } from '../../control-plane/admin/store-move/table-rows.ts'
import { tableShapes } from '../../control-plane/admin/store-move/table-shapes.ts'
import { builderFor } from '../../control-plane/platform/store/database/builder.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { clusteredMark } from '../../control-plane/platform/store/database/ddl.ts'
import { type Engine, engines } from '../../control-plane/platform/store/database/engines.ts'
import { migrations } from '../../control-plane/platform/store/database/migrations.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { change, selectRows } from '../../control-plane/platform/store/database/raw-sql.ts'
import {
  createPartition,
  createPeriodTables,
  resultTables,
} from '../../control-plane/platform/store/database/schema/period-tables.ts'
import { firstIdAt, uuidV7 } from '../../control-plane/platform/words/uuid.ts'

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

type StoredRow = [table: string, row: Record<string, PortableValue>]

/** Puts the store into the empty database at `url`. */
export const loadStore = async ({ version }: StoreFixture, url: string): Promise<void> => {
  const db = openDatabase(url)
  try {
    for (const statement of readIn(version, `schema.${db.engine.name}.sql`).split(';\n'))
      if (statement !== '') await change(db, sql.raw(statement))
    const rows: StoredRow[] = readIn(version, 'rows.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const shapes = new Map((await tableShapes(db)).map((shape) => [shape.name, shape]))
    for (const [table, own] of Map.groupBy(rows, ([table]) => table)) {
      const shape = shapes.get(table)
      if (shape === undefined) throw new Error(`The schema of ${version} has no table ${table}`)
      const portable = own.map(([, row]) => shape.columns.map(({ name }) => row[name] ?? null))
      await db.transaction((trx) => insertRows(trx, shape, portable))
    }
  } finally {
    await db.close()
  }
}

export const writeStore = async (db: Database, { version, access, answers }: StoreFixture): Promise<void> => {
  const target = join(folder, version)
  if (existsSync(target)) throw new Error(`${target} is there: what a version wrote is never written again`)
  mkdirSync(target, { recursive: true })
  const write = (file: string, lines: readonly string[]): void =>
    writeFileSync(join(target, file), lines.map((line) => `${line}\n`).join(''))
  const periods = await everyPeriod(db)
  for (const engine of Object.values(engines)) write(`schema.${engine.name}.sql`, schemaOf(engine, periods))
  write('rows.jsonl', await rowsOf(db))
  write('access.json', [JSON.stringify(access, null, 2)])
  write(
    'answers.jsonl',
    answers.map((answer) => JSON.stringify(answer)),
  )
}

type Period = { n: number; from_at: number; to_at: number }

const everyPeriod = (db: Database): Promise<Period[]> =>
  selectRows<Period>(db, sql`select n, from_at, to_at from result_periods order by n`)

/** As this version makes it. */
const schemaOf = (engine: Engine, periods: readonly Period[]): string[] =>
  [
    'create table migrations (id text primary key, applied_at bigint not null)',
    ...migrations.flatMap(({ statements }) => statements(engine)),
    ...periods.flatMap(({ n, from_at, to_at }) =>
      engine.partitions
        ? resultTables.flatMap((table) =>
            createPartition(table, `_${n}`, { firstId: firstIdAt(from_at), endId: firstIdAt(to_at) }),
          )
        : createPeriodTables(engine.name, `_${n}`),
    ),
  ]
    .filter((text) => /^(create|alter) /.test(text))
    .map((text) => `${text.replace(clusteredMark, engine.clustered).trim()};`)

const rowsOf = async (db: Database): Promise<string[]> => {
  const lines: string[] = []
  for (const shape of await tableShapes(db))
    for await (const { rows } of rowsFrom(db, shape, null))
      for (const row of rows) {
        const named = Object.fromEntries(shape.columns.map(({ name }, n) => [name, row[n]]))
        lines.push(JSON.stringify([shape.name, named]))
      }
  return lines
}

type Value = string | number | boolean | null
type Row = Record<string, Value>

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
