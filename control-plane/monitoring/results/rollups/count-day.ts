/** A day is the sum of its hours. */
import type { CheckType } from '../../../../protocol/check-type.ts'
import type { App } from '../../../platform/app/app.ts'
import { addCellBytes, type Cells } from './cells.ts'
import { cellsOf, measuresOf } from './measures.ts'
import { checksBehind, findCheckNumber, type Progress, rollupsOfDay } from './queries.ts'
import { daily, dayMs, hourly } from './spans.ts'
import { type BackgroundSource, type Counted, takeStep, writeCounted } from './step.ts'

const checksInStep = 20

const countCheck = (
  { db, reading }: BackgroundSource,
  { id, type }: { id: string; type: string },
  startAt: number,
): Promise<Counted> =>
  reading.piece(async () => {
    const series = new Map<string, Cells>()
    const known = await db.get(findCheckNumber, { checkId: id })
    if (known === undefined) return { checkId: id, series }
    const names = measuresOf(type as CheckType).series
    const span = { number: known.number, minutes: hourly, from: startAt, to: startAt + dayMs }
    for (const row of await db.all(rollupsOfDay, { ...span, series: names }))
      addCellBytes(cellsOf(series, row.series), row.cells)
    return { checkId: id, series }
  })

/** The next checks of the day. Returns how many had anything to count; null: another step was done meanwhile. */
export const countDay = async (
  app: App,
  source: BackgroundSource,
  progress: Progress,
): Promise<number | null> => {
  const startAt = progress.days_until
  const checks = await app.db.all(checksBehind, { after: progress.days_after, limit: checksInStep })
  const counted: Counted[] = []
  for (const check of checks) {
    const one = await countCheck(source, check, startAt)
    if (one.series.size > 0) counted.push(one)
  }
  const to =
    checks.length < checksInStep
      ? { days_until: startAt + dayMs, days_after: '' }
      : { days_after: checks.at(-1)?.id ?? '' }
  const done = await takeStep(app, { from: progress, to, signal: source.signal }, async (trx) => {
    await writeCounted(trx, counted, { minutes: daily, startAt })
  })
  return done ? counted.length : null
}
