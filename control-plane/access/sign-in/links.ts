/**
 * Links that let somebody in once: the first start's, the operator's for who is locked out, and the one that a mail brings to who forgot a
 * password. 256 random bits, of which the store has the SHA-256. A link changes nothing until its page's button is pressed: programs that look
 * at mails open links.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { SignInLinksTable } from '../../platform/store/database/tables/sign-in.ts'
import { keyHash } from '../../platform/web/http/auth/auth.ts'
import { forgetSessions } from '../../platform/web/http/auth/session.ts'
import {
  deleteLinksOfUser,
  deleteSessionsOfUser,
  findLink,
  insertLink,
  putPassword,
  takeLinks,
  updateUserAddress,
} from '../credentials/queries.ts'
import { removeSecondFactor } from '../credentials/second-factor.ts'

/** Of the first start's owner, until they say their own: with their first link, or by inviting themselves and passing the ownership on. */
export const ownerEmail = 'owner@watchpost.localhost'

/** `OPERATOR`: the second factor goes with the old password. */
type LinkPurpose = 'FIRST' | 'OPERATOR' | 'FORGOTTEN'

const lifeMs: Record<LinkPurpose, number> = { FIRST: 86_400_000, OPERATOR: 86_400_000, FORGOTTEN: 3_600_000 }

type NewLink = { userId: string; purpose: LinkPurpose; now: number; token: string }

export const newLinkToken = (app: HasRandomBytes): string => app.randomBytes(32).toString('base64url')

export const linkAddress = ({ config }: Pick<App, 'config'>, token: string): string =>
  `${config.baseUrl}/sign-in/first/${token}`

/** One of the operator replaces the user's earlier ones. What anybody can ask for by mail replaces none. */
export const storeLink = async (trx: Db, { userId, purpose, now, token }: NewLink): Promise<void> => {
  if (purpose !== 'FORGOTTEN') await trx.run(deleteLinksOfUser, { userId })
  await trx.run(insertLink, {
    ...{ hash: keyHash(token), user_id: userId, purpose, created_at: now, expires_at: now + lifeMs[purpose] },
  })
}

/** Null: unknown, used or over. */
export const openLink = async (app: App, token: string): Promise<SignInLinksTable | null> => {
  const row = await app.db.get(findLink, { hash: keyHash(token) })
  return row !== undefined && row.expires_at > app.clock.now() ? row : null
}

type Use = {
  link: SignInLinksTable
  passwordHash: string
  /** Of a user whose e-mail nobody knew. */
  address: { email: string; name: string | null } | null
}

/** Sets the password; all other links and all sessions of the user end. False: somebody else used the link. */
export const usePasswordLink = async (app: App, { link, passwordHash, address }: Use): Promise<boolean> => {
  const { user_id: userId } = link
  const now = app.clock.now()
  const used = await app.db.transaction(async (trx) => {
    if ((await trx.run(takeLinks, { hash: link.hash })) === 0) return false
    if (address !== null)
      await trx.run(updateUserAddress, {
        ...{ userId, ...address, nameSearch: address.name?.toLowerCase() ?? '', now },
      })
    await trx.run(putPassword, { userId, hash: passwordHash, now })
    await trx.run(deleteSessionsOfUser, { userId, except: '' })
    if (link.purpose === 'OPERATOR') await removeSecondFactor(trx, userId)
    return true
  })
  forgetSessions(app)
  return used
}
