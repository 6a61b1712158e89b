import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { StatusPageSubscriptionsTable } from '../../platform/store/database/tables/status-pages.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { examplePageId, StatusPageId } from '../stored-pages/page-doc.ts'
import { findPage } from '../stored-pages/queries.ts'
import { publicSubscriptionRoutes } from './public-routes.ts'
import { deleteSubscription, listSubscriptions } from './queries.ts'
import { CreatedSubscriptions, NewSubscriptions, Subscription, SubscriptionId } from './schema.ts'
import { subscribe } from './subscribe.ts'

const tag = 'Status page subscriptions'
const exampleParams = { statusPageId: examplePageId }
const exampleSubscription = {
  id: '1a9c3b5d-7e2f-4a60-8b4d-6c5e7f8a9b02',
  type: 'EMAIL',
  address: 'ada@example.com',
  language: null,
  status: 'VERIFIED',
  created_at: '2026-01-03T00:00:00.000Z',
  updated_at: null,
}

const present = (row: StatusPageSubscriptionsTable): Subscription => ({
  id: row.id,
  type: 'EMAIL',
  address: row.address,
  language: row.language,
  status: row.status as Subscription['status'],
  created_at: toIso(row.created_at),
  updated_at: toIsoOrNull(row.updated_at),
})

const list = route({
  method: 'GET',
  path: '/v1/status-pages/:statusPageId/subscriptions',
  access: 'READ_ONLY',
  tag,
  summary: 'All subscriptions of a page, oldest first',
  params: StatusPageId,
  status: 200,
  response: Type.Array(Subscription),
  example: { params: exampleParams, response: [exampleSubscription] },
  handle: async ({ params: { statusPageId }, principal: { accountId } }, app) => {
    if (!(await app.db.get(findPage, { id: statusPageId, accountId }))) throw notFound()
    return (await app.db.all(listSubscriptions, { pageId: statusPageId, accountId })).map(present)
  },
})

const create = route({
  method: 'POST',
  path: '/v1/status-pages/:statusPageId/subscriptions/bulk',
  access: 'READ_WRITE',
  tag,
  summary: 'Subscribe addresses to a page',
  description:
    'An address that is subscribed already, in any case of letters, is skipped and stays as it is. Without `autoVerify` ' +
    'the others get a mail with a link that verifies them, at most one an hour.',
  params: StatusPageId,
  body: NewSubscriptions,
  status: 201,
  response: CreatedSubscriptions,
  example: {
    params: exampleParams,
    body: { subscriptions: [{ type: 'EMAIL', config: { address: 'ada@example.com' } }], autoVerify: true },
    response: { created: 1, skipped: 0, status: 'VERIFIED' },
  },
  handle: ({ params, body, principal }, app: App & HasCipher & HasRandomBytes) =>
    subscribe(app, { pageId: params.statusPageId, accountId: principal.accountId }, body),
})

const remove = route({
  method: 'DELETE',
  path: '/v1/status-pages/:statusPageId/subscriptions/:subscriptionId',
  access: 'READ_WRITE',
  tag,
  summary: 'End a subscription',
  params: SubscriptionId,
  status: 204,
  example: { params: { ...exampleParams, subscriptionId: exampleSubscription.id } },
  handle: async ({ params, principal: { accountId } }, app: App & HasCipher) => {
    const one = { id: params.subscriptionId, pageId: params.statusPageId, accountId }
    if ((await app.db.run(deleteSubscription, one)) === 0) throw notFound()
  },
})

export { list as listSubscriptions }

export const statusPageSubscriptionRoutes: Route<App & HasCipher & HasRandomBytes>[] = [
  list,
  create,
  remove,
  ...publicSubscriptionRoutes,
]
