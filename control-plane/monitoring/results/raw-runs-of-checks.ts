/** The judged runs of many checks, many checks to a statement: what a report reads where nothing is counted yet. */
import type { ListSource } from '../../platform/long-reads/read-slices.ts'
import { eachRawResult } from './raw-results.ts'
import type { Part } from './stored/parts.ts'
import {
  countRows,
  type JudgedRun,
  judgedCounts,
  judgedRuns,
  type ListedCheck,
  type Span,
} from './stored/runs-of-checks.ts'

/** A check with as many rows in a part is read by itself, slice by slice. */
const many = 240
/** Of a piece's rows so many go with one check that is only counted. */
const rowsOfCount = 8
/** A run is read through an index, each from another page: it costs as much as so many rows of a piece. */
const rowsOfRun = 4

type RunsOfChecks = { checks: readonly ListedCheck[]; parts: readonly Part[]; span: Span }

/** In no order. Other work gets its turn between pieces. */
export const eachRunOfChecks = async (
  source: ListSource,
  { checks, parts, span }: RunsOfChecks,
  each: (checkId: string, run: JudgedRun) => void,
): Promise<void> => {
  const counts = new Map<Part, Map<string, number>>()
  for (const part of parts) counts.set(part, await countsIn(source, part, { checks, span }))
  const large = new Set(
    [...counts.values()].flatMap((ofPart) =>
      [...ofPart].flatMap(([id, total]) => (total < many ? [] : [id])),
    ),
  )
  for (const [part, ofPart] of counts) {
    const small = checks.filter(({ check_id }) => ofPart.has(check_id) && !large.has(check_id))
    await readTogether(source, part, { checks: small, span, sizeOf: (id) => ofPart.get(id) ?? 0 }, each)
  }
  for (const checkId of large)
    await eachRawResult(source, { checkId, ...span, status: null, parts: [] }, (result) =>
      each(checkId, result),
    )
}

/** How many of them there are, and passed, where nothing else is asked. */
export const eachCountOfChecks = async (
  { db, reading }: ListSource,
  { checks, parts, span }: RunsOfChecks,
  each: (checkId: string, count: { runs: number; passed: number }) => void,
): Promise<void> => {
  const idOf = new Map(checks.map(({ n, check_id }) => [n, check_id]))
  for (const part of parts)
    for (let at = 0; at < checks.length; )
      at += await reading.piece(async (size) => {
        const some = checks.slice(at, at + Math.ceil(size / rowsOfCount))
        for (const { n, ...count } of await judgedCounts(db, part, { checks: some, span }))
          each(idOf.get(n) ?? '', count)
        return some.length
      })
}

type Checks = { checks: readonly ListedCheck[]; span: Span }

const countsIn = async (
  { db, reading }: ListSource,
  part: Part,
  { checks, span }: Checks,
): Promise<Map<string, number>> => {
  const counts = new Map<string, number>()
  for (let at = 0; at < checks.length; )
    at += await reading.piece(async (size) => {
      const some = checks.slice(at, at + Math.ceil(size / rowsOfCount))
      for (const [id, total] of await countRows(db, part, { checks: some, span, max: many }))
        counts.set(id, total)
      return some.length
    })
  return counts
}

const readTogether = async (
  { db, reading }: ListSource,
  part: Part,
  { checks, span, sizeOf }: Checks & { sizeOf: (checkId: string) => number },
  each: (checkId: string, run: JudgedRun) => void,
): Promise<void> => {
  for (let at = 0; at < checks.length; )
    at += await reading.piece(async (size) => {
      const some = firstWithin(checks.slice(at), size / rowsOfRun, sizeOf)
      for (const { checkId, ...run } of await judgedRuns(db, part, { checks: some, span })) each(checkId, run)
      return some.length
    })
}

/** The first checks that have so many rows together; one at least. */
const firstWithin = (
  checks: readonly ListedCheck[],
  size: number,
  sizeOf: (checkId: string) => number,
): readonly ListedCheck[] => {
  let rows = 0
  const end = checks.findIndex(({ check_id }, at) => {
    rows += sizeOf(check_id)
    return at > 0 && rows > size
  })
  return end === -1 ? checks : checks.slice(0, end)
}
