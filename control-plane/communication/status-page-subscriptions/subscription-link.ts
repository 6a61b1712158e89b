/**
 * The links in a subscriber's mails. Each action has a token of its own, made from the subscription's by a step that cannot be gone back: who sees
 * one, as in a mail that was passed on, can do that and nothing else. Mails of before had the subscription's own, which does both as it did.
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { App } from '../../platform/app/app.ts'
import type { HasUnsubscribeUrls } from '../../platform/services/mail/queue-mail.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { StatusPageSubscriptionsTable } from '../../platform/store/database/tables/status-pages.ts'
import { findSubscriptionById, setSubscriptionToken } from './queries.ts'

export type LinkAction = 'verify' | 'unsubscribe'

type Row = Pick<StatusPageSubscriptionsTable, 'id' | 'sealed_token'>

/** A sealed token opens only in its own row. */
export const contextOf = (id: string): string => `status-page-subscription ${id}`

export const newSealedToken = (
  { cipher, randomBytes }: App & HasCipher & HasRandomBytes,
  id: string,
): string => cipher.encrypt(randomBytes(24).toString('base64url'), contextOf(id))

export const subscriptionLink = async (
  app: App & HasCipher & HasRandomBytes,
  row: Row,
  action: LinkAction,
): Promise<string> =>
  linkOf(app, { id: row.id, sealed_token: row.sealed_token ?? (await giveToken(app, row.id)) }, action)

/** For the footer of its mails; null when the subscription has ended. */
export const unsubscribeUrl: HasUnsubscribeUrls['lookups']['unsubscribeUrl'] = async (app, id) => {
  const subscription = await app.db.get(findSubscriptionById, { id })
  return subscription ? subscriptionLink(app, subscription, 'unsubscribe') : null
}

/** For a subscription that surely has a token. */
export const linkOf = (
  app: App & HasCipher,
  { id, sealed_token }: { id: string; sealed_token: string },
  action: LinkAction,
): string =>
  `${app.config.baseUrl}/subscriptions/${id}/${tokenFor(app.cipher.decrypt(sealed_token, contextOf(id)), action)}/${action}`

const tokenFor = (token: string, action: LinkAction): string =>
  createHmac('sha256', token).update(action).digest('base64url').slice(0, token.length)

/** Subscriptions older than their first mail have none; another control plane may be giving it one too. */
const giveToken = async (app: App & HasCipher & HasRandomBytes, id: string): Promise<string> => {
  const sealedToken = newSealedToken(app, id)
  if ((await app.db.run(setSubscriptionToken, { id, sealedToken })) === 1) return sealedToken
  return (await app.db.get(findSubscriptionById, { id }))?.sealed_token ?? sealedToken
}

/** The subscription that a link names; undefined when it has ended or the token is not its own for this action. */
export const subscriptionOfLink = async (
  app: App & HasCipher,
  { id, token, action }: { id: string; token: string; action: LinkAction },
): Promise<StatusPageSubscriptionsTable | undefined> => {
  const row = await app.db.get(findSubscriptionById, { id })
  if (!row || row.sealed_token === null) return undefined
  const own = app.cipher.decrypt(row.sealed_token, contextOf(id))
  return isSame(tokenFor(own, action), token) || isSame(own, token) ? row : undefined
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
