import type { App } from '../../../app/app.ts'
import { query } from '../../../store/database/query.ts'

const anything = query('probe-store', (k, _: Record<string, never>) =>
  k.selectFrom('liveness').select('id').limit(1),
)

/** Whether the store answers, once it has said so. */
export const probeStore = (app: App): Promise<boolean> =>
  app.db.get(anything, {}).then(
    () => true,
    () => false,
  )

/** Shorter than orchestrators usually wait for a probe. */
const answerWithinMs = 900

/** Whether the store can be read. One that is slow to say is what it was found to be last: busy is not away. */
export const createStoreReach = (app: App): (() => Promise<boolean>) => {
  let last = true
  return async () => {
    const answered = new AbortController()
    // Why it fails is logged by whoever needs the store for more than this question.
    const settled = probeStore(app).then((reached) => {
      last = reached
    })
    await Promise.race([settled, app.clock.sleep(answerWithinMs, answered.signal)])
    answered.abort()
    return last
  }
}
