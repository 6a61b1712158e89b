/**
 * Lists of a check's results over all parts, in the order of their start. A slice is the rows between two places of the
 * whole list; each part is asked for its own rows in it, and parts that have none are not asked.
 */

import type { LongRead } from '../../../platform/long-reads/long-read.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { Position } from '../../../platform/store/database/slices.ts'
import type { CheckNumbersTable } from '../../../platform/store/database/tables/results.ts'
import { checkNumber } from '../../definitions/checks/check-numbers.ts'
import { type DocumentKind, withDocuments } from './documents.ts'
import { locationNumber } from './numbers.ts'
import { endOfTime, type Part, partsWithStarts } from './parts.ts'
import {
  countIn,
  type Direction,
  type PartQuery,
  positionAt,
  type ResultFilter,
  readPart,
} from './read-part.ts'
import type { Result, ResultWithDoc } from './result.ts'

export type ResultList = {
  checkId: string
  direction: Direction
  /** Instants of a run's start: `from` inclusive, `to` exclusive. */
  from?: number | undefined
  to?: number | undefined
  filter: ResultFilter
}

export type ResultSource = { db: Db; reading: LongRead }

/** What is known of a list before any of its rows is read. */
type OpenList = { list: ResultList; check: CheckNumbersTable; parts: Part[] }

/** What is left of it behind `after`; null: no result has ever been of the check, or from the location. */
const openList = async (db: Db, list: ResultList, after: Position | null): Promise<OpenList | null> => {
  const check = await db.get(checkNumber, { checkId: list.checkId })
  if (check === undefined) return null
  const { location } = list.filter
  if (location !== undefined && (await db.get(locationNumber, { name: location })) === undefined) return null
  return { list, check, parts: await partsOf(db, list, after) }
}

const partsOf = (
  db: Db,
  { direction, from = 0, to = endOfTime }: ResultList,
  after: Position | null,
): Promise<Part[]> => {
  const oldestFirst = direction === 'oldest-first'
  if (after === null) return partsWithStarts(db, { from, to, oldestFirst })
  return oldestFirst
    ? partsWithStarts(db, { from: Math.max(from, after.at), to, oldestFirst })
    : partsWithStarts(db, { from, to: Math.min(to, after.at + 1) })
}

type Ends = { after: Position | null; until: Position | null }

const queryOf = ({ list: { direction, from, to, filter }, check }: OpenList, ends: Ends): PartQuery => ({
  check,
  filter,
  bounds: { direction, from, to, ...ends },
})

/** Below zero where `a` comes first in the list. */
const compare = (direction: Direction, a: Position, b: Position): number => {
  const ascending = a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  return direction === 'newest-first' ? -ascending : ascending
}

/** Whether a part may have rows that lie between the ends. */
const mayHave = (
  { direction }: ResultList,
  { newestAt, oldestAt }: Part,
  { after, until }: Ends,
): boolean => {
  if (newestAt === null || oldestAt === null) return true
  const [lower, upper] = direction === 'newest-first' ? [until, after] : [after, until]
  return (lower === null || newestAt >= lower.at) && (upper === null || oldestAt <= upper.at)
}

/** In which the first rows of the list are found first; those that say nothing of their time come first. */
const inOrder = ({ list: { direction }, parts }: OpenList): Part[] => {
  const keyOf = ({ newestAt, oldestAt }: Part): number =>
    newestAt === null || oldestAt === null
      ? Number.NEGATIVE_INFINITY
      : direction === 'newest-first'
        ? -newestAt
        : oldestAt
  return parts.toSorted((a, b) => keyOf(a) - keyOf(b))
}

/** Beside those that say nothing of their time: a check with few results would be asked for in a year of periods at once. */
const partsAtOnce = 8
const [firstId, lastId] = ['0', 'f'].map((digit) =>
  '00000000-0000-0000-0000-000000000000'.replaceAll('0', digit),
)

/** Where the rows of a part can begin; null: anywhere. */
const edgeOf = ({ direction }: ResultList, { newestAt, oldestAt }: Part): Position | null =>
  newestAt === null || oldestAt === null
    ? null
    : direction === 'newest-first'
      ? { at: newestAt + 1, id: firstId as string }
      : { at: oldestAt - 1, id: lastId as string }

/** A slice has to end behind its beginning, or the next one would be the same. */
const isBehind = ({ direction }: ResultList, position: Position, after: Position | null): boolean =>
  after === null || compare(direction, after, position) < 0

/** The end of a slice of a few parts in which each has at most `size` rows; null: the list ends in it. */
const endOfSlice = async (
  db: Db,
  open: OpenList,
  { after, size }: { after: Position | null; size: number },
): Promise<Position | null> => {
  let until: Position | null = null
  let asked = 0
  for (const part of inOrder(open)) {
    if (!mayHave(open.list, part, { after, until })) continue
    const edge = edgeOf(open.list, part)
    if (edge !== null && ++asked > partsAtOnce && isBehind(open.list, edge, after))
      return until === null || compare(open.list.direction, edge, until) < 0 ? edge : until
    const own = await positionAt(db, part, queryOf(open, { after, until }), size - 1)
    if (own !== null && (until === null || compare(open.list.direction, own, until) < 0)) until = own
  }
  return until
}

export type ResultSlice = {
  count(): Promise<number>
  /** The first `limit` rows of it. */
  rows(limit: number): Promise<Result[]>
  documented(limit: number, kind?: DocumentKind): Promise<ResultWithDoc[]>
}

type PartRows = { part: Part; rows: Result[] }

const rowsOfSlice = async (db: Db, open: OpenList, ends: Ends, limit: number): Promise<PartRows[]> => {
  const found: PartRows[] = []
  for (const part of open.parts)
    if (mayHave(open.list, part, ends))
      found.push({ part, rows: await readPart(db, part, queryOf(open, ends), { limit }) })
  return found
}

const positionOf = ({ started_at, id }: Result): Position => ({ at: started_at, id })

/** The first `limit` of all parts together. */
const merged = <R extends Result>({ direction }: ResultList, rows: R[], limit: number): R[] =>
  rows.sort((a, b) => compare(direction, positionOf(a), positionOf(b))).slice(0, limit)

const sliceOf = (db: Db, open: OpenList, ends: Ends): ResultSlice => ({
  count: async () => {
    let total = 0
    for (const part of open.parts)
      if (mayHave(open.list, part, ends)) total += await countIn(db, part, queryOf(open, ends))
    return total
  },
  rows: async (limit) => {
    const found = await rowsOfSlice(db, open, ends, limit)
    return merged(
      open.list,
      found.flatMap(({ rows }) => rows),
      limit,
    )
  },
  documented: async (limit, kind = 'whole') => {
    const found = await rowsOfSlice(db, open, ends, limit)
    const first = new Set(
      merged(
        open.list,
        found.flatMap(({ rows }) => rows),
        limit,
      ),
    )
    const all: ResultWithDoc[] = []
    for (const { part, rows } of found) {
      const wanted = rows.filter((row) => first.has(row))
      all.push(...(await withDocuments(db, { part, checkN: open.check.n, kind }, wanted)))
    }
    return merged(open.list, all, limit)
  },
})

/** Slice by slice, until `read` says false or the list ends. Begins behind `after`. */
export const eachResultSlice = async (
  { db, reading }: ResultSource,
  list: ResultList,
  { after = null, read }: { after?: Position | null; read: (slice: ResultSlice) => Promise<boolean> },
): Promise<void> => {
  let position: Position | null = after
  do {
    position = await reading.piece(async (size) => {
      const open = await openList(db, list, position)
      if (open === null) return null
      const until = await endOfSlice(db, open, { after: position, size })
      return (await read(sliceOf(db, open, { after: position, until }))) ? until : null
    })
  } while (position !== null)
}

/** The first `limit` results of a list, with their documents. */
export const firstResults = async (
  source: ResultSource,
  list: ResultList,
  { after = null, limit }: { after?: Position | null; limit: number },
): Promise<ResultWithDoc[]> => {
  const results: ResultWithDoc[] = []
  await eachResultSlice(source, list, {
    after,
    read: async (slice) => {
      results.push(...(await slice.documented(limit - results.length)))
      return results.length < limit
    },
  })
  return results
}

/** One page by its offset, and how many results there are in all. */
export const pageOfResults = async (
  source: ResultSource,
  list: ResultList,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ResultWithDoc[]; total: number }> => {
  const rows: ResultWithDoc[] = []
  let total = 0
  await eachResultSlice(source, list, {
    read: async (slice) => {
      const count = await slice.count()
      const skip = Math.max(0, offset - total)
      const wanted = limit - rows.length
      if (wanted > 0 && skip < count) rows.push(...(await slice.documented(skip + wanted)).slice(skip))
      total += count
      return true
    },
  })
  return { rows, total }
}

/**
 * For questions that are soon over: few rows lie between their bounds, or few of them are left out. The end of a slice is found by
 * walking to it, so the first is hardly larger than what is wanted, and the next ones grow.
 */
const fewRows = (wanted: number): LongRead => {
  let next = Math.max(wanted, smallestSlice)
  return {
    piece: (work) => {
      const size = Math.min(next, largestSlice)
      next *= growth
      return work(size)
    },
  }
}

const smallestSlice = 8
const growth = 8
const largestSlice = 500

/** The first results of a short list, without their documents. */
export const someResults = async (db: Db, list: ResultList, limit: number): Promise<Result[]> => {
  const results: Result[] = []
  await eachResultSlice({ db, reading: fewRows(limit) }, list, {
    read: async (slice) => {
      results.push(...(await slice.rows(limit - results.length)))
      return results.length < limit
    },
  })
  return results
}

/** Whether the list has no more than `max` results; none of them is read, and no more are counted than say it. */
export const hasAtMost = async (db: Db, list: ResultList, max: number): Promise<boolean> => {
  let total = 0
  const reading: LongRead = { piece: (work) => work(max + 1) }
  await eachResultSlice({ db, reading }, list, {
    read: async (slice) => {
      total += await slice.count()
      return total <= max
    },
  })
  return total <= max
}

export const someDocumented = (db: Db, list: ResultList, limit: number): Promise<ResultWithDoc[]> =>
  firstResults({ db, reading: fewRows(limit) }, list, { limit })
