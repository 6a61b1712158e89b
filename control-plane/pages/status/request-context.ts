/** The context of a request: which page an address means, where it is looked at, and whether the visitor may. */

import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { Bytes } from '../../platform/web/http/answers/serialize.ts'
import { isKnownVersion } from '../../platform/web/http/request/entity-tag.ts'
import { type Reply, reply } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { isAdmitted } from './access.ts'
import {
  type CachedDocument,
  type CachedPage,
  cachedDocument,
  findCachedPage,
  type Made,
  staleMinutes,
} from './cached-pages.ts'
import { isOwnHost, prefixOfHost } from './domains.ts'
import { homeOf, type Site } from './frame.ts'
import { offeredLanguages, wordsFor } from './languages.ts'
import type { PageModel } from './model.ts'
import { privatePage } from './private-page.ts'
import { modelIn } from './said-in.ts'

export type Request = {
  params: { url: string }
  headers: Readonly<Record<string, string | undefined>>
  address: string
  /** What a visitor chooses in the footer. */
  query?: { lang?: string } | undefined
}

export type RequestContext = { page: CachedPage; site: Site; isOpen: boolean }

/** With the owner's texts in the language of the visitor. */
export const shownModel = ({ page, site }: RequestContext): PageModel => modelIn(page.model, site.words.lang)

/** @throws ApiError 404 for a page or a host that is not there */
export const requestContext = async (
  app: App & HasCipher,
  { params, headers, address, query }: Request,
): Promise<RequestContext> => {
  const isOwn = isOwnHost(app, headers['host'])
  const url = params.url.toLowerCase()
  if (!isOwn && (await prefixOfHost(app, headers['host'])) !== `/status/${url}`) throw notFound()
  const page = await findCachedPage(app, url)
  if (page === null) throw notFound()
  const prefix = isOwn ? `/status/${page.model.url}` : ''
  const root = isOwn ? `${app.config.baseUrl}${prefix}` : `https://${headers['host']}`
  const isOpen = isAdmitted(app, page, { address, cookie: headers['cookie'] })
  const site = {
    prefix,
    root,
    words: wordsFor({
      chosen: query?.lang ?? cookieOf(headers['cookie'], page.model.id),
      acceptLanguage: headers['accept-language'],
      languages: page.languages,
    }),
    offered: offeredLanguages(page.languages),
    staleMinutes: staleMinutes(app, page),
  }
  return { page, site, isOpen }
}

const cookieName = (pageId: string): string => `lang-${pageId}`

const cookieOf = (cookies: string | undefined, pageId: string): string | undefined =>
  cookies
    ?.split(';')
    .map((each) => each.trim().split('='))
    .find(([name]) => name === cookieName(pageId))?.[1]

const yearInSeconds = 31_536_000

/** Kept for the page alone, and only what the page offers. */
const choiceCookie = (chosen: string | undefined, { page, site }: RequestContext): string[] =>
  chosen === site.words.lang
    ? [
        `${cookieName(page.model.id)}=${chosen}; Path=${homeOf(site)}; Max-Age=${yearInSeconds}; SameSite=Lax; HttpOnly`,
      ]
    : []

/** The name says all that a document depends on beside the page. */
export const documentReply = (
  app: App,
  { headers, query }: Pick<Request, 'headers' | 'query'>,
  context: RequestContext,
  { name, make }: { name: string; make: () => Made },
): Reply<Bytes> => {
  const { page, site } = context
  const { staleMinutes: stale = null } = site
  const cookies = choiceCookie(query?.lang, context)
  const full = `${name} ${site.words.lang} ${site.root} ${stale}`
  const sent = send(cachedDocument(app, page, full, make), headers, { page, stale })
  return cookies.length === 0 ? sent : { ...sent, cookies }
}

type Freshness = { page: CachedPage; stale: number | null }

const send = (
  document: CachedDocument,
  headers: Request['headers'],
  { page, stale }: Freshness,
): Reply<Bytes> => {
  const common = {
    'content-type': document.contentType,
    etag: document.etag,
    'cache-control': page.model.isPrivate ? 'private, no-cache' : 'public, no-cache',
    vary: 'accept-encoding, accept-language, cookie',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(stale === null ? {} : { age: String(stale * 60) }),
    ...document.headers,
  }
  if (isKnownVersion(headers['if-none-match'], document.etag))
    return reply('', { status: 304, headers: common })
  const isPacked = /\bgzip\b/.test(headers['accept-encoding'] ?? '')
  const body = isPacked ? document.gzip : document.text
  return reply(body, {
    headers: { ...common, ...(isPacked ? { 'content-encoding': 'gzip' } : {}) },
  })
}

/** The page that asks for the password; programs get the status alone. */
export const closed = (context: RequestContext, problem: 'wrong' | null = null): Reply<string> => {
  const { text, policy } = privatePage(shownModel(context).branding, context.site, problem)
  return reply(text, {
    status: 401,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  })
}
