/** Who may see a private page: whoever gave its password, which a signed cookie says, and whoever comes from a network that its owner named. */

import { timingSafeEqual } from 'node:crypto'
import { networkList } from '../../../protocol/networks/network-list.ts'
import { isPassword } from '../../communication/status-pages/page-password.ts'
import { findPublication } from '../../communication/status-pages/publication-queries.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { HasCipher } from '../../platform/doors/secrets/cipher.ts'
import { keyHash } from '../../platform/web/http/auth.ts'
import { createRateLimiter, refusalHeaders } from '../../platform/web/http/rate-limiter.ts'
import { ApiError } from '../../platform/words/errors.ts'
import type { CachedPage } from './cached-pages.ts'
import { keyHashesOfPage } from './queries.ts'

const cookieMs = 14 * 86_400_000
const purpose = 'status page'
/** Tries of all visitors of a page; those of one address are limited by the route. */
const triesOfPage = { requests: 60, seconds: 600 }
const maxPages = 10_000

type Visitor = { address: string; cookie: string | undefined }

type GuardedPage = Pick<CachedPage, 'model' | 'lock' | 'networks'>

const cookieName = ({ config }: App, pageId: string): string =>
  `${config.baseUrl.startsWith('https:') ? '__Host-' : ''}status-${pageId}`

export const isAdmitted = (
  app: App & HasCipher,
  page: GuardedPage,
  { address, cookie = '' }: Visitor,
): boolean => {
  const { model, networks } = page
  if (!model.isPrivate) return true
  if (networks.length > 0 && networkList(networks).has(address)) return true
  const name = `${cookieName(app, model.id)}=`
  const pair = cookie.split(';').find((each) => each.trim().startsWith(name))
  return pair !== undefined && isOurs(app, page, pair.trim().slice(name.length))
}

const isOurs = (app: App & HasCipher, { model, lock }: GuardedPage, value: string): boolean => {
  const [, expires = '', signature = ''] = /^(\d{1,16})\.([\w-]{43})$/.exec(value) ?? []
  if (!(Number(expires) > app.clock.now())) return false
  return app.cipher.isSigned(Buffer.from(signature, 'base64url'), `${model.id} ${lock} ${expires}`, purpose)
}

/** The header that lets a visitor in; a new password of the page makes it worthless. */
export const admission = (app: App & HasCipher, { model, lock }: GuardedPage): string => {
  const expires = app.clock.now() + cookieMs
  const signature = app.cipher.sign(`${model.id} ${lock} ${expires}`, purpose).toString('base64url')
  return [
    `${cookieName(app, model.id)}=${expires}.${signature}`,
    'Path=/',
    `Max-Age=${cookieMs / 1000}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(app.config.baseUrl.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')
}

const limiterOf = perApp(() => createRateLimiter(triesOfPage, maxPages))

/** @throws ApiError 429 when too many passwords were tried on the page */
export const opensWith = async (app: App, { model }: GuardedPage, password: string): Promise<boolean> => {
  const counted = { name: model.id, wider: () => model.accountId }
  const usage = limiterOf(app).take(counted, app.clock.now())
  if (!usage.allowed)
    throw new ApiError(429, 'Too many passwords were tried', { headers: refusalHeaders(usage) })
  const hash = Buffer.from(keyHash(password))
  const keys = await app.db.all(keyHashesOfPage, { pageId: model.id })
  if (keys.some((key) => timingSafeEqual(Buffer.from(key.hash), hash))) return true
  const publication = await app.db.get(findPublication, { pageId: model.id })
  const own = publication?.password_hash ?? null
  return own !== null && isPassword(password, own)
}
