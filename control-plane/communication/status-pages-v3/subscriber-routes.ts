/** Subscribers of a page in the words of version 3: the same subscriptions, in pages and the newest first. */
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { StatusPageSubscriptionsTable } from '../../platform/store/database/tables/status-pages.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { cursorPage, cursorParameters, pageOf, positionOf } from '../../platform/words/shapes/cursor.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { deleteSubscription, listSubscriptions } from '../status-page-subscriptions/queries.ts'
import { Address, CreatedSubscriptions, Subscription } from '../status-page-subscriptions/schema.ts'
import { subscribe } from '../status-page-subscriptions/subscribe.ts'
import { StatusPageId } from '../stored-pages/page-doc.ts'
import { findPage } from '../stored-pages/queries.ts'
import { examplePageV3 } from './page-schema.ts'

const tag = 'Status pages, version 3'
const all = '/v3/status-pages/:statusPageId/subscribers'
const closed = { additionalProperties: false }
const allExample = { statusPageId: examplePageV3.id }
const exampleSubscriber = {
  id: '1a9c3b5d-7e2f-4a60-8b4d-6c5e7f8a9b02',
  type: 'EMAIL',
  address: 'ada@example.com',
  language: null,
  status: 'VERIFIED',
  created_at: '2026-01-03T00:00:00.000Z',
  updated_at: null,
}

const NewSubscribers = Type.Object(
  {
    subscriptions: Type.Array(
      Type.Object(
        {
          type: Type.Enum(['EMAIL']),
          config: Type.Object(
            {
              address: Address,
              subscribedComponents: Type.Optional(
                Type.Array(Type.String(), {
                  maxItems: 0,
                  description: 'Empty: subscribers are told of the whole page',
                }),
              ),
            },
            closed,
          ),
        },
        { ...closed, title: 'NewSubscriber' },
      ),
      { minItems: 1, maxItems: 100 },
    ),
    autoVerify: Type.Optional(
      Type.Boolean({ default: false, description: 'They count as verified; nobody is asked' }),
    ),
  },
  { ...closed, title: 'NewSubscribers' },
)

const present = (row: StatusPageSubscriptionsTable): Subscription => ({
  ...{ id: row.id, type: 'EMAIL', address: row.address, language: row.language },
  status: row.status as Subscription['status'],
  ...{ created_at: toIso(row.created_at), updated_at: toIsoOrNull(row.updated_at) },
})

const list = route({
  method: 'GET',
  path: all,
  access: 'READ_ONLY',
  tag,
  summary: 'List the subscribers of a page, newest first',
  params: StatusPageId,
  query: Type.Object(
    { ...cursorParameters, status: Type.Optional(Type.Enum(['PENDING', 'VERIFIED'])) },
    closed,
  ),
  status: 200,
  response: pageOf(Subscription, 'StatusPageSubscriberPage'),
  example: {
    params: allExample,
    response: { length: 1, entries: [exampleSubscriber], nextId: null },
  },
  handle: async (
    { params: { statusPageId: id }, query: { limit, nextId, status }, principal: { accountId } },
    app,
  ) => {
    if (!(await app.db.get(findPage, { id, accountId }))) throw notFound()
    const after = positionOf(nextId)
    const isBehind = ({ created_at: at, id: each }: StatusPageSubscriptionsTable): boolean =>
      after === undefined || at < after.createdAt || (at === after.createdAt && each < after.id)
    const rows = (await app.db.all(listSubscriptions, { pageId: id, accountId }))
      .toReversed()
      .filter((row) => isBehind(row) && (status === undefined || row.status === status))
    const page = cursorPage(rows, limit)
    return { length: page.rows.length, entries: page.rows.map(present), nextId: page.nextId }
  },
})

const create = route({
  method: 'POST',
  path: `${all}/bulk`,
  access: 'READ_WRITE',
  tag,
  summary: 'Subscribe addresses to a page',
  description: 'Addresses that are subscribed already are skipped.',
  params: StatusPageId,
  body: NewSubscribers,
  status: 201,
  response: CreatedSubscriptions,
  example: {
    params: allExample,
    body: { subscriptions: [{ type: 'EMAIL', config: { address: 'ada@example.com' } }], autoVerify: true },
    response: { created: 1, skipped: 0, status: 'VERIFIED' },
  },
  handle: (
    { params: { statusPageId: pageId }, body: { subscriptions, autoVerify }, principal: { accountId } },
    app: App & HasCipher & HasRandomBytes,
  ) =>
    subscribe(
      app,
      { pageId, accountId },
      {
        subscriptions: subscriptions.map(({ type, config: { address } }) => ({ type, config: { address } })),
        ...(autoVerify === undefined ? {} : { autoVerify }),
      },
    ),
})

const remove = route({
  method: 'DELETE',
  path: `${all}/:subscriberId`,
  access: 'READ_WRITE',
  tag,
  summary: 'End the subscription of a subscriber',
  params: Type.Object({
    statusPageId: Type.String({ format: 'uuid' }),
    subscriberId: Type.String({ format: 'uuid' }),
  }),
  status: 204,
  example: { params: { ...allExample, subscriberId: exampleSubscriber.id } },
  handle: async ({ params: { statusPageId: pageId, subscriberId: id }, principal: { accountId } }, app) => {
    if ((await app.db.run(deleteSubscription, { id, pageId, accountId })) === 0) throw notFound()
  },
})

export const subscriberRoutes: Route<App & HasCipher & HasRandomBytes>[] = [list, create, remove]
