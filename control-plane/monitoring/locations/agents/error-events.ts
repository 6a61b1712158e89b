/**
 * What agents report of their own failures: kept for a time (RETENTION_AGENT_ERRORS_DAYS), and the newest five hundred of a
 * location, which is nine megabytes at most.
 */

import type { ErrorEvent } from '../../../../protocol/agent-api.ts'
import type { App } from '../../../platform/app/app.ts'
import { type HasRetention, retentionOf } from '../../../platform/retention/settings.ts'
import { errorEventDoc } from './agent-docs.ts'
import { deleteBeyondNewest, deleteOldErrorEvents, insertErrorEvent } from './error-event-queries.ts'

const retainedOfLocation = 500
const deletedAtOnce = 1000

type Reported = { locationId: string; agentId: string; events: readonly ErrorEvent[] }

export const storeErrorEvents = (app: App, { locationId, agentId, events }: Reported): Promise<void> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    for (const event of events)
      await trx.run(insertErrorEvent, {
        id: app.newId(),
        location_id: locationId,
        agent_id: agentId,
        at: event.at,
        doc: errorEventDoc.write(event),
        created_at: now,
      })
    await trx.run(deleteBeyondNewest, { locationId, retained: retainedOfLocation, limit: deletedAtOnce })
  })
}

export const oldErrorEventsTick = async (app: App & HasRetention): Promise<void> => {
  const before = app.clock.now() - retentionOf(app, 'agentErrors')
  while ((await app.db.run(deleteOldErrorEvents, { before, limit: deletedAtOnce })) === deletedAtOnce);
}
