/** Every route of the API that changes something has a page of its own here: where it is, and where people are led afterwards. Pure. */
import { type Declaration, isForPrograms } from '../../platform/web/http/route.ts'
import type { InternalClient, Operation } from './internal-client.ts'

const byFiles = 'Programs that keep a project in files send it'

/** Routes that change something and have no page, and why. */
export const withoutPage: { readonly [name: string]: string } = {
  'POST /v1/analytics/checks': 'It reads: pages show what it answers',
  'POST /v1/check-tries': 'The forms of checks do it, beside what they ask',
  'POST /v1/test-sessions/run': 'Command-line clients send it, before they save what is in it',
  'POST /next/test-sessions/trigger': 'That of version 1 has a page',
  'POST /v1/code-bundles': 'Takes an archive that a program packs (docs/playwright-suites.md)',
  'POST /v1/invites/join': 'A link of an invite leads to the page that does it',
  'POST /v1/code/:project/comparisons': byFiles,
  'POST /v1/code/:project/changes': byFiles,
  'POST /v1/projects': byFiles,
  'POST /v1/projects/deploy': byFiles,
  'POST /v1/projects/:logicalId/deployments/:deploymentId/cancel': byFiles,
  'POST /next/projects': byFiles,
  'POST /next/projects/deploy': byFiles,
  'DELETE /next/projects/:logicalId': 'That of version 1 has a page',
  'POST /next/projects/:logicalId/imports': byFiles,
  'POST /next/projects/imports/:importId/apply': byFiles,
  'POST /next/projects/imports/:importId/commit': byFiles,
  'DELETE /next/projects/imports/:importId': byFiles,
  'POST /next/checkly-storage/upload-code-bundle': byFiles,
  'POST /next/checkly-storage/peek-code-bundle': byFiles,
  'POST /next/checkly-storage/download': byFiles,
  'POST /next/checkly-storage/upload': byFiles,
}

/** Status pages of version 3 are those of version 1, in other words. */
const isDouble = ({ path }: Declaration): boolean =>
  path.includes(':accountId') || path.startsWith('/v3/status-pages')

/** What the API writes and is not said twice there: superseded routes and those with the account in their path are the same again. */
export const writes = (route: Declaration): boolean =>
  route.method !== 'GET' &&
  !isForPrograms(route.access) &&
  route.access !== 'PUBLIC' &&
  route.deprecated !== true &&
  !isDouble(route)

export const operationsWithPage = (client: InternalClient): Operation[] =>
  [...client.values()].filter(({ name, route }) => writes(route) && withoutPage[name] === undefined)

export const pathOfOperation = ({ method, path }: Pick<Declaration, 'method' | 'path'>): string =>
  `/app/do/${method.toLowerCase()}${path}`

/** `actionLink('DELETE /v1/variables/:key', { key: 'A' })` */
export const actionLink = (
  name: string,
  params: Readonly<Record<string, string | number>> = {},
  query: Readonly<Record<string, string>> = {},
): string => {
  const [method = '', path = ''] = name.split(' ')
  const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(params[key] ?? '')))
  const search = new URLSearchParams(query).toString()
  return `/app/do/${method.toLowerCase()}${filled}${search === '' ? '' : `?${search}`}`
}

const homes: { [tag: string]: string } = {
  Accounts: '/app/account',
  Members: '/app/members',
  'API keys': '/app/keys',
  Checks: '/app/checks',
  'Code bundles': '/app/bundles',
  'Check groups': '/app/groups',
  'Check sessions': '/app/check-sessions',
  Snippets: '/app/snippets',
  Variables: '/app/variables',
  'Client certificates': '/app/certificates',
  'Private locations': '/app/locations',
  'Alert channels': '/app/channels',
  'Alert notifications': '/app/channels',
  'Status pages': '/app/status-pages',
  'Status page services': '/app/status-pages',
  'Status page subscriptions': '/app/status-pages',
  Dashboards: '/app/dashboards',
  'Dashboard incidents': '/app/dashboards',
  Incidents: '/app/incidents',
  'Maintenance windows': '/app/maintenance',
  'Error groups': '/app/errors',
  'Root cause analyses': '/app/errors',
}

export const homeOf = ({ tag }: Pick<Declaration, 'tag'>): string => homes[tag] ?? '/app'

/** Their answers hold what is shown only once, or what people asked for. */
export const showsAnswer: ReadonlySet<string> = new Set([
  'POST /v1/accounts/me/api-keys',
  'POST /v1/accounts/me/service-keys',
  'POST /v1/accounts/me/invites',
  'POST /v1/accounts/me/invites/:id/resend',
  'POST /v1/private-locations',
  'POST /v1/private-locations/:id/keys',
  'POST /v1/alert-channels/:id/test',
  'POST /v1/status-pages/:statusPageId/subscriptions/bulk',
  'POST /v1/root-cause-analyses/error-groups/:errorGroupId',
])

/** Whether it holds what nobody is shown again: a key, the password of a private page, the token of an invite. */
export const hasSecret = (answer: unknown): boolean => {
  const keys = fieldOf(answer, 'keys')
  return [answer, ...(Array.isArray(keys) ? keys : [])].some(
    (each) => textIn(each, 'rawKey') !== '' || textIn(each, 'token') !== '',
  )
}

const fieldOf = (answer: unknown, name: string): unknown =>
  typeof answer === 'object' && answer !== null
    ? Object.getOwnPropertyDescriptor(answer, name)?.value
    : undefined

/** A text or number of an answer whose route was picked by name; empty where it has none. */
export const textIn = (answer: unknown, name: string): string => {
  const value = fieldOf(answer, name)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** What was saved and will not do what was meant by it, as the API says so. */
export const warningsIn = (answer: unknown): string[] => {
  const warnings = fieldOf(answer, 'warnings')
  return Array.isArray(warnings) ? warnings.map((warning) => textIn(warning, 'message')) : []
}

/** What was made has a page that says what to do next. */
const ownPages: { readonly [name: string]: string } = {
  'POST /v1/status-pages': '/app/status-pages/',
  'POST /v1/status-pages/services': '/app/services/',
  'POST /v1/alert-channels': '/app/channels/',
  'POST /v1/status-pages/incidents': '/app/incidents/',
  'POST /v1/maintenance-windows': '/app/maintenance/',
}

export const ownPageOf = (name: string, answer: unknown): string | null => {
  const path = ownPages[name]
  const id = textIn(answer, 'id')
  return path === undefined || id === '' ? null : `${path}${encodeURIComponent(id)}?said=created`
}

/** Where the present values of what is changed are read. */
const readings: { [name: string]: string } = {
  'PUT /v2/check-groups/:id': 'GET /v1/check-groups/:id',
  'PATCH /v2/check-groups/:id': 'GET /v1/check-groups/:id',
  'PATCH /v1/status-pages/incidents/:incidentId': 'GET /v1/status-pages/incidents/:incidentId',
}

export const readingOf = (client: InternalClient, { name, route }: Operation): Operation | undefined => {
  if (route.method !== 'PUT' && route.method !== 'PATCH') return undefined
  const path = /^\/v1\/checks\/\w+\/:id$/.test(route.path) ? '/v1/checks/:id' : route.path
  return client.get(readings[name] ?? `GET ${path}`)
}

/** Our own pages and nothing else: no address of another host can be written like this. */
const ownPath = /^\/app(\/(?!\.)[\w.~%:-]+)*(\?[\w.~%&=+:-]*)?$/

export const backOr = (asked: string, home: string): string => (ownPath.test(asked) ? asked : home)

export const withSaid = (path: string, said: string): string => {
  const url = new URL(path, 'http://x')
  url.searchParams.set('said', said)
  return `${url.pathname}${url.search}`
}
