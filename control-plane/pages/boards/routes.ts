/** Dashboards under their own addresses, for whoever knows them; private ones for whoever knows their key. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { Type } from 'typebox'
import { findDashboardByName } from '../../communication/dashboards/queries.ts'
import { type DashboardDoc, dashboardDoc } from '../../communication/dashboards/schema.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { DashboardsTable } from '../../platform/store/database/tables/dashboards.ts'
import { keyHash } from '../../platform/web/http/auth/auth.ts'
import { isKnownVersion } from '../../platform/web/http/request/entity-tag.ts'
import { type Reply, type Route, reply, route } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { admission, isAdmitted } from '../status/access.ts'
import { isOwnHost, prefixOfHost } from '../status/domains.ts'
import { boardPage, homeOf, lockedBoard, type Place } from './board-page.ts'
import { readBoard } from './read-board.ts'

const tag = 'Pages'
const params = Type.Object({
  url: Type.String({ pattern: '^[A-Za-z0-9-]{1,63}$', description: 'Its `customUrl`' }),
})
/** Whole companies come from behind one address. */
const rateLimit = { requests: 1200, seconds: 60 }
const example = { params: { url: 'shop' }, response: '<!doctype html>' }
const otherStatuses = {
  304: 'Nothing has changed',
  401: 'It is private, and asks for its key',
  404: 'There is no such dashboard, or the host is none of ours',
}

type Request = {
  params: { url: string }
  headers: Readonly<Record<string, string | undefined>>
  address: string
}

type Opened = { row: DashboardsTable; options: DashboardDoc; place: Place; isOpen: boolean }

const guarded = (row: DashboardsTable, { isPrivate }: DashboardDoc) => ({
  model: { id: row.dashboard_id, accountId: row.account_id, isPrivate },
  lock: row.key_hash ?? '',
  networks: [],
})

/** @throws ApiError 404 */
const dashboardOf = async (app: App & HasCipher, { params, headers, address }: Request): Promise<Opened> => {
  const url = params.url.toLowerCase()
  const isOwn = isOwnHost(app, headers['host'])
  if (!isOwn && (await prefixOfHost(app, headers['host'])) !== `/dashboards/${url}`) throw notFound()
  const row = await app.db.get(findDashboardByName, { kind: 'DASHBOARD', name: url })
  if (row === undefined) throw notFound()
  const options = dashboardDoc.read(row.doc)
  const prefix = isOwn ? `/dashboards/${url}` : ''
  const sheet = (options.customCSS ?? '') === '' ? null : `${prefix}/style.css?v=${row.version}`
  const isOpen = isAdmitted(app, guarded(row, options), { address, cookie: headers['cookie'] })
  return { row, options, place: { prefix, sheet }, isOpen }
}

const headersOf = (policy: string, cacheControl: string): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': cacheControl,
  vary: 'accept-encoding, accept-language, cookie',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
})

const locked = ({ options, place }: Opened, isWrong: boolean): Reply<string> => {
  const { text, policy } = lockedBoard(options, place, isWrong)
  return reply(text, { status: 401, headers: headersOf(policy, 'private, no-store') })
}

const page = route({
  method: 'GET',
  path: '/dashboards/:url',
  access: 'PUBLIC',
  tag,
  summary: 'A dashboard, as people see it',
  description:
    'Needs no key; on a proven `customDomain` it is at `/`. Loads itself again as its options say (`Refresh`), and turns to its next part by the clock, unless `page` names one.',
  params,
  query: Type.Object({
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'The part to stay at' })),
    still: Type.Optional(Type.Boolean({ description: 'It is not loaded again' })),
  }),
  status: 200,
  otherStatuses,
  responseType: 'text/html',
  otherTypes: { errors: ['text/html'] },
  response: Type.String(),
  rateLimit,
  example,
  handle: async (input, app: App & HasCipher) => {
    const opened = await dashboardOf(app, input)
    if (!opened.isOpen) return locked(opened, false)
    const { row, options, place } = opened
    const board = await readBoard(app, row, input.query.page ?? null)
    const { text, policy } = boardPage(board, place)
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
    const headers = {
      ...headersOf(policy, options.isPrivate ? 'private, no-cache' : 'public, no-cache'),
      etag,
      ...(input.query.still === true ? {} : { refresh: String(board.reloadSeconds) }),
    }
    return isKnownVersion(input.headers['if-none-match'], etag)
      ? reply('', { status: 304, headers })
      : reply(text, { headers })
  },
})

const sheet = route({
  method: 'GET',
  path: '/dashboards/:url/style.css',
  access: 'PUBLIC',
  tag,
  summary: 'The style sheet that the owner of a dashboard wrote',
  params,
  query: Type.Object({ v: Type.Optional(Type.String({ maxLength: 20 })) }),
  status: 200,
  otherStatuses: { 401: otherStatuses[401], 404: otherStatuses[404] },
  responseType: 'text/css',
  response: Type.String(),
  rateLimit,
  example: { params: example.params, response: 'h1 { color: teal }' },
  handle: async (input, app: App & HasCipher) => {
    const { options, isOpen } = await dashboardOf(app, input)
    if (!isOpen) throw new ApiError(401, otherStatuses[401])
    return reply(options.customCSS ?? '', {
      headers: {
        'content-type': 'text/css; charset=utf-8',
        'cache-control': options.isPrivate ? 'private, max-age=3600' : 'public, max-age=3600',
        'x-content-type-options': 'nosniff',
      },
    })
  },
})

const open = route({
  method: 'POST',
  path: '/dashboards/:url/open',
  access: 'PUBLIC',
  page: true,
  form: true,
  tag,
  summary: 'The form that opens a private dashboard',
  description: 'Its key sets a signed cookie for two weeks; another one shows the form again.',
  params,
  body: Type.Object(
    { password: Type.String({ minLength: 1, maxLength: 200 }) },
    { additionalProperties: false, title: 'OpenDashboardForm' },
  ),
  bodyLimit: 2048,
  status: 303,
  otherStatuses: { 401: 'It is another key', 404: otherStatuses[404] },
  responseType: 'text/html',
  otherTypes: { errors: ['text/html'] },
  response: Type.String(),
  rateLimit: { requests: 60, seconds: 60 },
  example: {
    params: example.params,
    body: { password: 'sp_0123456789abcdef0123456789abcdef' },
    response: '',
  },
  handle: async (input, app: App & HasCipher) => {
    const opened = await dashboardOf(app, input)
    const { row, options, place } = opened
    const headers = { location: homeOf(place), 'cache-control': 'no-store' }
    if (!options.isPrivate) return reply('', { headers })
    const given = Buffer.from(keyHash(input.body.password))
    // Keys that we made cannot be guessed.
    if (row.key_hash === null || !timingSafeEqual(given, Buffer.from(row.key_hash)))
      return locked(opened, true)
    return reply('', { headers, cookies: admission(app, guarded(row, options)) })
  },
})

export const boardRoutes: Route<App & HasCipher>[] = [page, sheet, open]
