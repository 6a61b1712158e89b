import type { App } from '../../platform/app/app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import { query } from '../../platform/store/database/query.ts'
import { newestResult } from '../results/stored/find-results.ts'

/** Who waits for a result to be stored listens to this name (app.wakeups). */
export const resultStored = 'result stored'

const nameOfCheck = query('name-of-check', (k, p: { id: string }) =>
  k.selectFrom('checks').select('name').where('id', '=', p.id),
)

/** One line when the first result of this process is stored: whoever just started it waits for that. */
export const announceFirstResult = async (app: App & HasWakeups, signal: AbortSignal): Promise<void> => {
  const listener = app.wakeups.listen(resultStored)
  const stopped = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  await Promise.race([listener.woken, stopped])
  listener.stop()
  const result = signal.aborted ? undefined : await newestResult(app.db)
  const check = result && (await app.db.get(nameOfCheck, { id: result.check_id }))
  if (!result || !check) return
  app.log.info(
    {
      check: check.name,
      location: result.location,
      passed: !result.has_failures,
      responseTimeMs: result.response_time,
      checkId: result.check_id,
    },
    'first result',
  )
}
