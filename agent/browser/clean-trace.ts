import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { maxArtifactBytes } from '../../protocol/artifact.ts'
import type { TimerClock } from '../../protocol/clock.ts'

const worker = new URL('trace-worker.ts', import.meta.url)
const timeMs = 60_000
const maxHeapMb = 512

/** Takes secrets and credentials out of an archive or a HAR file, in its place. Resolves with why it cannot be kept, or null. */
export const cleanTrace = async (
  { path, name }: { path: string; name: string },
  secrets: readonly string[],
  clock: Pick<TimerClock, 'at'>,
): Promise<string | null> => {
  const { size } = await stat(path)
  if (size > maxArtifactBytes) return `it is larger than ${maxArtifactBytes / 1024 / 1024} MB`
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const thread = new Worker(worker, {
    workerData: { path, name, secrets },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    stdout: true,
    stderr: true,
  })
  const cancel = clock.at(timeMs, () => resolve('to look for secrets in it took too long'))
  thread.once('message', () => resolve(null))
  thread.once('error', ({ message }) => resolve(message))
  thread.once('exit', () => resolve('nobody could look for secrets in it'))
  const problem = await promise
  cancel()
  await thread.terminate()
  return problem
}
