/**
 * One step of the counting: it reads what it needs in slices, then writes what it counted and how far it has come in one
 * transaction. Where another control plane did a step meanwhile, it writes nothing and begins anew; a kill loses the step alone.
 */
import type { App } from '../../../platform/app/app.ts'
import type { LongRead } from '../../../platform/long-reads/long-read.ts'
import { firstSize, nextSize, pieceMsOf } from '../../../platform/long-reads/piece-size.ts'
import type { ListSource } from '../../../platform/long-reads/read-slices.ts'
import { letOthers } from '../../../platform/retention/walk.ts'
import { nextNumber } from '../../../platform/store/database/counters.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { type Cells, writeCells } from './cells.ts'
import {
  findCheckNumber,
  holdChecks,
  insertCheckNumber,
  moveProgress,
  type Progress,
  type RollupRow,
  writeRollups,
} from './queries.ts'
import type { Grain } from './spans.ts'

/** What counting in the background reads with, and when it is to end. */
export type BackgroundSource = ListSource & { signal: AbortSignal }

/** After each piece it rests for longer than the piece took. */
export const backgroundSource = (app: App, signal: AbortSignal): BackgroundSource => {
  const pieceMs = pieceMsOf(app.db.engine)
  let size = firstSize
  const piece: LongRead['piece'] = async (work) => {
    const startedAt = app.clock.monotonic()
    const value = await work(size)
    const tookMs = app.clock.monotonic() - startedAt
    size = nextSize(size, { tookMs, pieceMs })
    await letOthers(app, tookMs, signal)
    return value
  }
  return { db: app.db, reading: { piece }, signal }
}

/** What was counted of a check, by the names of its series. */
export type Counted = { checkId: string; series: Map<string, Cells> }

type Step = { from: Progress; to: Partial<Progress>; signal: AbortSignal }

/** False where the progress is no longer as it was read. */
export const takeStep = async (
  app: App,
  { from, to, signal }: Step,
  write: (trx: Db) => Promise<void>,
): Promise<boolean> => {
  let tookMs = 0
  const taken = await app.db.transaction(async (trx) => {
    const startedAt = app.clock.monotonic()
    if ((await trx.run(moveProgress, { ...from, ...to, version: from.version })) === 0) return false
    await write(trx)
    tookMs = app.clock.monotonic() - startedAt
    return true
  })
  await letOthers(app, tookMs, signal)
  return taken
}

/** Writes what was counted of the checks that are still there, as rows from `startAt`. */
export const writeCounted = async (
  trx: Db,
  counted: readonly Counted[],
  span: Omit<SeriesStart, 'number'>,
): Promise<void> => {
  const numbers = await numbersOfChecks(
    trx,
    counted.map(({ checkId }) => checkId),
  )
  await writeRollups(
    trx,
    counted.flatMap(({ checkId, series }) => {
      const number = numbers.get(checkId)
      return number === undefined ? [] : rowsOf(series, { ...span, number })
    }),
  )
}

/** Of the checks, those that are still there, under their numbers. */
export const numbersOfChecks = async (trx: Db, checkIds: readonly string[]): Promise<Map<string, number>> => {
  const numbers = new Map<string, number>()
  if (checkIds.length === 0) return numbers
  for (const { id } of await trx.all(holdChecks, { ids: checkIds })) {
    const known = await trx.get(findCheckNumber, { checkId: id })
    const number = known?.number ?? (await nextNumber(trx, 'rollup-check'))
    if (known === undefined) await trx.run(insertCheckNumber, { checkId: id, number })
    numbers.set(id, number)
  }
  return numbers
}

type SeriesStart = { number: number; minutes: Grain; startAt: number }

export const rowsOf = (series: Map<string, Cells>, { number, minutes, startAt }: SeriesStart): RollupRow[] =>
  [...series].flatMap(([name, cells]) =>
    cells.size === 0
      ? []
      : [{ check_number: number, minutes, series: name, start_at: startAt, cells: writeCells(cells) }],
  )
