/**
 * The portable part of SQL's data definition: the schema is a list of statements that both engines read. `integer` is
 * 64 bits wide in both (SQLite's INTEGER holds 64 bits under any name).
 */
export const integer = 'bigint'
export const text = 'text'
/** 53 bits of precision in both; PostgreSQL's `real` has 24. */
export const real = 'double precision'
/** SQLite keeps bytes as they are in a column of any type. */
export const bytes = 'bytea'

type Column = typeof integer | typeof text | typeof real | typeof bytes | { nullable: string }

export const nullable = (type: string): Column => ({ nullable: type })

export const primaryKey = (...columns: string[]): string => `primary key (${columns.join(', ')})`

export const table = (name: string, columns: Record<string, Column>, ...constraints: string[]): string => {
  const lines = Object.entries(columns).map(([column, type]) =>
    typeof type === 'string' ? `${column} ${type} not null` : `${column} ${type.nullable}`,
  )
  return `create table ${name} (${[...lines, ...constraints].join(', ')})`
}

/** Stands for what an engine says to keep a table's rows in its primary key (engines.ts `clustered`). */
export const clusteredMark = '/* clustered */'

/** A table of small rows that come and go: where the engine can, its primary key is the table and not a second tree. */
export const clusteredTable: typeof table = (...definition) => `${table(...definition)} ${clusteredMark}`

export const index = (name: string, on: string, { unique = false, where = '' } = {}): string =>
  `create ${unique ? 'unique ' : ''}index ${name} on ${on}${where === '' ? '' : ` where ${where}`}`
