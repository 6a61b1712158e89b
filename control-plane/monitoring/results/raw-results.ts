/**
 * Many raw results of a check, which nobody reads in another way: what analytics and rollups read of them, in slices, so that memory and pauses
 * are bounded. Only FINAL results that were judged: failures of the service itself and cancelled runs say nothing about the
 * target, and an attempt that was retried is part of the run that follows it.
 */

import type { ListSource } from '../../platform/long-reads/read-slices.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { resultDoc } from './result-doc.ts'
import { findResultById } from './stored/find-results.ts'
import {
  eachResultSlice,
  hasAtMost,
  type ResultList,
  type ResultSlice,
  someResults,
} from './stored/list-results.ts'
import type { Direction } from './stored/read-part.ts'
import type { Result } from './stored/result.ts'

export type RawResult = {
  id: string
  startedAt: number
  location: string
  passed: boolean
  responseTime: number
  retries: number
  /** Those parts of its document that were read, by their dotted paths; null where there is nothing. */
  parts: Readonly<Record<string, unknown>>
}

/** Of a check that is known to be the asker's: the index has no accounts, and nothing else is read where no part is. */
export type RawFilter = {
  checkId: string
  /** Of their starts: `from` inclusive, `to` exclusive. */
  from: number
  to: number
  status: 'success' | 'failure' | null
  /** Parts of the results' documents to read, as dotted paths. */
  parts: readonly string[]
}

const resultsOf = ({ checkId, from, to, status }: RawFilter, direction: Direction): ResultList => ({
  checkId,
  direction,
  from,
  to,
  filter: {
    resultType: 'FINAL',
    hasErrors: false,
    isCancelled: false,
    hasFailures: status === null ? undefined : status === 'failure',
    failing: status === 'failure' ? true : undefined,
  },
})

/** Documents are read only where a part of them is asked for. */
const readSlice = async (
  slice: ResultSlice,
  parts: readonly string[],
  limit: number,
): Promise<RawResult[]> =>
  parts.length === 0
    ? (await slice.rows(limit)).map((row) => rawResultOf(row, {}))
    : (await slice.documented(limit, 'short')).map((row) => rawResultOf(row, partsOf(row.doc, parts)))

/** No slice has as many. */
const all = 1_000_000

/** Every one of them in the order of time, to `each`. Other work gets its turn between slices. */
export const eachRawResult = (
  source: ListSource,
  filter: RawFilter,
  each: (result: RawResult) => void,
): Promise<void> =>
  eachResultSlice(source, resultsOf(filter, 'oldest-first'), {
    read: async (slice) => {
      for (const result of await readSlice(slice, filter.parts, all)) each(result)
      return true
    },
  })

/** One page of them, the first page with the newest, each in the order of time. */
export const pageOfRawResults = async (
  source: ListSource,
  filter: RawFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<RawResult[]> => {
  const results: RawResult[] = []
  let skip = offset
  await eachResultSlice(source, resultsOf(filter, 'newest-first'), {
    read: async (slice) => {
      const count = skip === 0 ? 0 : await slice.count()
      if (skip > 0 && count <= skip) {
        skip -= count
        return true
      }
      const wanted = skip + limit - results.length
      results.push(...(await readSlice(slice, filter.parts, wanted)).slice(skip))
      skip = 0
      return results.length < limit
    },
  })
  return results.reverse()
}

/** Whether the check has no more than so many results in the time, of any kind. */
export const hasFewRawResults = (db: Db, { checkId, from, to }: RawFilter, max: number): Promise<boolean> =>
  hasAtMost(db, { checkId, direction: 'oldest-first', from, to, filter: {} }, max)

type Named = { ids: readonly string[]; parts: readonly string[] }

/** Those of the named results that count. */
export const namedRawResults = async (db: Db, { ids, parts }: Named): Promise<RawResult[]> => {
  const results: RawResult[] = []
  for (const id of ids) {
    const row = await findResultById(db, id)
    if (row?.result_type === 'FINAL' && !row.has_errors && !row.is_cancelled)
      results.push(rawResultOf(row, partsOf(row.doc, parts)))
  }
  return results
}

const checksBehind = query('checks-behind', (k, p: { after: string; limit: number }) =>
  k.selectFrom('checks').select('id').where('id', '>', p.after).orderBy('id').limit(p.limit),
)

/** The start of the oldest result of each check, by the ids of the checks behind `after`; null: it has none. */
export const oldestRawResults = async (
  db: Db,
  page: { after: string; limit: number },
): Promise<{ id: string; oldest_at: number | null }[]> => {
  const oldest: { id: string; oldest_at: number | null }[] = []
  for (const { id } of await db.all(checksBehind, page)) {
    const [first] = await someResults(db, { checkId: id, direction: 'oldest-first', filter: {} }, 1)
    oldest.push({ id, oldest_at: first?.started_at ?? null })
  }
  return oldest
}

const rawResultOf = (row: Result, parts: RawResult['parts']): RawResult => ({
  id: row.id,
  startedAt: row.started_at,
  location: row.location,
  passed: !row.has_failures,
  responseTime: row.response_time,
  retries: row.attempts,
  parts,
})

const partsOf = (text: string, paths: readonly string[]): Record<string, unknown> => {
  const doc: unknown = resultDoc.read(text)
  return Object.fromEntries(paths.map((path) => [path, path.split('.').reduce(inside, doc) ?? null]))
}

const inside = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
