/** The maintenance that a page shows: what is under way and what comes, and when each service was worked on. */
import { activeIntervals, lifetimeOf } from '../../communication/maintenance-windows/active-windows.ts'
import {
  type Occurrence,
  occurrenceOn,
  occurrencesBetween,
} from '../../communication/maintenance-windows/occurrences.ts'
import { phasesOf, statusAt } from '../../communication/maintenance-windows/phases.ts'
import { openWindows } from '../../communication/maintenance-windows/queries.ts'
import { maintenanceId } from '../../communication/maintenance-windows/serialize-window.ts'
import { windowDoc } from '../../communication/maintenance-windows/window-doc.ts'
import {
  type OccurrenceChanges,
  planOf,
  touchedOf,
  untouched,
} from '../../communication/maintenance-windows/window-plans.ts'
import type { Span } from '../../communication/status-page-services/uptime.ts'
import { uptimeDays } from '../../communication/status-page-services/uptime.ts'
import { translationsDoc } from '../../communication/stored-pages/translations.ts'
import { dayMs } from '../../monitoring/results/rollups/spans.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { MaintenanceWindowsTable } from '../../platform/store/database/tables/maintenance-windows.ts'
import type { MaintenanceView, NamedService } from './model.ts'

/** Announced this long before. */
const aheadMs = 7 * dayMs
/** Of one page; what comes first is shown. */
const maxShown = 50

type Service = NamedService
type PageServices = { pageId: string; accountId: string; services: readonly Service[] }

export type PageMaintenance = {
  /** Everything of the last 90 days and the next seven, by when it starts. */
  all: MaintenanceView[]
  /** Of the last 90 days, by service: time that does not count as downtime. */
  excused: ReadonlyMap<string, Span[]>
  /** The next moment at which one of them changes by itself. */
  changesAt: number
}

export const readMaintenance = async (
  db: Db,
  { pageId, accountId, services }: PageServices,
  now: number,
): Promise<PageMaintenance> => {
  const since = now - uptimeDays * dayMs
  const all: MaintenanceView[] = []
  const excused = new Map<string, Span[]>()
  let changesAt = Number.POSITIVE_INFINITY
  for (const row of await db.all(openWindows, { accountIds: [accountId], now: since })) {
    const { statusPageVisibility: shown } = windowDoc.read(row.doc)
    if (!shown.enabled || !shown.statusPageIds.includes(pageId)) continue
    const touched = row.over_at === null ? await touchedOf(db, row.id) : untouched
    const affected = services.filter(({ id }) => shown.affectAllServices || shown.serviceIds.includes(id))
    const named = shown.showAffectedServices ? affected : []
    const occurrences = viewsOf(row, touched, { services: named, since, now })
    all.push(...occurrences.map(({ view }) => view))
    changesAt = Math.min(changesAt, ...occurrences.map((each) => each.changesAt))
    const active = activeIntervals(planOf(row, touched), { from: since, to: now })
    for (const { id } of named) excused.set(id, [...(excused.get(id) ?? []), ...active])
  }
  return { all: all.sort((a, b) => a.startsAt - b.startsAt || (a.id < b.id ? -1 : 1)), excused, changesAt }
}

/** What the page itself shows. */
export const currentMaintenance = (all: readonly MaintenanceView[], now: number): MaintenanceView[] =>
  all
    .filter(
      ({ status, startsAt, endsAt }) =>
        status === 'IN_PROGRESS' ||
        status === 'VERIFYING' ||
        (status === 'SCHEDULED' && endsAt > now && startsAt <= now + aheadMs),
    )
    .slice(0, maxShown)

type Shown = { services: readonly Service[]; since: number; now: number }

const viewsOf = (
  row: MaintenanceWindowsTable,
  touched: OccurrenceChanges,
  { services, since, now }: Shown,
): Array<{ view: MaintenanceView; changesAt: number }> => {
  const plan = planOf(row, touched)
  const doc = windowDoc.read(row.doc)
  const occurrences = new Map<string, Occurrence>()
  const moved = [...plan.exceptions.keys()].flatMap((date) => occurrenceOn(plan, date) ?? [])
  for (const each of [...occurrencesBetween(plan, since, now + aheadMs), ...moved])
    if (!plan.exceptions.get(each.date)?.deleted) occurrences.set(each.date, each)
  return [...occurrences.values()].map((occurrence) => {
    const life = lifetimeOf(plan, occurrence)
    const phases = phasesOf(life)
    const updates = touched.updates.filter(({ date }) => date === occurrence.date)
    return {
      changesAt: phases.find(({ at }) => at > now)?.at ?? Number.POSITIVE_INFINITY,
      view: {
        id: maintenanceId(row.id, occurrence.date),
        name: row.name,
        description: doc.description,
        translations: doc.translations,
        startsAt: life.startsAt,
        endsAt: life.endsAt,
        status: statusAt(phases, now),
        changedAt: Math.max(
          row.updated_at ?? row.created_at,
          ...updates.map((each) => each.updated_at ?? each.created_at),
        ),
        services,
        updates: updates
          .map(({ status, description, translations, created_at }) => ({
            ...{ status, description, translations: translationsDoc.read(translations), at: created_at },
          }))
          .reverse(),
      },
    }
  })
}
