/** A year of results, put into the store as they would have come in, and packed, counted and ended by the loops day by day. */
import { randomUUID } from 'node:crypto'
import { packResultsTick } from '../../control-plane/monitoring/results/pack-results.ts'
import { rollupTick } from '../../control-plane/monitoring/results/rollups/rollup-tick.ts'
import { insertResults } from '../../control-plane/monitoring/results/stored/insert-results.ts'
import { makePeriods } from '../../control-plane/monitoring/results/stored/make-periods.ts'
import type { ResultWithDoc } from '../../control-plane/monitoring/results/stored/result.ts'
import { retentionTick } from '../../control-plane/platform/retention/retention-tick.ts'
import { uuidV7 } from '../../control-plane/platform/words/uuid.ts'
import { retentionKinds } from '../../control-plane/retention.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'
import { accountId } from '../../test/support/programs.ts'
import { randomFrom } from '../../test/support/random.ts'
import { unlikeSites } from '../support/unlike-results.ts'
import { dayMs } from './mix.ts'

export type FilledCheck = { id: string; everyMs: number; from: number }

/** As many as no block of documents has, so that none has the same twice. */
const documentsOfSite = 64
/** An hour is packed and counted a while after it is over. */
const settledMs = 20 * 60_000
const rowsAtOnce = 5000
const failingShare = 0.005

type Run = (at: number) => ResultWithDoc

/** Copies have a number below 8000 in these digits (clone-checks.ts): without that, a result of which chance made the same digits would have its copy's id, which a quarter of the small fills met. */
const notOfCopy = (id: string): string => {
  const digit = (Number.parseInt(id.charAt(24), 16) | 8).toString(16)
  return `${id.slice(0, 24)}${digit}${id.slice(25)}`
}

/** Response times are log-normal; documents are those of a site that no other check has. */
export const runsOf = ({ id: checkId }: FilledCheck, n: number): Run => {
  const site = unlikeSites(4 * (n + 1))[4 * n]
  if (site === undefined) throw new Error('there is no such site')
  const docs = Array.from({ length: documentsOfSite }, (_, run) => JSON.stringify(site.doc(run)))
  const random = randomFrom(n + 1)
  let next = 0
  return (at) => {
    const spread = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const took = Math.round(180 * Math.exp(0.45 * spread))
    const startedAt = at + Math.floor(random() * 300)
    const id = notOfCopy(uuidV7(at, randomUUID()))
    next = (next + 1) % documentsOfSite
    return {
      id,
      account_id: accountId,
      check_id: checkId,
      check_type: 'URL',
      result_type: 'FINAL',
      location: random() < 0.1 ? 'elsewhere' : 'local',
      due_at: at,
      started_at: startedAt,
      stopped_at: startedAt + took,
      created_at: startedAt + took + 20 + Math.floor(random() * 200),
      response_time: took + Math.floor(random() * 1000) / 1000,
      has_failures: random() < failingShare,
      has_errors: false,
      is_degraded: false,
      is_cancelled: false,
      over_max: false,
      attempts: 0,
      sequence_id: id,
      check_run_id: at,
      doc: docs[next] ?? '',
    }
  }
}

type Filling = { app: WholeApp; checks: readonly { check: FilledCheck; run: Run }[]; signal: AbortSignal }

const fillDay = async (
  { app, checks }: Filling,
  { from, to }: { from: number; to: number },
): Promise<number> => {
  const due = checks.flatMap(({ check, run }) => {
    const instants: { at: number; run: Run }[] = []
    const first = Math.ceil(Math.max(from, check.from) / check.everyMs) * check.everyMs
    for (let at = first; at < to; at += check.everyMs) instants.push({ at, run })
    return instants
  })
  due.sort((a, b) => a.at - b.at)
  for (let begin = 0; begin < due.length; begin += rowsAtOnce) {
    const rows = due.slice(begin, begin + rowsAtOnce).map(({ at, run }) => run(at))
    await app.db.transaction((trx) => insertResults(trx, rows))
  }
  return due.length
}

/** `from`: the begin of a day. */
type Days = { from: number; to: number; checks: readonly FilledCheck[] }
type Clock = { set(now: number): void }
type Progress = (results: number, until: number) => void

/** `app`'s clock stands where `clock` sets it. Returns how many results there are. */
export const fillResults = async (
  app: WholeApp,
  { from, to, checks }: Days,
  { clock, progress }: { clock: Clock; progress: Progress },
): Promise<number> => {
  const { signal } = new AbortController()
  const filling = { app, checks: checks.map((check, n) => ({ check, run: runsOf(check, n) })), signal }
  const retention = retentionTick(retentionKinds)
  let results = 0
  for (let day = from; day < to; day += dayMs) {
    clock.set(day)
    await makePeriods(app.db, { now: day })
    results += await fillDay(filling, { from: day, to: Math.min(to, day + dayMs) })
    clock.set(Math.min(to, day + dayMs + settledMs))
    await packResultsTick(app, signal)
    await rollupTick(app, signal)
    await retention(app, signal)
    progress(results, Math.min(to, day + dayMs))
  }
  return results
}
