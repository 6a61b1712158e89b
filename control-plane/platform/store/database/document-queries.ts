/**
 * The queries of a table whose rows the people of an account make, read, change and delete one at a time: written once
 * for all such tables, and each still a query of its own, prepared once, with the table's name in its name. What only
 * one table has stands in its slice's queries.ts.
 */
import type { Compilable, Kysely } from 'kysely'
import type { Db } from './db.ts'
import type { Engine } from './engines.ts'
import { hasText, type Searchable } from './has-text.ts'
import { type Query, query } from './query.ts'
import type { Tables } from './tables.ts'

type OwnedTable = { [T in keyof Tables]: Tables[T] extends { account_id: string } ? T : never }[keyof Tables]

type Definition<Row, Key extends keyof Row> = {
  /** In the names of the queries: `find-<name>`. */
  name: string
  /** What names a row within its account. */
  key: Key
  /** All the others: what a change writes, and what stays as it was made. */
  columns: { [Column in Exclude<keyof Row, 'account_id' | Key>]: 'changes' | 'stays' }
  /** Of lists; oldest first by the key unless told otherwise. */
  order?: readonly (keyof Row & string)[]
  /** An insert that meets a row with the same values there changes nothing. */
  unique?: readonly (keyof Row & string)[]
  /** What `after` searches; without it a search is not looked at. */
  search?: Searchable
}

type Owned = { accountId: string }
/** The last row of the page before. */
type RowKey = { createdAt: number; id: string }

type From = { after?: RowKey | undefined; limit?: number; search?: string | undefined }

type DocumentQueries<Row, One> = {
  find: Query<One, Row>
  /** For a change that builds on what is there: nobody else changes the row until the transaction ends. */
  lock: Query<One, Row>
  /** For what refers to the row: it stays as it is until the transaction ends. */
  share: Query<One, Row>
  /** Those of the ids that the account has, by id; they stay as they are until the transaction ends. */
  shareSome: Query<Owned & { ids: readonly string[] }, Row>
  all: Query<Owned, Row>
  page: Query<Owned & { limit: number; offset: number }, Row>
  count(db: Db, accountId: string): Promise<number>
  /** Oldest first, from a place on; all without a limit. */
  after(db: Db, accountId: string, from: From): Promise<Row[]>
  insert: Query<Row, unknown>
  update: Query<Row, unknown>
  remove: Query<One, unknown>
}

/** Kysely without the tables: what a generic table has is not for its types to say. */
type Loose = Kysely<Record<string, Record<string, unknown>>>
type Values = Record<string, unknown>
type Shape = {
  table: string
  name: string
  key: string
  order: readonly string[]
  search: Searchable | undefined
}

export const documentQueries = <T extends OwnedTable, Key extends keyof Tables[T] & string>(
  table: T,
  { name, key, columns, order = [key], unique, search }: Definition<Tables[T], Key>,
): DocumentQueries<Tables[T], Owned & Pick<Tables[T], Key>> => {
  const shape: Shape = { table, name, key, order, search }
  const others = Object.entries(columns)
  const changing = others.filter(([, kind]) => kind === 'changes').map(([column]) => column)
  const every = ['account_id', key, ...others.map(([column]) => column)]
  const queries = {
    ...readsOfOne(shape),
    ...readsOfMany(shape),
    ...writes(shape, { every, changing, unique }),
  }
  // One place where the types of a single table are put on what was built without them.
  return queries as unknown as DocumentQueries<Tables[T], Owned & Pick<Tables[T], Key>>
}

/** A query whose parameters are read by the names of their columns, which the shape was checked for. */
const loose = (name: string, build: (k: Loose, p: Values, engine: Engine) => Compilable<unknown>) =>
  query<Values, unknown>(name, (k, p, engine) => build(k as unknown as Loose, p, engine))

const readsOfOne = ({ table, name, key }: Shape) => {
  const one = (k: Loose, p: Values) =>
    k.selectFrom(table).selectAll().where('account_id', '=', p['accountId']).where(key, '=', p[key])
  return {
    find: loose(`find-${name}`, one),
    lock: loose(`lock-${name}`, (k, p, engine) => (engine.rowLocks ? one(k, p).forUpdate() : one(k, p))),
    share: loose(`share-${name}`, (k, p, engine) => (engine.rowLocks ? one(k, p).forShare() : one(k, p))),
  }
}

const readsOfMany = ({ table, name, order, search: searchable }: Shape) => {
  const owned = (k: Loose, accountId: unknown) => k.selectFrom(table).where('account_id', '=', accountId)
  const inOrder = (k: Loose, p: Values) =>
    order.reduce((list, column) => list.orderBy(column), owned(k, p['accountId']).selectAll())
  const total = loose(`count-${name}`, (k, p) =>
    owned(k, p['accountId']).select((at) => at.fn.countAll<number>().as('total')),
  )
  return {
    shareSome: loose(`share-some-${name}`, (k, p, engine) => {
      const ids = engine.textList(p['ids'] as readonly string[])
      const some = owned(k, p['accountId']).selectAll().where('id', 'in', ids).orderBy('id')
      return engine.rowLocks ? some.forShare() : some
    }),
    all: loose(`all-${name}`, inOrder),
    page: loose(`list-${name}`, (k, p) =>
      inOrder(k, p)
        .limit(p['limit'] as number)
        .offset(p['offset'] as number),
    ),
    count: async (db: Db, accountId: string) => {
      const row = (await db.get(total, { accountId })) as { total: number } | undefined
      return row?.total ?? 0
    },
    after: (db: Db, accountId: string, { after, limit, search }: From) =>
      db.select((k, engine) => {
        let list = owned(k as unknown as Loose, accountId).selectAll()
        if (search !== undefined && searchable !== undefined)
          list = list.where(hasText(engine, searchable, search))
        if (after !== undefined)
          list = list.where((at) =>
            at(at.refTuple('created_at', 'id'), '>', at.tuple(after.createdAt, after.id)),
          )
        list = list.orderBy('created_at').orderBy('id')
        return limit === undefined ? list : list.limit(limit)
      }),
  }
}

type WriteParameters = { every: string[]; changing: string[]; unique: readonly string[] | undefined }

const writes = ({ table, name, key }: Shape, { every, changing, unique }: WriteParameters) => {
  const valuesOf = (p: Values, columns: string[]): Values =>
    Object.fromEntries(columns.map((column) => [column, p[column]]))
  return {
    insert: loose(`insert-${name}`, (k, p) => {
      const insert = k.insertInto(table).values(valuesOf(p, every))
      return unique === undefined ? insert : insert.onConflict((met) => met.columns([...unique]).doNothing())
    }),
    update: loose(`update-${name}`, (k, p) =>
      k
        .updateTable(table)
        .set(valuesOf(p, changing))
        .where('account_id', '=', p['account_id'])
        .where(key, '=', p[key]),
    ),
    remove: loose(`delete-${name}`, (k, p) =>
      k.deleteFrom(table).where('account_id', '=', p['accountId']).where(key, '=', p[key]),
    ),
  }
}
