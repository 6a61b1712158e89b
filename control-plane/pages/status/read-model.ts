/** From the store to what a page shows. Bounded: the newest incidents, of which the page shows one update each; uptime knows all of its days. */
import { impactsDoc, impactsOf, severityOfImpact } from '../../communication/incidents/impacts.ts'
import {
  incidentSpansOfServices,
  incidentsOfPages,
  servicesOfIncidents,
} from '../../communication/incidents/queries.ts'
import { updatesOfIncidents } from '../../communication/incidents/update-queries.ts'
import { type Span, uptimeDays } from '../../communication/status-page-services/uptime.ts'
import { cardServicesOfPages, cardsOfPages } from '../../communication/stored-pages/card-queries.ts'
import { componentDoc, pageDoc } from '../../communication/stored-pages/page-doc.ts'
import { translationsDoc } from '../../communication/stored-pages/translations.ts'
import { dayMs, dayOf } from '../../monitoring/results/rollups/spans.ts'
import type { App } from '../../platform/app/app.ts'
import type {
  IncidentsTable,
  StatusPageServicesTable,
  StatusPagesTable,
} from '../../platform/store/database/tables/status-pages.ts'
import { causesOf } from './causes.ts'
import { type DailyRuns, dayAvailability } from './day-availability.ts'
import { type DayRuns, daysOf, uptimeOf } from './days.ts'
import { beganAt } from './event-facts.ts'
import { updateView } from './events-of-page.ts'
import type {
  IncidentView,
  MaintenanceView,
  NamedService,
  PageModel,
  ServiceView,
  UpdateView,
} from './model.ts'
import { currentMaintenance, type PageMaintenance, readMaintenance } from './read-maintenance.ts'
import { type LinkedCheck, linkedChecks } from './service-checks.ts'
import { isWorkedOn, pageState, serviceState } from './states.ts'

const maxIncidents = 500
/** Uptimes move although nothing happens. */
const trueForMs = 60_000
/** While results of days past are still being counted. */
const countingMs = 2000

type ReadPage = { model: PageModel; allMaintenance: readonly MaintenanceView[] }

export const readModel = async (app: App, page: StatusPagesTable): Promise<ReadPage> => {
  const now = app.clock.now()
  const pageIds = [page.id]
  const cards = (await app.db.all(cardsOfPages, { pageIds })).filter(isSeen)
  const cardIds = new Set(cards.map(({ id }) => id))
  const onCards = (await app.db.all(cardServicesOfPages, { pageIds })).filter(isSeen)
  const shown = onCards.filter(({ card_id }) => cardIds.has(card_id))
  const services = [...new Map(shown.map((row) => [row.id, row])).values()]
  const incidents = await readIncidents(app, page.id, new Set(services.map(({ id }) => id)))
  const work = await readMaintenance(
    app.db,
    { pageId: page.id, accountId: page.account_id, services: services.map(namedService) },
    now,
  )
  const linked = await linkedChecks(
    app.db,
    services.map(({ id }) => id),
  )
  const runs = await runsOfChecks(app, [...linked.values()].flat())
  const current = currentMaintenance(work.all, now)
  const open = incidents.filter(({ status }) => status !== 'RESOLVED')
  const spans = await spansOfServices(app, page.id, services)
  const hitting = open.flatMap(hittingNow)
  const facts = { spans, open: hitting, work, runs: runs.byCheck, linked, now }
  const because = causesOf(linked)
  const nameOf = new Map(services.map((row) => [row.id, namedService(row)]))
  const views = new Map(
    services.map((row) => [
      row.id,
      { ...serviceView(row, facts), because: because(row.id).flatMap((id) => nameOf.get(id) ?? []) },
    ]),
  )
  const { isPrivate, version: _, ...branding } = pageDoc.read(page.doc)
  const model: PageModel = {
    id: page.id,
    accountId: page.account_id,
    url: page.url,
    branding,
    isPrivate,
    state: pageState(
      [...views.values()].map(({ state }) => state),
      hitting,
      current,
    ),
    cards: cards.map(({ id, name, translations }) => ({
      ...{ id, name, translations: translationsDoc.read(translations) },
      services: shown.filter((row) => row.card_id === id).flatMap((row) => views.get(row.id) ?? []),
    })),
    open,
    past: incidents.filter(({ status }) => status === 'RESOLVED'),
    maintenance: current,
    at: now,
    until: Math.min(now + (runs.isComplete ? trueForMs : countingMs), work.changesAt, dayOf(now) + dayMs),
  }
  return { model, allMaintenance: work.all }
}

const isSeen = ({ doc }: { doc: string }): boolean => !componentDoc.read(doc).hidden

type Service = Pick<StatusPageServicesTable, 'id' | 'name' | 'translations'>

const namedService = ({ id, name, translations }: Service): NamedService => ({
  ...{ id, name, translations: translationsDoc.read(translations) },
})

/** Newest first, by when they began. */
const readIncidents = async (
  app: App,
  pageId: string,
  onPage: ReadonlySet<string>,
): Promise<IncidentView[]> => {
  const rows = await app.db.all(incidentsOfPages, { pageIds: [pageId], limit: maxIncidents })
  const ids = rows.map(({ id }) => id)
  const open = rows.filter(({ status }) => status !== 'RESOLVED').map(({ id }) => id)
  const services = Map.groupBy(
    await app.db.all(servicesOfIncidents, { ids }),
    ({ incident_id }) => incident_id,
  )
  const latest = Map.groupBy(
    await app.db.all(updatesOfIncidents, { ids: open, limit: 1 }),
    ({ incident_id }) => incident_id,
  )
  return rows
    .map((row) =>
      incidentView(row, {
        services: (services.get(row.id) ?? []).filter(({ id }) => onPage.has(id)),
        updates: (latest.get(row.id) ?? []).map(updateView),
      }),
    )
    .sort((a, b) => beganAt(b) - beganAt(a))
}

type IncidentParts = { services: readonly Service[]; updates: UpdateView[] }

const incidentView = (row: IncidentsTable, { services, updates }: IncidentParts): IncidentView => ({
  id: row.id,
  name: row.name,
  translations: translationsDoc.read(row.translations),
  severity: row.severity,
  status: row.status,
  startedAt: row.started_at,
  resolvedAt: row.resolved_at,
  createdAt: row.created_at,
  changedAt: row.updated_at ?? row.created_at,
  impacts: impactsDoc
    .read(row.impacts)
    .flatMap(({ serviceId, impact, to }) =>
      to === null && services.some(({ id }) => id === serviceId) ? [{ serviceId, impact }] : [],
    ),
  services: services.map(namedService),
  updates,
})

type Hitting = { severity: string; services: ReadonlyArray<{ id: string }> }

/** How bad it is for each service, where that was said. */
const hittingNow = ({ severity, services, impacts }: IncidentView): Hitting[] =>
  impacts.length === 0
    ? [{ severity, services }]
    : impacts.map(({ serviceId, impact }) => ({
        severity: impact === 'UNDER_MAINTENANCE' ? impact : severityOfImpact(impact),
        services: [{ id: serviceId }],
      }))

const runsOfChecks = (app: App, checks: readonly LinkedCheck[]): Promise<DailyRuns> => {
  const to = app.clock.now() + 1
  return dayAvailability(app, checks, { from: dayOf(to) - (uptimeDays - 1) * dayMs, to })
}

const summed = (checks: readonly LinkedCheck[], byCheck: DailyRuns['byCheck']): Map<number, DayRuns> => {
  const days = new Map<number, DayRuns>()
  for (const { id } of checks)
    for (const [day, { runs, failed }] of byCheck.get(id) ?? []) {
      const known = days.get(day) ?? { runs: 0, failed: 0 }
      days.set(day, { runs: known.runs + runs, failed: known.failed + failed })
    }
  return days
}

type Hit = Pick<IncidentsTable, 'severity' | 'impacts' | 'resolved_at'> & { started_at: number }

/** Work that was announced as such takes nothing from a service. */
const spansOf = (hit: Hit, serviceId: string): (Span & { severity: string })[] => {
  if (hit.impacts === '[]') return [{ severity: hit.severity, from: hit.started_at, to: hit.resolved_at }]
  return impactsOf(hit, [serviceId])
    .filter(({ impact }) => impact !== 'UNDER_MAINTENANCE')
    .map(({ impact, from, to }) => ({ severity: severityOfImpact(impact), from, to }))
}

type IncidentSpans = ReadonlyMap<string, readonly (Span & { severity: string })[]>

const spansOfServices = async (
  app: App,
  pageId: string,
  services: readonly StatusPageServicesTable[],
): Promise<IncidentSpans> => {
  const since = dayOf(app.clock.now()) - (uptimeDays - 1) * dayMs
  const serviceIds = services.map(({ id }) => id)
  const rows = await app.db.all(incidentSpansOfServices, { serviceIds, pageId, since })
  return new Map(
    [...Map.groupBy(rows, ({ service_id }) => service_id)].map(([id, hits]) => [
      id,
      hits.flatMap((hit) => spansOf(hit, id)),
    ]),
  )
}

type Facts = {
  spans: IncidentSpans
  open: readonly Hitting[]
  work: PageMaintenance
  runs: DailyRuns['byCheck']
  linked: ReadonlyMap<string, readonly LinkedCheck[]>
  now: number
}

const serviceView = (
  row: StatusPageServicesTable,
  { spans, open, work, runs, linked, now }: Facts,
): Omit<ServiceView, 'because'> => {
  const own = linked.get(row.id) ?? []
  const checks = own.flatMap((check) => check.now ?? [])
  const firsts = own.flatMap(({ measuredFrom }) => measuredFrom ?? [])
  const state = serviceState(row.id, { open, maintenance: work.all, checks })
  const days = daysOf(
    {
      incidents: spans.get(row.id) ?? [],
      maintenance: work.excused.get(row.id) ?? [],
      runs: summed(own, runs),
      measuredFrom: firsts.length === 0 ? null : Math.min(...firsts),
      state,
      isFailing: !isWorkedOn(row.id, work.all) && checks.some((check) => check.state === 'failing'),
    },
    now,
  )
  return { ...namedService(row), state, uptime: uptimeOf(days), days }
}
