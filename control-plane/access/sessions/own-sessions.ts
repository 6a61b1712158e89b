/** The sessions of whoever asks: of a user all of theirs, of a service key those that it opened. */
import type { App } from '../../platform/app/app.ts'
import type { UserSessionsTable } from '../../platform/store/database/tables/user-sessions.ts'
import { forgetSessions } from '../../platform/web/http/auth/session.ts'
import type { AccountPrincipal } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { deleteSessionsOfUser } from '../credentials/queries.ts'
import {
  deleteSessionOfKey,
  deleteSessionOfUser,
  deleteSessionsOfKey,
  findSessionById,
  sessionsOfKey,
  sessionsOfUser,
} from './queries.ts'

const maxShown = 100
/** After that, who changes how they sign in does so again first: a browser that was left open is no proof. */
const freshMs = 15 * 60_000
const byKey =
  'This browser was let in by an API key, which cannot change how somebody signs in. Sign out, and sign in with a password, a passkey or a link'

const ownSession = async (app: App, { sessionId }: AccountPrincipal): Promise<UserSessionsTable> => {
  const session = await app.db.get(findSessionById, { id: sessionId ?? '' })
  if (session === undefined) throw new ApiError(401, 'Sign in first')
  return session
}

export const ownSessions = async (app: App, principal: AccountPrincipal): Promise<UserSessionsTable[]> => {
  const { user_id: userId, api_key_id: apiKeyId } = await ownSession(app, principal)
  return userId === null
    ? app.db.all(sessionsOfKey, { apiKeyId: apiKeyId ?? '', limit: maxShown })
    : app.db.all(sessionsOfUser, { userId, limit: maxShown })
}

export const endOwnSession = async (app: App, principal: AccountPrincipal, id: string): Promise<void> => {
  const { user_id: userId, api_key_id: apiKeyId } = await ownSession(app, principal)
  if (userId === null) await app.db.run(deleteSessionOfKey, { id, apiKeyId: apiKeyId ?? '' })
  else await app.db.run(deleteSessionOfUser, { id, userId })
  forgetSessions(app)
}

export const endOtherSessions = async (app: App, principal: AccountPrincipal): Promise<void> => {
  const { id, user_id: userId, api_key_id: apiKeyId } = await ownSession(app, principal)
  if (userId === null) await app.db.run(deleteSessionsOfKey, { apiKeyId: apiKeyId ?? '', except: id })
  else await app.db.run(deleteSessionsOfUser, { userId, except: id })
  forgetSessions(app)
}

/**
 * The user of a session that began a short while ago, and not with a key: who has somebody's key acts as them until it is revoked, and
 * must not become them for good. @throws ApiError 303 to the sign-in, or 403 for a key
 */
export const requireFresh = async (
  app: App,
  principal: AccountPrincipal,
): Promise<{ userId: string; sessionId: string }> => {
  const session = await ownSession(app, principal)
  const { id: sessionId, user_id: userId, api_key_id: apiKeyId, created_at: createdAt } = session
  if (userId === null || apiKeyId !== null) throw new ApiError(403, byKey)
  if (app.clock.now() - createdAt > freshMs)
    throw new ApiError(303, 'Sign in again first', { headers: { location: '/sign-in?next=/app/profile' } })
  return { userId, sessionId }
}
