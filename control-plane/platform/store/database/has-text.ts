/** Rows that are found by a text: a part of what they are called, in any case. Pure. */
import { type RawBuilder, sql } from 'kysely'
import { containing, type Engine } from './engines.ts'

/** Columns, and parts of a row's document by their paths in it (`doc` unless told otherwise). */
export type Searchable = { columns?: readonly string[]; paths?: readonly string[]; doc?: string }

export const hasText = (
  engine: Engine,
  { columns = [], paths = [], doc = 'doc' }: Searchable,
  search: string,
): RawBuilder<boolean> => {
  const anyOf = (conditions: readonly RawBuilder<boolean>[]) =>
    sql<boolean>`(${sql.join(conditions, sql` or `)})`
  const text = containing(search)
  const inColumns = columns.map((column) => engine.containsText(sql.ref(column), text) as RawBuilder<boolean>)
  if (paths.length === 0) return anyOf(inColumns)
  const inPaths = paths.map(
    (path) => engine.containsText(engine.jsonPart(sql.ref(doc), path), text) as RawBuilder<boolean>,
  )
  // A document is taken apart only if the text is anywhere in it, as JSON writes it.
  const inDoc = engine.containsText(sql.ref(doc), containing(JSON.stringify(search).slice(1, -1)))
  return anyOf([...inColumns, sql<boolean>`(${inDoc} and ${anyOf(inPaths)})`])
}
