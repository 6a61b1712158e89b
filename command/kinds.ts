/** The kinds of resources that files describe. A section of a file holds all of a kind; a reference is `${<kind>.<key>}`. */
export type Json = Record<string, unknown>

export type Kind = {
  section: string
  /** Where they are listed, and made. */
  path: string
  /** `pages`: by number; `cursor`: by the id that comes next; `whole`: all at once. */
  list: 'pages' | 'cursor' | 'whole'
  /** What a resource is known by that no key has yet. */
  name: string
  /** What refers to one names it by that. */
  refersBy: 'id' | 'number' | 'slugName' | 'key'
  /** The title of a creation's schema in the API's document; checks have one for each type. */
  schema: string
}

export const kinds = {
  location: kind('locations', '/v1/private-locations', {
    list: 'whole',
    refersBy: 'slugName',
    schema: 'NewPrivateLocation',
  }),
  variable: kind('variables', '/v1/variables', { name: 'key', refersBy: 'key', schema: 'NewVariable' }),
  snippet: kind('snippets', '/v1/snippets', { refersBy: 'number', schema: 'NewSnippet' }),
  channel: kind('channels', '/v1/alert-channels', { refersBy: 'number', schema: 'NewAlertChannel' }),
  service: kind('services', '/v1/status-pages/services', { list: 'cursor', schema: 'NewStatusPageService' }),
  statusPage: kind('statusPages', '/v1/status-pages', {
    list: 'cursor',
    name: 'url',
    schema: 'NewStatusPage',
  }),
  group: kind('groups', '/v1/check-groups', { refersBy: 'number', schema: 'NewCheckGroupV1' }),
  check: kind('checks', '/v1/checks', { schema: 'NewCheckOfAnyType' }),
  maintenanceWindow: kind('maintenanceWindows', '/v1/maintenance-windows', {
    refersBy: 'number',
    schema: 'NewMaintenanceWindow',
  }),
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof kinds

export const kindNames = Object.keys(kinds) as KindName[]

function kind(section: string, path: string, more: Partial<Kind> & { schema: string }): Kind {
  return { section, path, list: 'pages', name: 'name', refersBy: 'id', ...more }
}

/** What paths name a resource by. */
export const idOf = (kind: KindName, shown: Json): string =>
  String(kind === 'variable' ? shown['key'] : shown['id'])

/** What a person would call it: of a channel what it sends to. */
export const nameOf = (kind: KindName, body: Json): string => {
  if (kind !== 'channel') return String(body[kinds[kind].name] ?? '')
  const config = (body['config'] ?? {}) as Json
  const known = ['name', 'address', 'number', 'url', 'account', 'serviceName', 'channel']
  const name = known.map((field) => config[field]).find((value) => typeof value === 'string')
  return `${body['type']} ${name ?? ''}`
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
