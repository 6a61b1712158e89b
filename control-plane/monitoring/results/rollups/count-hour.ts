/** An hour that is closed is counted once, check by check, from the raw results. */
import type { CheckType } from '../../../../protocol/check-type.ts'
import type { App } from '../../../platform/app/app.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { eachRawResult } from '../raw-results.ts'
import { type Cells, wholeHour } from './cells.ts'
import { intoCells, measuresOf } from './measures.ts'
import { checksBehind, deleteLateResult, lateResultsOfHour, type Progress } from './queries.ts'
import { hourly, hourMs, quarterly } from './spans.ts'
import { type BackgroundSource, type Counted, takeStep, writeCounted } from './step.ts'

/** A step ends behind the check with which it has read so many results. */
const resultsInStep = 1500
/** Or with which it has so many rows to write. */
const countedInStep = 15
const checksInStep = 100

type Hour = { source: BackgroundSource; startAt: number }
type CountedCheck = Counted & { resultIds: string[] }

const countCheck = async (
  { source, startAt }: Hour,
  { id, type }: { id: string; type: string },
): Promise<CountedCheck> => {
  const measures = measuresOf(type as CheckType)
  const series = new Map<string, Cells>()
  const resultIds: string[] = []
  const filter = { checkId: id, from: startAt, to: startAt + hourMs, status: null, parts: measures.parts }
  await eachRawResult(source, filter, (result) => {
    measures.count(series, result)
    resultIds.push(result.id)
  })
  return { checkId: id, series, resultIds }
}

/** The next checks of the hour. Returns how many it counted results of; null: another step was done meanwhile. */
export const countHour = async (
  app: App,
  source: BackgroundSource,
  progress: Progress,
): Promise<number | null> => {
  const startAt = progress.hours_until
  const checks = await app.db.all(checksBehind, { after: progress.hours_after, limit: checksInStep })
  const counted: CountedCheck[] = []
  let results = 0
  let last = progress.hours_after
  for (const check of checks) {
    if (results >= resultsInStep || counted.length >= countedInStep) break
    const one = await countCheck({ source, startAt }, check)
    results += one.resultIds.length
    if (one.resultIds.length > 0) counted.push(one)
    last = check.id
  }
  const hours = counted.map((one) => ({ ...one, series: intoCells(one.series, wholeHour) }))
  const isOver = checks.length < checksInStep && last === (checks.at(-1)?.id ?? last)
  const to = isOver ? { hours_until: startAt + hourMs, hours_after: '' } : { hours_after: last }
  const done = await takeStep(app, { from: progress, to, signal: source.signal }, async (trx) => {
    await writeCounted(trx, counted, { minutes: quarterly, startAt })
    await writeCounted(trx, hours, { minutes: hourly, startAt })
    await forgetLate(trx, { startAt, resultIds: counted.flatMap((one) => one.resultIds) })
  })
  return done ? counted.length : null
}

/** What came in late but before it was read is counted with the rest; what came in after that is still noted. */
const forgetLate = async (
  trx: Db,
  { startAt, resultIds }: { startAt: number; resultIds: readonly string[] },
): Promise<void> => {
  const late = await trx.all(lateResultsOfHour, { from: startAt, to: startAt + hourMs })
  if (late.length === 0) return
  const counted = new Set(resultIds)
  for (const { started_at, result_id } of late)
    if (counted.has(result_id)) await trx.run(deleteLateResult, { startedAt: started_at, id: result_id })
}
