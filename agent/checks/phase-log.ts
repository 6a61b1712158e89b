import type { LogLine } from '../../protocol/result.ts'
import type { Clock } from '../io.ts'
import type { Trail } from '../trail.ts'

/** `jobLog` of a result: the lines of each phase in their order. */
export type JobLog = Record<'setup' | 'request' | 'teardown', LogLine[]>

export type PhaseLog = {
  say(phase: keyof JobLog, level: LogLine['level'], msg: string): void
  lines(): JobLog
}

const maxMessageLength = 8192

/** Says each line twice: into the run's log, and into the part of it that the result shows by phase. */
export const createPhaseLog = (trail: Pick<Trail, 'say'>, clock: Pick<Clock, 'now'>): PhaseLog => {
  const lines: JobLog = { setup: [], request: [], teardown: [] }
  return {
    say: (phase, level, msg) => {
      trail.say(level, msg)
      lines[phase].push({ time: Math.floor(clock.now()), level, msg: msg.slice(0, maxMessageLength) })
    },
    lines: () => lines,
  }
}
