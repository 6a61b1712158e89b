/**
 * Promise 1 as a recount: every due time of every check, worked out from what the check says of itself and nothing else,
 * against what the store holds. A due time must be there exactly once, as a FINAL result or as a missed run.
 */
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { allRows } from './all-results.ts'

export type Ledger = {
  checks: number
  /** Due times, per location, up to the moment of the recount. */
  due: number
  results: number
  missed: number
  missedByReason: Record<string, number>
  /** `check dueAt`: neither result nor missed run, more than one of them, or not a due time at all. */
  lost: string[]
  doubled: string[]
  unexpected: string[]
}

type Slots = { created_at: number; period_ms: number; phase_ms: number }

/** The first run is due at creation; the slots that follow sooner than half a period (at most 30 s) are left out. */
export const dueTimes = ({ created_at, period_ms, phase_ms }: Slots, until: number): number[] => {
  const quietUntil = created_at + Math.min(period_ms / 2, 30_000)
  const due = [created_at]
  let slot = Math.floor((quietUntil - phase_ms) / period_ms) * period_ms + phase_ms
  while (slot <= quietUntil) slot += period_ms
  for (; slot <= until; slot += period_ms) due.push(slot)
  return due.filter((at) => at <= until)
}

/** Whether nothing that was due by `until` is still under way. */
export const isSettled = async (db: Database, until: number): Promise<boolean> => {
  // In this order: what is planned between two questions is a job by the second one, and awaited by the third.
  const [schedule] = await db.select((k) =>
    k.selectFrom('schedules').select('check_id').where('next_at', '<=', until).limit(1),
  )
  const [job] = await db.select((k) =>
    k.selectFrom('jobs').select('id').where('due_at', '<=', until).limit(1),
  )
  const [awaited] = await db.select((k) =>
    k.selectFrom('awaited_runs').select('id').where('first_due_at', '<=', until).limit(1),
  )
  return job === undefined && schedule === undefined && awaited === undefined
}

/** For checks that run in one location. */
export const readLedger = async (db: Database, until: number): Promise<Ledger> => {
  const checks = await db.select((k) =>
    k
      .selectFrom('checks')
      .innerJoin('schedules', 'schedules.check_id', 'checks.id')
      .select(['checks.id', 'checks.created_at', 'schedules.period_ms', 'schedules.phase_ms']),
  )
  const results = (await allRows(db)).filter(
    ({ result_type, due_at }) => result_type === 'FINAL' && due_at <= until,
  )
  const missed = (await db.select((k) => k.selectFrom('missed_runs').selectAll())).flatMap((row) =>
    Array.from({ length: row.count }, (_, i) => ({
      check_id: row.check_id,
      due_at: row.first_due_at + i * row.period_ms,
      reason: row.reason,
    })).filter(({ due_at }) => due_at <= until),
  )
  const expected = checks.flatMap((check) => dueTimes(check, until).map((at) => `${check.id} ${at}`))
  const found = new Map<string, number>()
  for (const { check_id, due_at } of [...results, ...missed]) {
    const key = `${check_id} ${due_at}`
    found.set(key, (found.get(key) ?? 0) + 1)
  }
  const wanted = new Set(expected)
  const missedByReason: Record<string, number> = {}
  for (const { reason } of missed) missedByReason[reason] = (missedByReason[reason] ?? 0) + 1
  return {
    checks: checks.length,
    due: expected.length,
    results: results.length,
    missed: missed.length,
    missedByReason,
    lost: expected.filter((key) => !found.has(key)),
    doubled: [...found].filter(([, count]) => count > 1).map(([key]) => key),
    unexpected: [...found.keys()].filter((key) => !wanted.has(key)),
  }
}
