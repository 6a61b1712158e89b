import type { App } from '../../platform/app.ts'
import { artifactKey } from '../../platform/artifact-store/store.ts'
import { deleteArtifact, expiredArtifacts } from './queries.ts'

const batch = 100

/** Removes the files whose time is over or whose check is gone, then what was known of them. */
export const sweepArtifactsTick = async (app: App): Promise<void> => {
  let found = batch
  while (found === batch) {
    const expired = await app.db.all(expiredArtifacts, { now: app.clock.now(), limit: batch })
    found = expired.length
    for (const { result_id: resultId, name } of expired) {
      const key = artifactKey(resultId, name)
      await app.artifacts.uploads.take(key, async () => {
        await app.artifacts.store.remove(key)
        await app.db.run(deleteArtifact, { resultId, name })
      })
    }
  }
}
