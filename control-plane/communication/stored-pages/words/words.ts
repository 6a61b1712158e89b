/** What a status page says, in one language. Each language is one file; the compiler and a test hold them complete. */
import type { Forms } from '../../../platform/web/html/locale.ts'

/** How a service or a page is, from the best to the worst; `unknown`: nothing was measured, which any other outweighs. */
export const states = ['unknown', 'operational', 'maintenance', 'degraded', 'partial', 'major'] as const
export type State = (typeof states)[number]

export type Words = {
  lang: string
  /** The sentence at the top. */
  sentences: Record<State, string>
  /** Of one service. */
  states: Record<State, string>
  severities: Record<string, string>
  incidentStatuses: Record<string, string>
  maintenanceStatuses: Record<string, string>
  asOf: string
  openIncidents: string
  maintenance: string
  upcoming: string
  services: string
  noServices: string
  pastIncidents: string
  noPastIncidents: string
  /** One is open. */
  noOtherIncidents: string
  allIncidents: string
  affected: string
  /** Of a service, before the names of others that it depends on. */
  causedBy: string
  lasted: string
  updates: string
  days: string
  daysOf: string
  today: string
  uptime: string
  rule: string
  legend: { up: string; degraded: string; down: string; none: string }
  day: {
    quiet: string
    none: string
    incidents: Forms
    /** `{of}`: all of them. */
    failed: Forms
  }
  subscribe: string
  subscribeText: string
  address: string
  subscribeButton: string
  /** Above the choice, and before what was chosen. */
  onlySome: string
  subscribed: string
  subscribedText: string
  feeds: string
  calendar: string
  back: string
  scheduled: string
  utc: string
  local: string
  /** `{minutes}` */
  stale: string
  poweredBy: string
  support: string
  privacy: string
  terms: string
  privatePage: string
  privateText: string
  password: string
  open: string
  wrongPassword: string
  tooManyTries: string
  skip: string
  language: string
  /** What an incident that a check opened says when it ends. */
  automatic: { resolved: string; closed: string }
  /** Of the pages behind the links in those mails. */
  link: {
    confirmed: string
    confirmedText: string
    ended: string
    endedText: string
    invalid: string
    invalidText: string
  }
  /** Of mails to those who subscribed. */
  mail: {
    headlines: Record<string, string>
    severity: string
    /** `{from}`, `{to}` */
    span: string
    open: string
    /** `{page}` */
    confirmSubject: string
    confirmHeading: string
    /** `{page}`, `{address}` */
    confirmText: string
    confirm: string
    notYou: string
    /** Why a mail came, and how it is the last one. */
    subscribed: string
    unsubscribe: string
  }
}
