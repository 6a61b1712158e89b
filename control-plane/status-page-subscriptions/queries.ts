/** All SQL about subscriptions to status pages. */
import { query } from '../database/query.ts'
import type { StatusPageSubscriptionsTable } from '../database/tables/status-pages.ts'

/** Oldest first. */
export const listSubscriptions = query('list-subscriptions', (k, p: { pageId: string; accountId: string }) =>
  k
    .selectFrom('status_page_subscriptions')
    .selectAll()
    .where('status_page_id', '=', p.pageId)
    .where('account_id', '=', p.accountId)
    .orderBy('created_at')
    .orderBy('id'),
)

/** Changes nothing when the address is subscribed already. */
export const insertSubscription = query('insert-subscription', (k, p: StatusPageSubscriptionsTable) =>
  k
    .insertInto('status_page_subscriptions')
    .values({
      id: p.id,
      account_id: p.account_id,
      status_page_id: p.status_page_id,
      type: p.type,
      address: p.address,
      address_key: p.address_key,
      status: p.status,
      created_at: p.created_at,
      updated_at: p.updated_at,
    })
    .onConflict((conflict) => conflict.columns(['status_page_id', 'type', 'address_key']).doNothing()),
)

export const deleteSubscription = query(
  'delete-subscription',
  (k, p: { id: string; pageId: string; accountId: string }) =>
    k
      .deleteFrom('status_page_subscriptions')
      .where('id', '=', p.id)
      .where('status_page_id', '=', p.pageId)
      .where('account_id', '=', p.accountId),
)

export const deleteSubscriptionsOfPage = query('delete-subscriptions-of-page', (k, p: { pageId: string }) =>
  k.deleteFrom('status_page_subscriptions').where('status_page_id', '=', p.pageId),
)
