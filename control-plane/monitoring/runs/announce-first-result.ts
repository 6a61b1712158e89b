import type { App } from '../../platform/app.ts'
import { query } from '../../platform/database/query.ts'

/** Who waits for a result to be stored listens to this name (app.wakeups). */
export const resultStored = 'result stored'

const latestResult = query('latest-result', (k, _: Record<string, never>) =>
  k
    .selectFrom('results as r')
    .innerJoin('checks as c', 'c.id', 'r.check_id')
    .select(['r.id', 'r.check_id', 'r.location', 'r.has_failures', 'r.response_time', 'c.name'])
    .orderBy('r.id', 'desc')
    .limit(1),
)

/** One line when the first result of this process is stored: whoever just started it waits for that. */
export const announceFirstResult = async (app: App, signal: AbortSignal): Promise<void> => {
  const listener = app.wakeups.listen(resultStored)
  const stopped = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  await Promise.race([listener.woken, stopped])
  listener.stop()
  const result = signal.aborted ? undefined : await app.db.get(latestResult, {})
  if (!result) return
  app.log.info(
    {
      check: result.name,
      location: result.location,
      passed: !result.has_failures,
      responseTimeMs: result.response_time,
      checkId: result.check_id,
    },
    'first result',
  )
}
