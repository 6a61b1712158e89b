import type { ArtifactType } from '../../protocol/artifact.ts'
import type { Clock } from '../../protocol/clock.ts'
import type { LogLine } from '../../protocol/result.ts'

/**
 * A file that a run leaves behind: shown beside its result. `content` is its bytes, or the path of a file that the run
 * hands over: it is there until the agent has taken it, which then removes it. Secrets are found in the bytes as they are:
 * whoever makes an archive takes them out first.
 */
export type Artifact = {
  type: ArtifactType
  /** A plain file name. Of several with one name each gets its own. */
  name: string
  contentType: string
  content: Buffer | { path: string }
}

/**
 * What a run leaves behind beside its observation: lines for people, and files. Bounded: what is over the limits is
 * counted and said in the last line, never dropped silently.
 */
export type RunLog = {
  say(level: LogLine['level'], msg: string): void
  keep(artifact: Artifact): void
  /** A value that nobody may read in what the run leaves, known since the run began. */
  hide(secret: string): void
}

/** The same for whoever reports the run. */
export type ReadableRunLog = RunLog & {
  /** At most `maxLines` lines, the last of which says what is missing. */
  lines(): LogLine[]
  artifacts(): Artifact[]
  secrets(): string[]
}

/** As many as a report may carry. */
export const maxLines = 1000
const maxMessageLength = 8192

/** An empty log, whose lines are stamped by `clock`. */
export const createRunLog = (clock: Pick<Clock, 'now'>): ReadableRunLog => {
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
