/** The documents of results, wherever they lie: alone, or with others of their check in a block, which is opened once. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { selectRows } from '../../../platform/store/database/raw-sql.ts'
import { tableOf } from '../../../platform/store/database/schema/period-tables.ts'
import { type Beside, firstDocument, type PackedDocuments, tailOf, unpackDocuments } from './blocks.ts'
import { type Part, withinPart } from './parts.ts'
import type { Result, ResultWithDoc } from './result.ts'
import { idOf, listedId, type StoredId, storedId } from './small-row.ts'

/** `whole`: with what passing runs saw, as long as it is there. `short`: what stays when that is over, sooner read. */
export type DocumentKind = 'whole' | 'short'

type Wanted = { part: Part; checkN: number; kind: DocumentKind }

/** The results of one check in one part, with their documents, in their order. */
export const withDocuments = async (
  db: Db,
  wanted: Wanted,
  results: readonly Result[],
): Promise<ResultWithDoc[]> => {
  const docs = await aloneDocuments(
    db,
    wanted.part,
    results.map(({ id }) => id),
  )
  const missing = () => results.filter(({ id }) => !docs.has(id)).map(({ id }) => id)
  const { suffix, hasDetails } = wanted.part
  if (suffix !== '_retained') {
    if (hasDetails && wanted.kind === 'whole')
      await addPacked(db, packedIn(wanted, 'result_details'), { docs, ids: missing() })
    await addPacked(db, packedIn(wanted, 'result_blocks'), { docs, ids: missing() })
  }
  await refuseLost(db, wanted.part, missing())
  return results.flatMap((result) => {
    const doc = docs.get(result.id)
    return doc === undefined ? [] : [{ ...result, doc }]
  })
}

/** What was removed meanwhile is no longer there; a result that is there has a document. @throws Error */
const refuseLost = async (db: Db, { suffix }: Part, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  const rows = sql.table(tableOf('result_rows', suffix))
  const [lost] = await selectRows<{ id: StoredId }>(
    db,
    sql`select id from ${rows} where ${hasOneOf(db, ids)} limit 1`,
  )
  if (lost !== undefined) throw new Error(`The result ${idOf(lost.id)} has lost its document`)
}

const idsAtOnce = 200

/** Of those that are in no block, by their ids. */
export const aloneDocuments = async (
  db: Db,
  { suffix }: Part,
  ids: readonly string[],
): Promise<Map<string, string>> => {
  const docs = new Map<string, string>()
  for (let from = 0; from < ids.length; from += idsAtOnce) {
    const some = hasOneOf(db, ids.slice(from, from + idsAtOnce))
    const table = sql.table(tableOf('result_docs', suffix))
    const rows = await selectRows<{ id: StoredId; doc: string }>(
      db,
      sql`select id, doc from ${table} where ${some}`,
    )
    for (const { id, doc } of rows) docs.set(idOf(id), doc)
  }
  return docs
}

/** Which rows have one of the ids; partitions are found by what lies between the first and the last of them. */
export const hasOneOf = (db: Db, ids: readonly string[]): RawBuilder<unknown> => {
  const [first, last] = [
    ids.reduce((a, b) => (a < b ? a : b), 'g'),
    ids.reduce((a, b) => (a > b ? a : b), ''),
  ]
  return db.engine.partitions && ids.length > 0
    ? sql`id in ${idList(db, ids)} and id >= ${first} and id <= ${last}`
    : sql`id in ${idList(db, ids)}`
}

/** For `in`. */
export const idList = ({ engine }: Db, ids: readonly string[]) => {
  const listed = JSON.stringify(ids.map((id) => listedId(engine, id)))
  return engine.name === 'sqlite'
    ? sql`(select unhex(value) from json_each(${listed}))`
    : sql`(select cast(value as uuid) from json_array_elements_text(cast(${listed} as json)))`
}

/** `beside`: documents that blocks are packed beside, by the ids of theirs. */
type Packed = { part: Part; table: string; checkN: number; beside: Map<string, string> }

const packedIn = ({ part, checkN }: Wanted, table: 'result_details' | 'result_blocks'): Packed => ({
  part,
  table: tableOf(table, part.suffix),
  checkN,
  beside: new Map(),
})

type OpenBlock = { first: string; last: string; docs: Map<string, string> }

const docIn = (block: OpenBlock | null, id: string): string | undefined =>
  block !== null && block.first <= id && id <= block.last ? block.docs.get(tailOf(id)) : undefined

/** Neighbours in a list are neighbours in a block: each block is read and opened once. */
const addPacked = async (
  db: Db,
  packed: Packed,
  { docs, ids }: { docs: Map<string, string>; ids: readonly string[] },
): Promise<void> => {
  let open: OpenBlock | null = null
  for (const id of ids) {
    if (docIn(open, id) === undefined) open = (await blockWith(db, packed, id)) ?? open
    const doc = docIn(open, id)
    if (doc !== undefined) docs.set(id, doc)
  }
}

type BlockRow = PackedDocuments & { first_id: StoredId; last_id: StoredId; base_id: StoredId | null }

/** Blocks of a check may overlap, where results came in late. */
const blockWith = async (db: Db, packed: Packed, id: string): Promise<OpenBlock | null> => {
  const { part, table, checkN } = packed
  const stored = storedId(db.engine, id)
  const blocks = await selectRows<BlockRow>(
    db,
    sql`select first_id, last_id, base_id, ids, block from ${sql.table(table)}
      where check_n = ${checkN} and first_id <= ${stored} and last_id >= ${stored}${withinPart(part, 'first_id')}`,
  )
  for (const { first_id, last_id, base_id, ...block } of blocks) {
    const docs = unpackDocuments(block, await documentBeside(db, packed, base_id))
    if (docs.has(tailOf(id))) return { first: idOf(first_id), last: idOf(last_id), docs }
  }
  return null
}

const documentBeside = async (
  db: Db,
  { table, checkN, beside }: Packed,
  base: StoredId | null,
): Promise<Beside> => {
  if (base === null) return null
  const id = idOf(base)
  const known = beside.get(id)
  if (known !== undefined) return known
  const [block] = await selectRows<Pick<PackedDocuments, 'block'>>(
    db,
    sql`select block from ${sql.table(table)} where check_n = ${checkN} and first_id = ${base}`,
  )
  if (block === undefined) throw new Error(`The block ${id}, which others are packed beside, is lost`)
  const doc = firstDocument(block)
  beside.set(id, doc)
  return doc
}
