/**
 * Of a day that has aged, quarters go, and hours are told apart by passed and failed alone: days keep the rest. What a check
 * takes in a year is then nearly the same however many locations and statuses it has.
 */
import type { CheckType } from '../../../../protocol/check-type.ts'
import type { App } from '../../../platform/app/app.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { addCellBytes, type Cells, merged, writeCells } from './cells.ts'
import { isOfPages, measuresOf } from './measures.ts'
import {
  checksBehind,
  deleteRollupsOfDay,
  findCheckNumber,
  type Progress,
  type RollupRow,
  rollupsOfDay,
  writeRollups,
} from './queries.ts'
import { dayMs, fineMs, hourly, quarterly } from './spans.ts'
import { type BackgroundSource, takeStep } from './step.ts'

/** Each is some two hundred rows. */
const checksInStep = 4

/** Hours, and days of them, are counted for long. */
export const isDayToThin = ({ thinned_until, hours_until, days_until }: Progress): boolean =>
  thinned_until + dayMs <= Math.min(days_until, hours_until - fineMs)

type Thinned = { number: number; names: readonly string[]; hours: RollupRow[] }

const thinned = async (
  { db, reading }: BackgroundSource,
  { id, type }: { id: string; type: string },
  startAt: number,
): Promise<Thinned[]> =>
  reading.piece(async () => {
    const known = await db.get(findCheckNumber, { checkId: id })
    if (known === undefined) return []
    const { number } = known
    const names = measuresOf(type as CheckType).series
    const series = names.filter((name) => !isOfPages(name))
    const span = { number, minutes: hourly, from: startAt, to: startAt + dayMs, series }
    const hours = (await db.all(rollupsOfDay, span)).map(({ cells, ...row }) => ({
      ...row,
      check_number: number,
      minutes: hourly,
      cells: mergedBytes(cells),
    }))
    return [{ number, names, hours }]
  })

const mergedBytes = (bytes: Buffer): Buffer => {
  const cells: Cells = new Map()
  addCellBytes(cells, bytes, merged)
  return writeCells(cells)
}

/** The next checks of the day. False: another step was done meanwhile. */
export const thinDay = async (app: App, source: BackgroundSource, progress: Progress): Promise<boolean> => {
  const startAt = progress.thinned_until
  const checks = await app.db.all(checksBehind, { after: progress.thinned_after, limit: checksInStep })
  const all: Thinned[] = []
  for (const check of checks) all.push(...(await thinned(source, check, startAt)))
  const to =
    checks.length < checksInStep
      ? { thinned_until: startAt + dayMs, thinned_after: '' }
      : { thinned_after: checks.at(-1)?.id ?? '' }
  return takeStep(app, { from: progress, to, signal: source.signal }, async (trx) => {
    for (const one of all) await writeThinned(trx, one, startAt)
  })
}

const writeThinned = async (trx: Db, { number, names, hours }: Thinned, startAt: number): Promise<void> => {
  const day = { number, from: startAt, to: startAt + dayMs }
  await trx.run(deleteRollupsOfDay, { ...day, minutes: quarterly, series: names })
  await trx.run(deleteRollupsOfDay, { ...day, minutes: hourly, series: names.filter(isOfPages) })
  await writeRollups(trx, hours)
}
