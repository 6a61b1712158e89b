/** When a run was, as far as its agent can be believed. Pure. */
import type { Report } from '../../../protocol/result.ts'

/** Agents follow our clock, and drift while they do not hear from us. */
const clockSlackMs = 60_000

const clamp = (at: number, from: number, to: number): number => Math.min(Math.max(at, from), to)

/**
 * No run is before its due time, nor after now: where a result lies and when its period ends follow from its start, so that
 * a clock that is years off would keep a day for ever. A run that was elsewhere is moved, as long as it took, and its log says so.
 */
export const atItsTime = (report: Report, { dueAt, now }: { dueAt: number; now: number }): Report => {
  const [earliest, latest] = [dueAt - clockSlackMs, Math.max(dueAt, now) + clockSlackMs]
  const startedAt = clamp(report.startedAt, earliest, latest)
  const stoppedAt = clamp(startedAt + report.stoppedAt - report.startedAt, startedAt, latest)
  if (startedAt === report.startedAt && stoppedAt === report.stoppedAt) return report
  const msg = `The agent's clock is off: it said that this run was from ${saidAt(report.startedAt)} to ${saidAt(report.stoppedAt)}, which cannot be. The times of the result are moved to where they can.`
  return { ...report, startedAt, stoppedAt, log: [...report.log, { time: now, level: 'WARN', msg }] }
}

const saidAt = (at: number): string => new Date(at).toISOString()
