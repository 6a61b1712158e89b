/**
 * Documents of passing runs, and of attempts that others followed, are packed once their hour is over: those of one check
 * resemble each other, so that a compressed block of them takes a tenth. Killed at any moment it loses nothing: a
 * document leaves its place in the transaction that packs it.
 */
import type { App } from '../../platform/app/app.ts'
import { pieceMsOf } from '../../platform/long-reads/piece-size.ts'
import { letOthers } from '../../platform/retention/walk.ts'
import type { ResultPeriodsTable } from '../../platform/store/database/tables/results.ts'
import { resultDoc } from './result-doc.ts'
import { shortenResult } from './shorten-result.ts'
import { addId, emptyList, type IdList, idsIn } from './stored/id-list.ts'
import {
  buildIndexAnew,
  checkOfNumber,
  packableIds,
  packTogether,
  savePackedUntil,
  unpackedPeriod,
  writeAnew,
} from './stored/packable.ts'

const hourMs = 3_600_000
/** Most of what an hour's runs found has come in by then. */
const graceMs = 600_000
/** An hour of a check that runs each minute is one block: half as many would take a sixth more bytes. It is opened in a few tenths of a millisecond. */
const documentsInBlock = 64
/** Fewer wait for those of the rest of their period. */
const leastInHour = 8
const idsAtOnce = 2000

export const packResultsTick = async (app: App, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const before = Math.floor((app.clock.now() - graceMs) / hourMs) * hourMs
    const period = await app.db.get(unpackedPeriod, { before })
    if (period === undefined) return
    const to = Math.min(period.to_at, (Math.floor(period.packed_until / hourMs) + 1) * hourMs)
    if (to > app.clock.now() - graceMs) return
    await packRange(app, period, { from: period.packed_until, to, min: leastInHour }, signal)
    // What was too little in its hour, and what came in late.
    const isLast = to === period.to_at
    if (isLast) await packRange(app, period, { from: period.from_at, to, min: 2 }, signal)
    if (isLast && !signal.aborted) {
      await writeAnew(app.db, period)
      await buildIndexAnew(app, period)
    }
    if (!signal.aborted) await app.db.run(savePackedUntil, { n: period.n, at: to })
  }
}

type Range = { from: number; to: number; min: number }

const packRange = async (
  app: App,
  period: ResultPeriodsTable,
  { from, to, min }: Range,
  signal: AbortSignal,
): Promise<void> => {
  const ofChecks = await idsOfChecks(app, period, { from, to }, signal)
  const blocks = [...ofChecks].flatMap(([checkN, list]) =>
    list.count < min ? [] : chunksOf(list.count).map((chunk) => ({ checkN, list, chunk })),
  )
  let next = 0
  while (next < blocks.length && !signal.aborted) {
    const startedAt = app.clock.monotonic()
    next = await app.db.transaction(async (trx) => {
      const begunAt = app.clock.monotonic()
      let at = next
      while (at < blocks.length && app.clock.monotonic() - begunAt < pieceMsOf(app.db.engine)) {
        const { checkN, list, chunk } = blocks[at] as (typeof blocks)[number]
        const check = await trx.get(checkOfNumber, { n: checkN })
        if (check !== undefined) await packTogether(trx, { period, check, ids: idsIn(list, chunk), shorten })
        at += 1
        if (at - next >= blocksInPiece) break
      }
      return at
    })
    await letOthers(app, app.clock.monotonic() - startedAt, signal)
  }
}

/** Where the clock stands still, or pieces cost nothing, others get their turn all the same. */
const blocksInPiece = 20

const shorten = (type: string, doc: string): string =>
  resultDoc.write(shortenResult(type, resultDoc.read(doc)))

/** Of a period's hour, which is bounded: the numbers of checks with the ids of their documents. */
const idsOfChecks = async (
  app: App,
  period: ResultPeriodsTable,
  { from, to }: { from: number; to: number },
  signal: AbortSignal,
): Promise<Map<number, IdList>> => {
  const ofChecks = new Map<number, IdList>()
  let after: string | null = ''
  while (after !== null && !signal.aborted) {
    const startedAt = app.clock.monotonic()
    const { found, last } = await packableIds(app.db, period, { after, from, to, limit: idsAtOnce })
    for (const { id, checkN } of found) {
      const list = ofChecks.get(checkN) ?? emptyList()
      ofChecks.set(checkN, list)
      addId(list, id)
    }
    after = last
    await letOthers(app, app.clock.monotonic() - startedAt, signal)
  }
  return ofChecks
}

/** As many documents in each, or nearly. */
const chunksOf = (ids: number): { from: number; to: number }[] => {
  const count = Math.ceil(ids / documentsInBlock)
  const size = Math.ceil(ids / count)
  return Array.from({ length: count }, (_, n) => ({ from: n * size, to: Math.min(ids, (n + 1) * size) }))
}
