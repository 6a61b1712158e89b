/**
 * From a cookie to who is signed in. The cookie is a secret of 256 bits that the store knows the SHA-256 of; what was found is kept for a
 * few seconds, so that a session that was ended, a revoked key and a changed role count everywhere within `rememberMs`.
 */

import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { boundedCache } from '../../../../../protocol/bounded-memo.ts'
import type { App } from '../../../app/app.ts'
import { perApp } from '../../../app/per-app.ts'
import type { HasRandomBytes } from '../../../services/secrets/cipher.ts'
import type { Role } from '../../../words/shapes/roles.ts'
import type { AccountPrincipal } from '../route.ts'
import { keyHash } from './auth.ts'
import { membershipsOfUser } from './auth-queries.ts'
import { deleteSession, findSession, insertSession, recordSessionUse } from './session-queries.ts'

/** Of a session that nobody uses. */
export const idleMs = 12 * 3_600_000
/** Of any session: then somebody signs in anew. */
export const longestMs = 30 * 86_400_000
const rememberMs = 5000
const maxRemembered = 10_000
/** Its use is written at most this often. */
const recordUseEveryMs = 60_000
const secretBytes = 32
const secretForm = /^[\w-]{43}$/

/** `keyId` is the session's id: limits count by it. */
export type SessionPrincipal = AccountPrincipal & { sessionId: string }

/** Browsers take the prefix only with `Secure`, which plain HTTP (a first look on localhost) cannot have. */
const isSecure = ({ config }: App): boolean => config.baseUrl.startsWith('https:')
const cookieName = (app: App): string => (isSecure(app) ? '__Host-watchpost' : 'watchpost')

const cookie = (app: App, value: string, maxAgeSeconds: number): string =>
  [
    `${cookieName(app)}=${value}`,
    'Path=/',
    `Max-Age=${maxAgeSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(app) ? ['Secure'] : []),
  ].join('; ')

/** The header that takes the cookie away. */
export const clearedCookie = (app: App): string => cookie(app, '', 0)

const secretIn = (app: App, { cookie: header = '' }: Pick<IncomingHttpHeaders, 'cookie'>): string | null => {
  const name = `${cookieName(app)}=`
  const pair = header.split(';').find((each) => each.trim().startsWith(name))
  const secret = pair?.trim().slice(name.length) ?? ''
  return secretForm.test(secret) ? secret : null
}

export type NewSession = {
  accountId: string
  userId: string | null
  apiKeyId: string | null
  address: string
  browser: string
}

/** Always a new secret: one that was there before the sign-in opens nothing (session fixation). The header that sets it. */
export const openSession = async (app: App & HasRandomBytes, session: NewSession): Promise<string> => {
  const secret = app.randomBytes(secretBytes).toString('base64url')
  const now = app.clock.now()
  await app.db.run(insertSession, {
    id: app.newId(),
    hash: keyHash(secret),
    account_id: session.accountId,
    user_id: session.userId,
    api_key_id: session.apiKeyId,
    created_at: now,
    used_at: now,
    address: session.address.slice(0, 100),
    browser: session.browser.slice(0, 300),
  })
  return cookie(app, secret, longestMs / 1000)
}

type Remembered = { principal: SessionPrincipal; until: number }

const emptyCache = () => boundedCache<string, Remembered>(maxRemembered)
const memoryOf = perApp(() => ({ sessions: emptyCache() }))

/** The other instances of the control plane forget it within seconds. */
export const endSession = async (app: App, id: string): Promise<void> => {
  await app.db.run(deleteSession, { id })
  forgetSessions(app)
}

export const forgetSessions = (app: App): void => {
  memoryOf(app).sessions = emptyCache()
}

/** Who is signed in; null: nobody. */
export const sessionOf = async (app: App, headers: IncomingHttpHeaders): Promise<SessionPrincipal | null> => {
  const secret = secretIn(app, headers)
  if (secret === null) return null
  const hash = keyHash(secret)
  const now = app.clock.now()
  const { sessions: remembered } = memoryOf(app)
  const hit = remembered.get(hash)
  if (hit !== undefined && hit.until > now) return hit.principal
  const principal = await readSession(app, hash, now)
  remembered.delete(hash)
  if (principal !== null) remembered.set(hash, { principal, until: now + rememberMs })
  return principal
}

const sameText = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

const readSession = async (app: App, hash: string, now: number): Promise<SessionPrincipal | null> => {
  const row = await app.db.get(findSession, { hash })
  if (row === undefined || !sameText(row.hash, hash)) return null
  if (now - row.used_at > idleMs || now - row.created_at > longestMs) return null
  // Of a key that is gone or revoked nothing goes on.
  if (row.api_key_id !== null && (row.key_role === null || row.key_revoked_at !== null)) return null
  const role = row.user_id === null ? row.key_role : await roleOfUser(app, row.user_id, row.account_id)
  if (role === null) return null
  if (now - row.used_at >= recordUseEveryMs) await recordUse(app, row.id, now)
  return {
    kind: 'account',
    accountId: row.account_id,
    role: role as Role,
    keyId: row.id,
    userId: row.user_id,
    sessionId: row.id,
    language: row.language,
  }
}

const roleOfUser = async (app: App, userId: string, accountId: string): Promise<string | null> => {
  const memberships = await app.db.all(membershipsOfUser, { userId })
  return memberships.find(({ account_id }) => account_id === accountId)?.role ?? null
}

const recordUse = async (app: App, id: string, now: number): Promise<void> => {
  try {
    await app.db.run(recordSessionUse, { id, now })
  } catch (error) {
    // A store that cannot be written to can still be read: the page is shown.
    app.log.warn({ err: error }, 'The use of a session could not be recorded')
  }
}
