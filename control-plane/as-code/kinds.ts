/** The kinds of resources that files describe, and the routes that write each: a new kind is a line. */
type Kind = {
  /** Of the list; it takes a creation, too. */
  path: string
  /** Of one of them, with its id as the only parameter. */
  one: string
}

export const kinds = {
  location: { path: '/v1/private-locations', one: '/v1/private-locations/:id' },
  variable: { path: '/v1/variables', one: '/v1/variables/:key' },
  snippet: { path: '/v1/snippets', one: '/v1/snippets/:id' },
  channel: { path: '/v1/alert-channels', one: '/v1/alert-channels/:id' },
  service: {
    path: '/v1/status-pages/services',
    one: '/v1/status-pages/services/:serviceId',
  },
  statusPage: { path: '/v1/status-pages', one: '/v1/status-pages/:statusPageId' },
  group: { path: '/v1/check-groups', one: '/v1/check-groups/:id' },
  check: { path: '/v1/checks', one: '/v1/checks/:id' },
  maintenanceWindow: { path: '/v1/maintenance-windows', one: '/v1/maintenance-windows/:id' },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof kinds

export const kindNames = Object.keys(kinds) as KindName[]

/** Only what the file says is subscribed: a new check is not subscribed to all channels by itself. */
export const queryOf = (kind: KindName): string =>
  kind === 'check' || kind === 'group' ? 'autoAssignAlerts=false' : ''
