/** All SQL about subscriptions to status pages. */
import { query } from '../../platform/store/database/query.ts'
import type { StatusPageSubscriptionsTable } from '../../platform/store/database/tables/status-pages.ts'

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
      language: p.language,
      components: p.components,
      status: p.status,
      created_at: p.created_at,
      updated_at: p.updated_at,
      sealed_token: p.sealed_token,
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

export const findSubscriptionById = query('find-subscription-by-id', (k, p: { id: string }) =>
  k.selectFrom('status_page_subscriptions').selectAll().where('id', '=', p.id),
)

export const findSubscriptionByAddress = query(
  'find-subscription-by-address',
  (k, p: { pageId: string; addressKey: string }) =>
    k
      .selectFrom('status_page_subscriptions')
      .selectAll()
      .where('status_page_id', '=', p.pageId)
      .where('type', '=', 'EMAIL')
      .where('address_key', '=', p.addressKey),
)

export const countPendingSince = query(
  'count-pending-subscriptions',
  (k, p: { pageId: string; since: number }) =>
    k
      .selectFrom('status_page_subscriptions')
      .select((at) => at.fn.countAll<number>().as('total'))
      .where('status_page_id', '=', p.pageId)
      .where('status', '=', 'PENDING')
      .where('created_at', '>', p.since),
)

/** Changes nothing when there is a token already. */
export const setSubscriptionToken = query(
  'set-subscription-token',
  (k, p: { id: string; sealedToken: string }) =>
    k
      .updateTable('status_page_subscriptions')
      .set({ sealed_token: p.sealedToken })
      .where('id', '=', p.id)
      .where('sealed_token', 'is', null),
)

export const setComponents = query(
  'set-subscription-components',
  (k, p: { id: string; components: string }) =>
    k
      .updateTable('status_page_subscriptions')
      .set({ components: p.components })
      .where('id', '=', p.id)
      .where('status', '=', 'PENDING'),
)

export const verifySubscription = query('verify-subscription', (k, p: { id: string; now: number }) =>
  k
    .updateTable('status_page_subscriptions')
    .set({ status: 'VERIFIED', updated_at: p.now })
    .where('id', '=', p.id)
    .where('status', '=', 'PENDING'),
)

export const endSubscription = query('end-subscription', (k, p: { id: string }) =>
  k.deleteFrom('status_page_subscriptions').where('id', '=', p.id),
)

/** A page that anybody may subscribe to is found by its address. */
export const findPageByUrl = query('find-status-page-by-url', (k, p: { url: string }) =>
  k
    .selectFrom('page_names as n')
    .innerJoin('status_pages as p', 'p.id', 'n.page_id')
    .selectAll('p')
    .where('n.kind', '=', 'URL')
    .where('n.name', '=', p.url),
)
