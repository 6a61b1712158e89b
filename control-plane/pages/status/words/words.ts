/** What a status page says, in one language. Each language is one file; the compiler and a test hold them complete. */
import type { State } from '../model.ts'

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
  lasted: string
  updates: string
  days: string
  daysOf: string
  daysAgo(count: number): string
  today: string
  uptime: string
  rule: string
  legend: { up: string; degraded: string; down: string; none: string }
  day: {
    quiet: string
    none: string
    incidents(count: number): string
    failed(count: number, of: number): string
  }
  subscribe: string
  subscribeText: string
  address: string
  subscribeButton: string
  subscribed: string
  subscribedText: string
  feeds: string
  calendar: string
  back: string
  scheduled: string
  utc: string
  local: string
  stale(minutes: number): string
  poweredBy: string
  privatePage: string
  privateText: string
  password: string
  open: string
  wrongPassword: string
  tooManyTries: string
  skip: string
  duration(minutes: number): string
}
