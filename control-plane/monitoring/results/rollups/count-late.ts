/**
 * Results that came in when their hour was counted already: their hours are counted again with them. What is there is added
 * to, and not read anew from the raw results, of which retention may have removed some; each result is added once, since it
 * is noted until the transaction that adds it.
 */
import type { CheckType } from '../../../../protocol/check-type.ts'
import type { App } from '../../../platform/app/app.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { LateResultsTable } from '../../../platform/store/database/tables/rollups.ts'
import { namedRawResults, type RawResult } from '../raw-results.ts'
import { addCellBytes, addCells, type Cells, merged, wholeHour } from './cells.ts'
import { cellsOf, intoCells, isOfPages, measuresOf } from './measures.ts'
import {
  deleteLateResult,
  holdChecks,
  lateResultsBefore,
  type Progress,
  rollupsOfDay,
  writeRollups,
} from './queries.ts'
import { daily, dayMs, dayOf, type Grain, hourly, hourMs, hourOf, quarterly } from './spans.ts'
import { type BackgroundSource, numbersOfChecks, rowsOf, takeStep } from './step.ts'

const resultsInStep = 200
/** Each is some twenty rows to write. */
const hoursInStep = 12

type LateHour = { checkId: string; startAt: number; series: Map<string, Cells> }

/** The next late results. Returns how many hours it counted again; null: another step was done meanwhile. */
export const countLate = async (
  app: App,
  source: BackgroundSource,
  progress: Progress,
): Promise<number | null> => {
  const all = await app.db.all(lateResultsBefore, { before: progress.hours_until, limit: resultsInStep })
  if (all.length === 0) return 0
  const late = ofFirstHours(all)
  const hours = await hoursOf(source, late)
  const done = await takeStep(app, { from: progress, to: {}, signal: source.signal }, async (trx) => {
    const numbers = await numbersOfChecks(trx, [...new Set(hours.map(({ checkId }) => checkId))])
    for (const hour of hours) {
      const number = numbers.get(hour.checkId)
      if (number !== undefined) await addToRollups(trx, { ...hour, number, progress })
    }
    for (const { started_at, result_id } of late)
      await trx.run(deleteLateResult, { startedAt: started_at, id: result_id })
  })
  return done ? hours.length : null
}

const ofFirstHours = (late: readonly LateResultsTable[]): LateResultsTable[] => {
  const hours = new Set<string>()
  return late.filter(({ check_id, started_at }) => {
    const hour = `${hourOf(started_at)} ${check_id}`
    if (hours.size < hoursInStep) hours.add(hour)
    return hours.has(hour)
  })
}

const hoursOf = async (source: BackgroundSource, late: readonly LateResultsTable[]): Promise<LateHour[]> => {
  const hours: LateHour[] = []
  const checkIds = [...new Set(late.map(({ check_id }) => check_id))]
  for (const { id, type } of await source.db.all(holdChecks, { ids: checkIds })) {
    const measures = measuresOf(type as CheckType)
    const ids = late.flatMap(({ check_id, result_id }) => (check_id === id ? [result_id] : []))
    const results = await source.reading.piece(() =>
      namedRawResults(source.db, { ids, parts: measures.parts }),
    )
    for (const [startAt, ofHour] of byHour(results)) {
      const series = new Map<string, Cells>()
      for (const result of ofHour) measures.count(series, result)
      hours.push({ checkId: id, startAt, series })
    }
  }
  return hours
}

const byHour = (results: readonly RawResult[]): Map<number, RawResult[]> =>
  Map.groupBy(results, ({ startedAt }) => hourOf(startedAt))

type Addition = LateHour & { number: number; progress: Progress }

/** To the hour and its quarters, as they are kept by now, and to its day where that is counted already. */
const addToRollups = async (
  trx: Db,
  { checkId, startAt, series, number, progress }: Addition,
): Promise<void> => {
  const day = dayOf(startAt)
  const isBefore = (until: number, after: string): boolean =>
    day < until || (day === until && checkId <= after)
  const ofHour = { number, startAt, ms: hourMs }
  if (isBefore(progress.thinned_until, progress.thinned_after)) {
    const left = new Map([...series].filter(([name]) => !isOfPages(name)))
    await addTo(trx, intoCells(left, merged), { ...ofHour, minutes: hourly })
  } else {
    await addTo(trx, series, { ...ofHour, minutes: quarterly })
    await addTo(trx, intoCells(series, wholeHour), { ...ofHour, minutes: hourly })
  }
  if (isBefore(progress.days_until, progress.days_after))
    await addTo(trx, intoCells(series, wholeHour), { number, startAt: day, ms: dayMs, minutes: daily })
}

type Target = { number: number; minutes: Grain; startAt: number; ms: number }

const addTo = async (
  trx: Db,
  series: Map<string, Cells>,
  { number, minutes, startAt, ms }: Target,
): Promise<void> => {
  const sums = new Map<string, Cells>()
  const span = { number, minutes, from: startAt, to: startAt + ms, series: [...series.keys()] }
  for (const row of await trx.all(rollupsOfDay, span)) addCellBytes(cellsOf(sums, row.series), row.cells)
  for (const [name, cells] of series) {
    const sum = cellsOf(sums, name)
    addCells(sum, cells)
  }
  await writeRollups(trx, rowsOf(sums, { number, minutes, startAt }))
}
