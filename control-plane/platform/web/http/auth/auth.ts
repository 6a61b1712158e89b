/**
 * From an `Authorization` header to who called. A key is looked up by its SHA-256; what was found is kept for a few
 * seconds, so that a revoked key or a changed role counts everywhere within `rememberMs` and a busy key costs no query.
 *
 * A key with a user acts as that user, with the user's role in each account they belong to; the account header chooses,
 * the key's own account is the default. A key without a user has one account and a role of its own.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { boundedCache } from '../../../../../protocol/bounded-memo.ts'
import type { App } from '../../../app/app.ts'
import { ApiError } from '../../../words/errors.ts'
import { type Role, roles, seesLockedValues } from '../../../words/shapes/roles.ts'
import type { AccountPrincipal, ProgramKey, ProgramPrincipal } from '../route.ts'
import type { AccountHeader } from './account-header.ts'
import { accountsShowingSecrets, findApiKey, membershipsOfUser, recordKeyUse } from './auth-queries.ts'

const rememberMs = 5_000
const maxRemembered = 10_000
/** `last_used_at` is written at most this often per key. */
const recordUseEveryMs = 60_000
/** Longer than any key; keeps hashing cheap. */
const maxKeyLength = 200

type Authenticator = {
  /** @throws ApiError 400, 401 or 403 */
  account(
    authorization: string | undefined,
    accountHeader: AccountHeader | undefined,
  ): Promise<AccountPrincipal>
  /** @throws ApiError 401 */
  program(key: ProgramKey, authorization: string | undefined): Promise<ProgramPrincipal>
  /** Whether it was right when it was last looked up, which it is not now. */
  knows(authorization: string | undefined): boolean
}

export const createAuthenticator = (app: App): Authenticator => {
  const accounts = remembering(app, async (digest): Promise<KnownKey | undefined> => {
    const row = await app.db.get(findApiKey, { hash: digest })
    if (!row || !sameText(row.hash, digest)) return undefined
    await recordUse(app, row)
    return knownKey(app, row)
  })
  const programs = new Map<ProgramKey, Remembered<ProgramPrincipal>>()
  const programsWith = (key: ProgramKey): Remembered<ProgramPrincipal> => {
    const known = programs.get(key) ?? remembering(app, (digest) => findProgram(app, key, digest))
    programs.set(key, known)
    return known
  }
  return {
    account: async (authorization, accountHeader) => {
      const key = await accounts.find(bearer(authorization))
      if (!key) throw badToken()
      return principalIn(key, accountHeader)
    },
    program: async (kind, authorization) => {
      const key = bearer(authorization)
      const principal = kind.pattern.test(key) ? await programsWith(kind).find(key) : undefined
      if (!principal) throw badToken()
      return principal
    },
    knows: (authorization) => {
      const key = keyIn(authorization)
      return key !== null && (accounts.knows(key) || [...programs.values()].some(({ knows }) => knows(key)))
    },
  }
}

/** What is stored of a key. */
export const keyHash = (key: string): string => hash('sha256', key, 'hex')

/** @throws ApiError 403 when the caller's role is weaker than `needed`. */
export const requireRole = (principal: AccountPrincipal, needed: Role): void => {
  if (roles.indexOf(principal.role) < roles.indexOf(needed)) throw new ApiError(403)
}

const keyIn = (authorization: string | undefined): string | null => {
  const [, key] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  return key === undefined || key.length > maxKeyLength ? null : key
}

const bearer = (authorization: string | undefined): string => {
  const key = keyIn(authorization)
  if (key === null) throw badToken()
  return key
}

const badToken = (): ApiError =>
  new ApiError(401, 'Bad Token', { headers: { 'www-authenticate': 'Bearer realm="watchpost"' } })

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

type KnownKey = {
  ownAccountId: string
  /** By the id of its account. */
  principals: ReadonlyMap<string, AccountPrincipal>
}

type KeyRow = { id: string; account_id: string; user_id: string | null; role: string }

const knownKey = async (app: App, row: KeyRow): Promise<KnownKey> => {
  const { id: keyId, account_id: ownAccountId, user_id: userId } = row
  const memberships = userId === null ? [row] : await app.db.all(membershipsOfUser, { userId })
  const accountIds = memberships.map(({ account_id }) => account_id)
  const showing = new Set((await app.db.all(accountsShowingSecrets, { accountIds })).map(({ id }) => id))
  const principals = memberships.map(({ account_id: accountId, role: named }) => {
    const role = named as Role
    const seesSecrets = showing.has(accountId) && seesLockedValues(role)
    return [accountId, { kind: 'account', accountId, role, keyId, userId, seesSecrets }] as const
  })
  return { ownAccountId, principals: new Map(principals) }
}

const principalIn = (
  { ownAccountId, principals }: KnownKey,
  header: AccountHeader | undefined,
): AccountPrincipal => {
  if (header !== undefined && !uuid.test(header.value))
    throw new ApiError(400, `"${header.name}" must be an account id (a UUID)`)
  const principal = principals.get(header?.value.toLowerCase() ?? ownAccountId)
  if (!principal) throw new ApiError(403)
  return principal
}

const sameText = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

const findProgram = async (
  app: App,
  key: ProgramKey,
  digest: string,
): Promise<ProgramPrincipal | undefined> => {
  const found = await key.find(app, digest)
  if (found === undefined || !sameText(found.hash, digest)) return undefined
  const { holder, keyId, countedWith } = found
  return { ...holder, kind: 'program', keyId, countedWith }
}

const recordUse = async (app: App, key: { id: string; last_used_at: number | null }): Promise<void> => {
  const now = app.clock.now()
  if (key.last_used_at !== null && now - key.last_used_at < recordUseEveryMs) return
  try {
    await app.db.run(recordKeyUse, { id: key.id, now })
  } catch (error) {
    // A store that cannot be written to can still be read: the request goes on.
    app.log.warn({ err: error }, 'The use of an API key could not be recorded')
  }
}

type Remembered<P> = { find(key: string): Promise<P | undefined>; knows(key: string): boolean }

/** Found principals by the hash of their key. Misses are not kept: a new key works at once. */
const remembering = <P>(app: App, find: (digest: string) => Promise<P | undefined>): Remembered<P> => {
  const known = boundedCache<string, { principal: P; until: number }>(maxRemembered)
  const knows = (key: string): boolean => known.get(keyHash(key)) !== undefined
  const remembered = async (key: string): Promise<P | undefined> => {
    const digest = keyHash(key)
    const now = app.clock.now()
    const hit = known.get(digest)
    if (hit && hit.until > now) return hit.principal
    const principal = await find(digest)
    known.delete(digest)
    if (principal === undefined) return undefined
    known.set(digest, { principal, until: now + rememberMs })
    return principal
  }
  return { find: remembered, knows }
}
