import type { App } from '../../platform/app/app.ts'
import { artifactKey, type HasArtifacts } from '../../platform/store/artifact-store/store.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { deleteArtifact, expiredArtifacts } from './queries.ts'
import { addUsage } from './usage.ts'

const batch = 100

/** Removes the files whose time is over or whose check is gone, then what was known of them. */
export const sweepArtifactsTick = async (app: App & HasArtifacts): Promise<void> => {
  let found = batch
  while (found === batch) {
    const expired = await app.db.all(expiredArtifacts, { now: app.clock.now(), limit: batch })
    found = expired.length
    for (const { result_id: resultId, name } of expired) {
      const key = artifactKey(resultId, name)
      await app.artifacts.uploads.take(key, async () => {
        await app.artifacts.store.remove(key)
        await app.db.transaction((trx) => forget(trx, { resultId, name }))
      })
    }
  }
}

/** Its bytes are free again, once: another control plane may have swept it meanwhile. */
const forget = async (trx: Db, artifact: { resultId: string; name: string }): Promise<void> => {
  const gone = await trx.get(deleteArtifact, artifact)
  if (gone !== undefined && gone.refused === null) await addUsage(trx, gone, -gone.size)
}
