/**
 * The tables of one period of results. `rows`: what lists find and filter by. `docs`: documents as they came in, until
 * they are packed; those of failures for good. `blocks`: many documents of one check, compressed together, shortened to what
 * stays; `details`: the same ones whole, until the time of details is over. `base_id`: the block of the same table whose first
 * document this one is compressed beside; none of the first of a check.
 */
import type { Engine } from '../engines.ts'

export const resultTables = ['result_rows', 'result_docs', 'result_blocks', 'result_details'] as const
export type ResultTable = (typeof resultTables)[number]

/** `suffix`: of a period (`_7`), `_retained`, or on PostgreSQL '' for all periods together. */
export const tableOf = (table: ResultTable, suffix: string): string => `${table}${suffix}`

export const failingRows = '(flags & 6) <> 0'

const columnsOf = (engine: Engine['name']): Record<ResultTable, string> => {
  const id = engine === 'sqlite' ? 'blob' : 'uuid'
  const bytes = engine === 'sqlite' ? 'blob' : 'bytea'
  const number = engine === 'sqlite' ? 'integer' : 'bigint'
  const small = 'integer'
  const flags = engine === 'sqlite' ? 'integer' : 'smallint'
  // Of as many bytes as its digits need, as SQLite's numbers are: mostly five where a `bigint` has eight.
  const distance = engine === 'sqlite' ? 'integer' : 'numeric'
  const block = `check_n ${small} not null, first_id ${id} not null, last_id ${id} not null, base_id ${id},
    ids ${bytes} not null, block ${bytes} not null`
  return {
    // PostgreSQL pads each column to its own size, and a row of more than eight that has a null by eight bytes: the widest come first, none is null.
    result_rows: `id ${id} not null, started_at ${number} not null, response_time double precision not null,
      check_n ${small} not null, location_n ${small} not null, flags ${flags} not null, attempts ${flags} not null,
      due_ms ${distance} not null, run_ms ${distance} not null, late_ms ${distance} not null,
      check_run_ms ${distance} not null, sequence_id ${bytes} not null, primary key (id)`,
    result_docs: `id ${id} not null, check_n ${small} not null, packable ${small} not null, doc text not null,
      primary key (id)`,
    result_blocks: block,
    result_details: block,
  }
}

type TableIndex = { name: string; on: string; unique?: true; where?: string }

/** The first columns of both are what a list is in the order of. */
const indexes: Record<ResultTable, readonly TableIndex[]> = {
  result_rows: [
    { name: 'check', on: 'check_n, started_at, id, flags, location_n' },
    { name: 'failing', on: 'check_n, started_at, id, flags, location_n', where: failingRows },
  ],
  result_docs: [],
  result_blocks: [{ name: 'check', on: 'check_n, first_id', unique: true }],
  result_details: [{ name: 'check', on: 'check_n, first_id', unique: true }],
}

export const indexOf = (table: ResultTable, suffix: string, name: string): string =>
  `${table}${suffix}_${name}`

export const indexesOf = (table: ResultTable, suffix: string): string[] =>
  indexes[table].map(({ name }) => indexOf(table, suffix, name))

const partitionKeys: Record<ResultTable, string> = {
  result_rows: 'id',
  result_docs: 'id',
  result_blocks: 'first_id',
  result_details: 'first_id',
}

/** Of PostgreSQL's tables with the suffix '' the rows are in partitions. */
export const createPeriodTables = (
  engine: Engine['name'],
  suffix: string,
  tables: readonly ResultTable[] = resultTables,
): string[] =>
  tables.flatMap((table) => [
    `create table ${tableOf(table, suffix)} (${columnsOf(engine)[table]})${endOf(engine, table, suffix)}`,
    ...indexes[table].map(
      ({ name, on, unique, where }) =>
        `create ${unique ? 'unique ' : ''}index ${indexOf(table, suffix, name)} on ${tableOf(table, suffix)} (${on})${
          engine === 'sqlite' ? '' : ' with (fillfactor = 100)'
        }${where === undefined ? '' : ` where ${where}`}`,
    ),
  ])

const endOf = (engine: Engine['name'], table: ResultTable, suffix: string): string => {
  if (engine === 'sqlite') return table === 'result_rows' ? ' without rowid' : ''
  return suffix === '' ? ` partition by range (${partitionKeys[table]})` : ''
}

/** A partition beside its table first: attaching it waits for no writer, creating it in place would. */
export const createPartition = (
  table: ResultTable,
  suffix: string,
  { firstId, endId }: { firstId: string; endId: string },
): string[] => {
  const name = tableOf(table, suffix)
  const key = partitionKeys[table]
  return [
    `create table if not exists ${name} (like ${table} including all)`,
    `alter table ${name} add constraint ${name}_bounds check (${key} >= '${firstId}' and ${key} < '${endId}')`,
    `alter table ${table} attach partition ${name} for values from ('${firstId}') to ('${endId}')`,
  ]
}
