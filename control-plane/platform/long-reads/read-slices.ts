/** Lists that lie in the order of an index, read slice by slice: filters may leave out nearly all of what is walked over. */
import type { SelectQueryBuilder } from 'kysely'
import type { Db } from '../store/database/db.ts'
import {
  nextSlice,
  type OrderedList,
  type Position,
  type Slice,
  selectSlice,
} from '../store/database/slices.ts'
import type { Tables } from '../store/database/tables.ts'
import type { LongRead } from './long-read.ts'

export type ListSource = { db: Db; reading: LongRead }

type Rows<T extends keyof Tables> = SelectQueryBuilder<Tables, T, object>

type FilteredList<T extends keyof Tables> = OrderedList<T> & {
  filter(rows: Rows<T>): Rows<T>
}

/** Until `read` says false or the list ends. Begins behind `after`. */
export const eachSlice = async <T extends keyof Tables>(
  { db, reading }: ListSource,
  list: OrderedList<T>,
  { after = null, read }: { after?: Position | null; read: (slice: Slice) => Promise<boolean> },
): Promise<void> => {
  let cursor: Position | null = after
  do {
    cursor = await reading.piece(async (size) => {
      const slice = await nextSlice(db, list, { after: cursor, size })
      return (await read(slice)) ? slice.until : null
    })
  } while (cursor !== null)
}

type Row<T extends keyof Tables> = Tables[T]
type Part = { limit: number; offset: number }

const rowsOf = <T extends keyof Tables>(
  db: Db,
  { list, slice }: { list: FilteredList<T>; slice: Slice },
  { limit, offset }: Part,
): Promise<Row<T>[]> =>
  db.select<Row<T>>((k, engine) =>
    list
      .filter(selectSlice({ k, engine }, list, slice))
      .selectAll()
      .limit(limit)
      .offset(offset)
      .$castTo<Row<T>>(),
  )

/** One page by its offset, and how many rows there are in all. */
export const readPage = async <T extends keyof Tables>(
  source: ListSource,
  list: FilteredList<T>,
  { limit, offset }: Part,
): Promise<{ rows: Row<T>[]; total: number }> => {
  const rows: Row<T>[] = []
  let total = 0
  await eachSlice(source, list, {
    read: async (slice) => {
      const count = await countOf(source.db, { list, slice })
      const part = { limit: limit - rows.length, offset: Math.max(0, offset - total) }
      if (part.limit > 0 && part.offset < count)
        rows.push(...(await rowsOf(source.db, { list, slice }, part)))
      total += count
      return true
    },
  })
  return { rows, total }
}

const countOf = async <T extends keyof Tables>(
  db: Db,
  { list, slice }: { list: FilteredList<T>; slice: Slice },
): Promise<number> => {
  const [row] = await db.select<{ total: number }>((k, engine) =>
    list
      .filter(selectSlice({ k, engine }, list, slice).clearOrderBy())
      .select((at) => at.fn.countAll<number>().as('total'))
      .$castTo<{ total: number }>(),
  )
  return row?.total ?? 0
}
