/**
 * Booleans of the store: 0 and 1 in its columns, because SQLite has no others and one text of each query serves both
 * engines; `true` and `false` on this side of it. Parameters are turned by query.ts, rows here, by the column's name.
 */
import { AliasNode, ColumnNode, IdentifierNode, ReferenceNode, type RootOperationNode } from 'kysely'
import type { Tables } from './tables.ts'

type BooleanColumnOf<Row> = { [Column in keyof Row]: Row[Column] extends boolean ? Column : never }[keyof Row]
type BooleanColumn = { [Table in keyof Tables]: BooleanColumnOf<Tables[Table]> }[keyof Tables]

/** The type holds this list to the tables: one too few or too many does not compile. */
const booleanColumns: Record<BooleanColumn, true> = {
  activated: true,
  active: true,
  archived_for_ever: true,
  archived_until_next_event: true,
  auto_subscribe: true,
  deleted: true,
  has_errors: true,
  has_failures: true,
  is_degraded: true,
  locked: true,
  mailed: true,
  notify_subscribers: true,
  parallel: true,
  refresh_cache: true,
  is_test: true,
  of_tests: true,
  secret: true,
}

const names: ReadonlySet<string> = new Set(Object.keys(booleanColumns))

export const isBooleanColumn = (name: string): boolean => names.has(name)

/** Under another name a boolean would come back as a number, whatever its type says. @throws Error */
export const requireOwnNames = (query: RootOperationNode): void => {
  const { selections = [] } =
    'returning' in query ? (query.returning ?? {}) : 'selections' in query ? query : {}
  for (const { selection } of selections) {
    if (!AliasNode.is(selection) || !IdentifierNode.is(selection.alias)) continue
    const alias = selection.alias.name
    const column = ReferenceNode.is(selection.node) ? selection.node.column : selection.node
    if (ColumnNode.is(column) && isBooleanColumn(column.column.name) && !isBooleanColumn(alias))
      throw new Error(`The boolean ${column.column.name} is selected as ${alias}, which is no boolean column`)
  }
}

type Row = Record<string, unknown>

/** In place: the rows are the driver's gift to us. A null (of an outer join) stays one. */
export const readBooleans = (rows: readonly unknown[], columns: readonly string[]): void => {
  if (columns.length === 0) return
  for (const row of rows as readonly Row[])
    for (const column of columns) if (row[column] !== null) row[column] = row[column] === 1
}
