import type { App } from '../../../platform/app/app.ts'
import type { HasArtifacts } from '../../../platform/store/artifact-store/store.ts'
import { leftBundles, retireBundle, unusedBundles } from './queries.ts'
import { discard } from './receive-bundle.ts'

const batch = 100

/** A bundle that no check runs is kept for so long: the next version of a check may take it up again. */
export const unusedDays = 30
const unusedMs = unusedDays * 86_400_000
/** No upload takes as long: what was being received then was left by a control plane that ended. */
const receivedWithinMs = 3_600_000

/** Removes the bundles that no check has run for long, and what uploads left behind. */
export const sweepBundlesTick = async (app: App & HasArtifacts): Promise<void> => {
  const now = app.clock.now()
  const unusedSince = now - unusedMs
  const unused = await app.db.all(unusedBundles, { unusedSince, limit: batch })
  for (const { id } of unused) await app.db.run(retireBundle, { id, unusedSince })
  const left = await app.db.all(leftBundles, { unusedSince: now - receivedWithinMs, limit: batch })
  for (const { id } of left) await discard(app, id)
}
