import { CannotRun } from '../base/cannot-run.ts'
import type { BrowserEnding } from './run-browser-child.ts'
import type { SeenState } from './task.ts'

/** With so much of the memory that its run may have, a page has used it up itself. */
const ownShare = 0.75

type Died = { seen: Pick<SeenState, 'browserDeath'>; use: Pick<BrowserEnding['use'], 'peakBytes'> }

/**
 * Throws where a run failed because its browser died, or a page of it: of a bug, or because somebody on this machine ended it, the
 * kernel without memory above all. That says nothing of the target (docs/browser-checks.md). `maxMemoryMb`: of the run; `why`:
 * what it failed with.
 */
export const holdToBrowser = (
  { seen, use }: Died,
  { maxMemoryMb, why }: { maxMemoryMb: number; why: string },
): void => {
  const { browserDeath } = seen
  if (browserDeath === null || use.peakBytes > ownShare * maxMemoryMb * 1024 * 1024) return
  const usedMb = Math.round(use.peakBytes / 1024 / 1024)
  throw new CannotRun(
    `${browserDeath} when its run used ${usedMb} MB of the ${maxMemoryMb} MB that it may have, so that nothing is known of the target. What was seen: ${why}`,
  )
}
