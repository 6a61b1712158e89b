import type { Clock } from '../protocol/clock.ts'
import type { LogLine } from '../protocol/result.ts'
import type { Artifact } from './artifact.ts'

/**
 * What a run leaves behind beside its observation: lines for people, and files. Bounded: what is over the limits is
 * counted and said in the last line, never dropped silently.
 */
export type Trail = {
  say(level: LogLine['level'], msg: string): void
  keep(artifact: Artifact): void
  /** A value that nobody may read in what the run leaves, known since the run began. */
  hide(secret: string): void
}

export type KeptTrail = Trail & {
  /** At most `maxLines` lines, the last of which says what is missing. */
  lines(): LogLine[]
  artifacts(): Artifact[]
  secrets(): string[]
}

export const maxLines = 1000
const maxMessageLength = 8192

export const createTrail = (clock: Pick<Clock, 'now'>): KeptTrail => {
  const lines: LogLine[] = []
  const artifacts: Artifact[] = []
  const secrets = new Set<string>()
  let missing = 0
  return {
    say: (level, msg) => {
      if (lines.length < maxLines - 1)
        lines.push({ time: Math.floor(clock.now()), level, msg: shortened(msg) })
      else missing += 1
    },
    keep: (artifact) => {
      artifacts.push(artifact)
    },
    hide: (secret) => {
      secrets.add(secret)
    },
    lines: () =>
      missing === 0
        ? [...lines]
        : [
            ...lines,
            { time: Math.floor(clock.now()), level: 'WARN', msg: `${missing} more lines are not kept` },
          ],
    artifacts: () => [...artifacts],
    secrets: () => [...secrets],
  }
}

const shortened = (msg: string): string =>
  msg.length <= maxMessageLength ? msg : `${msg.slice(0, maxMessageLength - 40)}… (${msg.length} characters)`
