/** Subscribing addresses to a page: by the account in bulk, or by anybody for themselves. */

import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { StatusPagesTable } from '../../platform/store/database/tables/status-pages.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { pageDoc } from '../stored-pages/page-doc.ts'
import { findPage, sharePages } from '../stored-pages/queries.ts'
import {
  countPendingSince,
  findPageByUrl,
  findSubscriptionByAddress,
  insertSubscription,
  setComponents,
} from './queries.ts'
import type { CreatedSubscriptions, NewSubscriptions } from './schema.ts'
import { componentsDoc } from './subscribed-components.ts'
import { newSealedToken } from './subscription-link.ts'
import { askToVerify } from './verification.ts'

const hourMs = 3_600_000
/** New addresses that strangers may leave at one page in an hour. */
const strangersPerHour = 200

/** `components`: of the page that it is told of; none: of all. */
type Wanted = Omit<NewSubscriptions, 'subscriptions'> & {
  subscriptions: readonly (NewSubscriptions['subscriptions'][number] & { components?: readonly string[] })[]
}

/** @throws ApiError 404 */
export const subscribe = (
  app: App & HasCipher & HasRandomBytes,
  { pageId, accountId }: { pageId: string; accountId: string },
  { subscriptions, autoVerify }: Wanted,
): Promise<CreatedSubscriptions> => {
  const now = app.clock.now()
  const status = autoVerify ? 'VERIFIED' : 'PENDING'
  const page = { id: pageId, account_id: accountId }
  const rows = subscriptions.map(({ config: { address }, language = null, components = [] }) =>
    newRow(app, page, { address, language, components, status, now }),
  )
  return app.db.transaction(async (trx) => {
    const [shared] = await trx.all(sharePages, { accountId, ids: [pageId] })
    const found = shared && (await trx.get(findPage, { id: pageId, accountId }))
    if (!found) throw notFound()
    let created = 0
    for (const row of rows) {
      if ((await trx.run(insertSubscription, row)) === 0) continue
      created += 1
      if (!autoVerify) await askToVerify(trx, app, { subscription: row, page: found, now })
    }
    return { created, skipped: rows.length - created, status }
  })
}

/** `chosen`: services of the page that it is told of; none: of all. */
type OwnWish = {
  url: string
  address: string
  language: string | null
  chosen?: readonly { id: string; name: string }[]
}

/**
 * What somebody without a key asks for. It ends the same way whether or not the address was known, so that nobody learns
 * who subscribes. @throws ApiError 404 for a page that is not there or not public, 429
 */
export const subscribeYourself = async (
  app: App & HasCipher & HasRandomBytes,
  { url, address, language, chosen = [] }: OwnWish,
): Promise<void> => {
  const now = app.clock.now()
  const page = await app.db.get(findPageByUrl, { url: url.toLowerCase() })
  if (!page || pageDoc.read(page.doc).isPrivate) throw notFound()
  const components = chosen.map(({ id }) => id)
  const row = newRow(app, page, { address, language, components, status: 'PENDING', now })
  await app.db.transaction(async (trx) => {
    const [shared] = await trx.all(sharePages, {
      accountId: page.account_id,
      ids: [page.id],
    })
    if (!shared) throw notFound()
    const known = await trx.get(findSubscriptionByAddress, { pageId: page.id, addressKey: row.address_key })
    if (known?.status === 'VERIFIED') return
    const recent = await trx.get(countPendingSince, { pageId: page.id, since: now - hourMs })
    if (!known && (recent?.total ?? 0) >= strangersPerHour)
      throw new ApiError(429, 'Too many subscriptions to this page: try again in an hour')
    if (!known && (await trx.run(insertSubscription, row)) === 0) return
    const { sealed_token } = known ?? row
    if (sealed_token === null) return
    // Of an address that has not confirmed, the last wish counts.
    if (known) await trx.run(setComponents, { id: known.id, components: row.components })
    const subscription = { ...(known ?? row), sealed_token }
    await askToVerify(trx, app, { subscription, page, chosen: chosen.map(({ name }) => name), now })
  })
}

type SubscriptionRequest = {
  address: string
  language: string | null
  components: readonly string[]
  status: string
  now: number
}

const newRow = (
  app: App & HasCipher & HasRandomBytes,
  page: Pick<StatusPagesTable, 'id' | 'account_id'>,
  { address, language, components, status, now }: SubscriptionRequest,
) => {
  const id = app.newId()
  return {
    id,
    account_id: page.account_id,
    status_page_id: page.id,
    type: 'EMAIL',
    address,
    address_key: address.toLowerCase(),
    language,
    components: componentsDoc.write([...components]),
    status,
    created_at: now,
    updated_at: null,
    sealed_token: newSealedToken(app, id),
  }
}
