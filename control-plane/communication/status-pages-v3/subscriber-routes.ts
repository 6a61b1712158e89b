/** Subscribers of a page in the words of version 3: the same subscriptions, in pages and the newest first. */
import { type Static, Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { StatusPageSubscriptionsTable } from '../../platform/store/database/tables/status-pages.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { invalid, notFound, violation } from '../../platform/words/errors.ts'
import { cursorPage, cursorParameters, pageOf, positionOf } from '../../platform/words/shapes/cursor.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { deleteSubscription, listSubscriptions } from '../status-page-subscriptions/queries.ts'
import { Address, CreatedSubscriptions, Subscription } from '../status-page-subscriptions/schema.ts'
import { subscribe } from '../status-page-subscriptions/subscribe.ts'
import { componentsDoc } from '../status-page-subscriptions/subscribed-components.ts'
import { StatusPageId } from '../stored-pages/page-doc.ts'
import { readComponents } from './components.ts'
import { requirePage } from './incidents.ts'
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
  subscribedComponents: [],
}

const SubscribedComponents = Type.Array(Type.String({ format: 'uuid' }), {
  ...{ maxItems: 100, default: [] },
  description:
    'It is told of what touches one of these components of the page, a GROUP by any service in it, and of what touches none of the page; empty: of everything',
})

const NewSubscribers = Type.Object(
  {
    subscriptions: Type.Array(
      Type.Object(
        {
          type: Type.Enum(['EMAIL']),
          config: Type.Object(
            {
              address: Address,
              subscribedComponents: Type.Optional(SubscribedComponents),
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
type NewSubscribers = Static<typeof NewSubscribers>

const Subscriber = Type.Object(
  { ...Subscription.properties, subscribedComponents: SubscribedComponents },
  { title: 'StatusPageSubscriber' },
)
type Subscriber = Static<typeof Subscriber>

const idsOnPage = async (db: Db, pageId: string): Promise<ReadonlySet<string>> =>
  new Set((await readComponents(db, pageId.toLowerCase())).map(({ id }) => id))

/** Components that have left the page are not shown. */
const present = (row: StatusPageSubscriptionsTable, onPage: ReadonlySet<string>): Subscriber => ({
  ...{ id: row.id, type: 'EMAIL', address: row.address, language: row.language },
  status: row.status as Subscription['status'],
  ...{ created_at: toIso(row.created_at), updated_at: toIsoOrNull(row.updated_at) },
  subscribedComponents: componentsDoc.read(row.components).filter((id) => onPage.has(id)),
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
  response: pageOf(Subscriber, 'StatusPageSubscriberPage'),
  example: {
    params: allExample,
    response: { length: 1, entries: [exampleSubscriber], nextId: null },
  },
  handle: async (
    { params: { statusPageId: id }, query: { limit, nextId, status }, principal: { accountId } },
    app,
  ) => {
    await requirePage(app.db, { pageId: id, accountId })
    const after = positionOf(nextId)
    const isBehind = ({ created_at: at, id: each }: StatusPageSubscriptionsTable): boolean =>
      after === undefined || at < after.createdAt || (at === after.createdAt && each < after.id)
    const rows = (await app.db.all(listSubscriptions, { pageId: id, accountId }))
      .toReversed()
      .filter((row) => isBehind(row) && (status === undefined || row.status === status))
    const page = cursorPage(rows, limit)
    const onPage = await idsOnPage(app.db, id)
    return {
      length: page.rows.length,
      entries: page.rows.map((row) => present(row, onPage)),
      nextId: page.nextId,
    }
  },
})

const create = route({
  method: 'POST',
  path: `${all}/bulk`,
  access: 'READ_WRITE',
  tag,
  summary: 'Subscribe addresses to a page',
  description: 'Addresses that are subscribed already are skipped and stay as they are.',
  params: StatusPageId,
  body: NewSubscribers,
  status: 201,
  response: CreatedSubscriptions,
  example: {
    params: allExample,
    body: { subscriptions: [{ type: 'EMAIL', config: { address: 'ada@example.com' } }], autoVerify: true },
    response: { created: 1, skipped: 0, status: 'VERIFIED' },
  },
  handle: async (
    { params: { statusPageId: pageId }, body: { subscriptions, ...rest }, principal: { accountId } },
    app: App & HasCipher & HasRandomBytes,
  ) => {
    await requirePage(app.db, { pageId, accountId })
    requireOnPage(subscriptions, await idsOnPage(app.db, pageId))
    const wanted = subscriptions.map(({ type, config: { address, subscribedComponents = [] } }) => ({
      ...{ type, config: { address } },
      components: [...new Set(subscribedComponents.map((id) => id.toLowerCase()))],
    }))
    return subscribe(app, { pageId, accountId }, { ...rest, subscriptions: wanted })
  },
})

/** @throws ApiError 400 */
const requireOnPage = (subscriptions: NewSubscribers['subscriptions'], onPage: ReadonlySet<string>): void => {
  const violations = subscriptions.flatMap(({ config: { subscribedComponents = [] } }, at) =>
    subscribedComponents.flatMap((id, place) =>
      onPage.has(id.toLowerCase())
        ? []
        : [
            violation(
              `subscriptions.${at}.config.subscribedComponents.${place}`,
              'exists',
              'is no component of the page',
            ),
          ],
    ),
  )
  if (violations.length > 0) throw invalid(violations)
}

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
