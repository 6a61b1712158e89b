/** Who may see a private page: whoever gave its password, which a signed cookie says, and whoever comes from a network that its owner named. */

import { timingSafeEqual } from 'node:crypto'
import { networkList } from '../../../protocol/networks/network-list.ts'
import { createGuessLimit } from '../../access/sign-in/guess-limit.ts'
import type { Asker } from '../../access/sign-in/hash-queue.ts'
import { knownBrowser, knownBrowserCookie } from '../../access/sign-in/known-browser.ts'
import { isPassword } from '../../communication/status-pages/page-password.ts'
import { findPublication } from '../../communication/status-pages/publication-queries.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { keyHash } from '../../platform/web/http/auth/auth.ts'
import { clientNetwork, siteNetwork } from '../../platform/web/http/limits/address-network.ts'
import { createRateLimiter, requireAllowed, type Usage } from '../../platform/web/http/limits/rate-limiter.ts'
import type { CachedPage } from './cached-pages.ts'
import { keyHashesOfPage } from './queries.ts'

const cookieMs = 14 * 86_400_000
const purpose = 'status page'
/** Tries of all strangers at a page, and of one address or known browser. */
const triesOfPage = { requests: 60, seconds: 600 }
const triesOfVisitor = { requests: 10, seconds: 300 }
const maxCounted = 10_000

type Visitor = { address: string; cookie: string | undefined }

type GuardedPage = Pick<CachedPage, 'lock' | 'networks'> & {
  model: Pick<CachedPage['model'], 'id' | 'accountId' | 'isPrivate'>
}

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

const roomOf = ({ model }: GuardedPage): string => `status-${model.id}`

/** The cookies that let a visitor in, which a new password of the page makes worthless, and by which the browser is known from then on. */
export const admission = (app: App & HasCipher, page: GuardedPage): string[] => [
  entrance(app, page),
  knownBrowserCookie(app, { room: roomOf(page), subjects: [] }),
]

const entrance = (app: App & HasCipher, { model, lock }: GuardedPage): string => {
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

const limitersOf = perApp(() => ({
  known: createRateLimiter(triesOfVisitor, maxCounted),
  address: createRateLimiter(triesOfVisitor, maxCounted),
  page: createGuessLimit(triesOfPage, maxCounted),
}))

/** Counts an attempt to guess the password that the owner chose: of a browser that was let in before by itself. @throws ApiError 429 */
const admitAttempt = (app: App, { model }: GuardedPage, { address, known }: Asker): void => {
  const { known: byBrowser, address: byAddress, page } = limitersOf(app)
  const now = app.clock.now()
  if (known !== null) {
    requireRoom(byBrowser.take({ name: known, wider: () => model.id }, now))
    return
  }
  const network = clientNetwork(address)
  requireRoom(byAddress.take({ name: `${model.id} ${network}`, wider: () => siteNetwork(address) }, now))
  requireRoom(page.take({ name: model.id, wider: () => model.accountId }, address, now))
}

const requireRoom = (usage: Usage): void => requireAllowed(usage, 'Too many passwords were tried')

type Attempt = Visitor & { password: string }

/**
 * Passwords that we made cannot be guessed, and are not limited.
 * @throws ApiError 429 when too many passwords were tried on the page, 503 when too many are checked
 */
export const opensWith = async (
  app: App & HasCipher,
  page: GuardedPage,
  { password, address, cookie }: Attempt,
): Promise<boolean> => {
  const { id: pageId } = page.model
  const hash = Buffer.from(keyHash(password))
  const keys = await app.db.all(keyHashesOfPage, { pageId })
  if (keys.some((key) => timingSafeEqual(Buffer.from(key.hash), hash))) return true
  const known = knownBrowser(app, { cookie }, { room: roomOf(page), subject: null })
  admitAttempt(app, page, { address, known })
  const publication = await app.db.get(findPublication, { pageId })
  const own = publication?.password_hash ?? null
  return own !== null && isPassword(app, { password, address, known }, own)
}
