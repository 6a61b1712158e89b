import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { maxArtifactBytes } from '../../protocol/artifact.ts'
import type { TimerClock } from '../../protocol/clock.ts'
import type { RunLog } from '../base/run-log.ts'
import type { Dropped } from './clean-archive.ts'
import type { CleaningTask } from './trace-worker.ts'

const worker = new URL('trace-worker.ts', import.meta.url)
const timeMs = 60_000
const maxHeapMb = 512
const maxNamed = 10

type Cleaning = { secrets: readonly string[]; clock: Pick<TimerClock, 'at'>; say: RunLog['say'] }

/**
 * Takes secrets and credentials out of an archive or a HAR file, in its place, and out of an archive what makes it too large. Resolves
 * with whether it can be kept; what is not is said.
 */
export const cleanTrace = async (
  { path, name }: { path: string; name: string },
  { secrets, clock, say }: Cleaning,
): Promise<boolean> => {
  const cleaned = await clean({ path, name }, secrets, clock)
  if (typeof cleaned === 'string') {
    say('WARN', `The file ${name} is not kept: ${cleaned}`)
    return false
  }
  for (const dropped of cleaned.slice(0, maxNamed))
    say('WARN', `The file ${name} is kept without ${inWords(dropped)}`)
  if (cleaned.length > maxNamed)
    say(
      'WARN',
      `The file ${name} is kept without ${cleaned.length - maxNamed} more files of it, for its size`,
    )
  return true
}

const inWords = ({ name, bytes }: Dropped): string =>
  `${name} (${(bytes / 1024 / 1024).toFixed(1)} MB): with it, it would be larger than ${maxArtifactBytes / 1024 / 1024} MB`

/** What it is kept without, or why it cannot be. */
const clean = async (
  { path, name }: { path: string; name: string },
  secrets: readonly string[],
  clock: Pick<TimerClock, 'at'>,
): Promise<string | readonly Dropped[]> => {
  const { size } = await stat(path)
  if (size > maxArtifactBytes && name.endsWith('.har'))
    return `it is larger than ${maxArtifactBytes / 1024 / 1024} MB`
  const { promise, resolve } = Promise.withResolvers<string | readonly Dropped[]>()
  const thread = new Worker(worker, {
    workerData: { path, name, secrets, maxBytes: maxArtifactBytes } satisfies CleaningTask,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    stdout: true,
    stderr: true,
  })
  const cancel = clock.at(timeMs, () => resolve('to look for secrets in it took too long'))
  thread.once('message', resolve)
  thread.once('error', ({ message }) => resolve(message))
  thread.once('exit', () => resolve('nobody could look for secrets in it'))
  const ended = await promise
  cancel()
  await thread.terminate()
  return ended
}
