import type { TimerClock } from '../../protocol/clock.ts'
import type { LogLine, Observation } from '../../protocol/result.ts'
import type { RunLog } from '../base/run-log.ts'

/** `jobLog` of a result: the lines of each phase in their order. */
export type JobLog = Record<'setup' | 'request' | 'teardown', LogLine[]>

export type PhaseLog = {
  say(phase: keyof JobLog, level: LogLine['level'], msg: string): void
  /** What is said to it belongs to the phase; files are kept as ever. */
  during(phase: keyof JobLog): Pick<RunLog, 'say' | 'keep'>
  lines(): JobLog
}

const maxMessageLength = 8192
/** Of all phases, and as many characters: several scripts may print as much as each may. */
const maxLines = 1000
const maxCharacters = 256 * 1024

/** Says each line twice: into the run's log, and into the part of it that the result shows by phase. */
export const createPhaseLog = (
  runLog: Pick<RunLog, 'say' | 'keep'>,
  clock: Pick<TimerClock, 'now'>,
): PhaseLog => {
  const lines: JobLog = { setup: [], request: [], teardown: [] }
  const room = { lines: maxLines, characters: maxCharacters }
  const keep = (phase: keyof JobLog, level: LogLine['level'], msg: string): void => {
    lines[phase].push({ time: Math.floor(clock.now()), level, msg: msg.slice(0, maxMessageLength) })
  }
  const say: PhaseLog['say'] = (phase, level, msg) => {
    runLog.say(level, msg)
    if (room.lines <= 0 || room.characters <= 0) return
    room.lines -= 1
    room.characters -= Math.min(msg.length, maxMessageLength)
    keep(phase, level, msg)
    if (room.lines <= 0 || room.characters <= 0) keep(phase, 'WARN', 'What was said after this is not kept')
  }
  return {
    say,
    during: (phase) => ({ keep: runLog.keep, say: (level, msg) => say(phase, level, msg) }),
    lines: () => lines,
  }
}

/** A check without scripts whose run went without a word has no log. */
export const withJobLog = (observation: Observation, log: PhaseLog): Observation => {
  const jobLog = log.lines()
  if (Object.values(jobLog).every((lines) => lines.length === 0)) return observation
  return { ...observation, detail: { ...(observation.detail as object), jobLog } }
}
