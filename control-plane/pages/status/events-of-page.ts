/** One incident of a page, or its newest ones, with all that was said: read when a page of theirs is made. */
import { updatesOfIncidents } from '../../communication/incidents/update-queries.ts'
import { translationsDoc } from '../../communication/stored-pages/translations.ts'
import type { App } from '../../platform/app/app.ts'
import type { IncidentUpdatesTable } from '../../platform/store/database/tables/status-pages.ts'
import type { IncidentView, PageModel, UpdateView } from './model.ts'

const maxUpdates = 100
const newest = 25
const updatesInFeed = 10

export const updateView = ({
  status,
  description,
  translations,
  published_at,
}: IncidentUpdatesTable): UpdateView => ({
  ...{ status, description, translations: translationsDoc.read(translations), at: published_at },
})

/** As the page lists it. */
export const incidentOf = ({ open, past }: PageModel, id: string): IncidentView | null =>
  [...open, ...past].find((incident) => incident.id === id) ?? null

export const incidentOfPage = async (
  app: App,
  model: PageModel,
  id: string,
): Promise<IncidentView | null> => {
  const known = incidentOf(model, id.toLowerCase())
  if (known === null) return null
  const [whole] = await withUpdates(app, [known], maxUpdates)
  return whole ?? null
}

/** Of feeds. */
export const newestIncidents = (app: App, { open, past }: PageModel): Promise<IncidentView[]> =>
  withUpdates(
    app,
    [...open, ...past].sort((a, b) => b.changedAt - a.changedAt).slice(0, newest),
    updatesInFeed,
  )

const withUpdates = async (
  app: App,
  incidents: readonly IncidentView[],
  limit: number,
): Promise<IncidentView[]> => {
  const rows = await app.db.all(updatesOfIncidents, { ids: incidents.map(({ id }) => id), limit })
  const byIncident = Map.groupBy(rows, ({ incident_id }) => incident_id)
  return incidents.map((incident) => ({
    ...incident,
    updates: (byIncident.get(incident.id) ?? []).map(updateView),
  }))
}
