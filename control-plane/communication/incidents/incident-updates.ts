/** Posting, editing and removing updates. Each holds the incident's lock and brings its status and times in line. */
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type {
  IncidentsTable,
  IncidentUpdatesTable,
} from '../../platform/store/database/tables/status-pages.ts'
import { ApiError, invalid, notFound, violation } from '../../platform/words/errors.ts'
import { readInstant } from '../../platform/words/shapes/instants.ts'
import { announce } from '../status-page-subscriptions/announce.ts'
import { translationsDoc } from '../stored-pages/translations.ts'
import { lockIncident } from './queries.ts'
import type { IncidentUpdateChanges, NewIncidentUpdate } from './schema.ts'
import type { IncidentStatus } from './timeline.ts'
import {
  changeIncidentUpdate,
  deleteIncidentUpdate,
  findIncidentUpdate,
  insertIncidentUpdate,
  stepsOfIncident,
} from './update-queries.ts'
import { writeTimeline } from './write-timeline.ts'

type OneIncident = { incidentId: string; accountId: string }
type Row = IncidentUpdatesTable & { status: IncidentStatus }

/** Clocks of callers may be this far ahead. */
const toleranceMs = 60_000

type NewRow = OneIncident & { id: string; now: number; path: string; status: IncidentStatus }

/** `status`: what it is unless the update says so; `path`: where the update is in the body. @throws ApiError 400 */
export const updateRow = (update: NewIncidentUpdate, given: NewRow): Row => ({
  id: given.id,
  account_id: given.accountId,
  incident_id: given.incidentId,
  status: update.status ?? given.status,
  description: update.description,
  translations: translationsDoc.write(update.translations ?? {}),
  published_at: happenedAt(update.publicIncidentUpdateDate, given) ?? given.now,
  notify_subscribers: update.notifySubscribers ?? false,
  created_at: given.now,
})

/** What an update changes of its incident, beside its status: what is returned is written with it. */
type AlsoChange = (
  trx: Db,
  incident: IncidentsTable,
  update: IncidentUpdatesTable,
) => Promise<Pick<IncidentsTable, 'impacts' | 'severity'>>

/** @throws ApiError 400, 404 */
export const postUpdate = (
  app: App,
  one: OneIncident,
  update: NewIncidentUpdate,
  also?: AlsoChange,
): Promise<IncidentUpdatesTable> => {
  const now = app.clock.now()
  const id = app.newId()
  return changing(app, one, async (trx, incident) => {
    const status = incident.status as IncidentStatus
    const row = updateRow(update, { ...one, id, now, path: '', status })
    await trx.run(insertIncidentUpdate, row)
    if (also !== undefined) Object.assign(incident, await also(trx, incident, row))
    await announceUpdate(trx, row)
    return row
  })
}

/** Subscribers are mailed when an update is first posted. */
export const announceUpdate = async (trx: Db, row: IncidentUpdatesTable): Promise<void> => {
  const { incident_id: subject, account_id: accountId, created_at: now } = row
  if (row.notify_subscribers) await announce(trx, { kind: 'INCIDENT', subject, accountId, now })
}

/** Only what is sent changes. @throws ApiError 400, 404 */
export const editUpdate = (
  app: App,
  { id, ...one }: OneIncident & { id: string },
  changes: IncidentUpdateChanges,
): Promise<IncidentUpdatesTable> => {
  const now = app.clock.now()
  const publishedAt = happenedAt(changes.publicIncidentUpdateDate, { now, path: '' })
  return changing(app, one, async (trx) => {
    const before = await trx.get(findIncidentUpdate, { id, ...one })
    if (!before) throw notFound()
    const notify = changes.notifySubscribers ?? before.notify_subscribers
    const row: IncidentUpdatesTable = {
      ...before,
      status: changes.status ?? before.status,
      description: changes.description ?? before.description,
      translations: changes.translations ? translationsDoc.write(changes.translations) : before.translations,
      published_at: publishedAt ?? before.published_at,
      notify_subscribers: notify,
    }
    await trx.run(changeIncidentUpdate, row)
    return row
  })
}

/** @throws ApiError 404, 409 */
export const removeUpdate = (app: App, { id, ...one }: OneIncident & { id: string }): Promise<void> =>
  changing(app, one, async (trx) => {
    if ((await trx.run(deleteIncidentUpdate, { id, ...one })) === 0) throw notFound()
    if ((await trx.all(stepsOfIncident, one)).length === 0)
      throw new ApiError(409, 'An incident has at least one update: delete the incident instead')
  })

const changing = <T>(
  app: App,
  { incidentId: id, accountId }: OneIncident,
  work: (trx: Db, incident: IncidentsTable) => Promise<T>,
): Promise<T> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const incident = await trx.get(lockIncident, { id, accountId })
    if (!incident) throw notFound()
    const done = await work(trx, incident)
    await writeTimeline(trx, incident, now)
    return done
  })
}

const happenedAt = (
  text: string | undefined,
  { now, path }: { now: number; path: string },
): number | null => {
  if (text === undefined) return null
  const instant = readInstant(text)
  const problem =
    instant === null
      ? 'is not a moment from 1970 to 2999'
      : instant > now + toleranceMs
        ? 'must not be in the future'
        : null
  if (problem !== null) throw invalid([violation(`${path}publicIncidentUpdateDate`, 'instant', problem)])
  return instant
}
