/**
 * What a status page shows, as values: read once (read-model.ts), rendered in any language (said-in.ts) and form. Instants are epoch
 * milliseconds.
 */
import type { Impact } from '../../communication/incidents/impacts.ts'
import type { PageDoc } from '../../communication/stored-pages/page-doc.ts'
import type { Translations } from '../../communication/stored-pages/translations.ts'
import type { State } from '../../communication/stored-pages/words/words.ts'

export type DayState = 'up' | 'degraded' | 'down' | 'none'

/**
 * A day in UTC. `uptime`: the share without incidents or of runs that passed, whichever is less, from 0 to 1, of the part of the day that is known of
 * (`knownMs`; 0: nothing was measured or told). `runs` of the checks that belong to the service.
 */
export type Day = {
  at: number
  state: DayState
  incidents: number
  uptime: number
  knownMs: number
  runs: number
  failed: number
}

export type ServiceView = {
  id: string
  name: string
  translations: Translations
  state: State
  /** Of measured days; null: there are none. */
  uptime: number | null
  days: readonly Day[]
  /** Each of its failures is because of one of these, which the page shows as well and which fail; none: not known, or not failing. */
  because: readonly NamedService[]
}
export type CardView = {
  id: string
  name: string
  translations: Translations
  services: readonly ServiceView[]
}

/** As incidents and maintenance name it. */
export type NamedService = { id: string; name: string; translations: Translations }

export type UpdateView = { status: string; description: string; translations: Translations; at: number }

export type IncidentView = {
  id: string
  name: string
  translations: Translations
  severity: string
  status: string
  /** Null: how long it lasted is not known. */
  startedAt: number | null
  /** Null: open. */
  resolvedAt: number | null
  createdAt: number
  changedAt: number
  /** What goes on, by service; none: it is as bad for all as its severity. */
  impacts: ReadonlyArray<{ serviceId: string; impact: Impact }>
  /** Only those that the page shows. */
  services: readonly NamedService[]
  /** Newest first; on the page itself the latest only. */
  updates: readonly UpdateView[]
}

export type MaintenanceView = {
  id: string
  name: string
  description: string | null
  translations: Translations
  startsAt: number
  endsAt: number
  status: string
  changedAt: number
  services: readonly NamedService[]
  /** Newest first. */
  updates: readonly UpdateView[]
}

export type PageBranding = Omit<PageDoc, 'isPrivate' | 'version'>

export type PageModel = {
  id: string
  accountId: string
  url: string
  branding: PageBranding
  isPrivate: boolean
  state: State
  cards: readonly CardView[]
  open: readonly IncidentView[]
  /** Newest first. */
  past: readonly IncidentView[]
  /** In progress, and those of the next days; the soonest first. */
  maintenance: readonly MaintenanceView[]
  /** When it was read. */
  at: number
  /** When it would say something else although nobody changed anything. */
  until: number
}
