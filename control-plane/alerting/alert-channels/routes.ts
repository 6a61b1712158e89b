import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { AlertChannelsTable } from '../../platform/store/database/tables/alert-channels.ts'
import {
  offsetOf,
  pageParameters,
  pageReply,
  searchParameter,
} from '../../platform/web/http/answers/offset-page.ts'
import { changedMeanwhile, entityTag, ifMatchHeader } from '../../platform/web/http/request/entity-tag.ts'
import { type Reply, type Route, reply, route, warningHeaders } from '../../platform/web/http/route.ts'
import { invalid, notFound, violation } from '../../platform/words/errors.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import type { Sight } from '../../platform/words/shapes/roles.ts'
import type { ChannelTypeName } from '../channels/channel-type.ts'
import { channels } from '../channels/index.ts'
import type { HasProviders } from '../channels/providers.ts'
import { serializeChannel } from './channel-row.ts'
import { countChannels, findChannel, listChannels } from './queries.ts'
import {
  changeChannel,
  changeSubscription,
  createChannel,
  removeChannel,
  subscribeMany,
} from './save-channel.ts'
import {
  AlertChannel,
  AlertChannelChanges,
  ChannelId,
  ChecksToSubscribe,
  type Flags,
  NewAlertChannel,
  NewSubscription,
  Subscription,
} from './schema.ts'
import { subscriptionsOfChannels } from './subscription-queries.ts'

const ignored = [...recordNames, ...always('subscriptions[].id', 'warnings')]

const tag = 'Alert channels'
const params = { id: '7' }
const exampleBody = { type: 'EMAIL', config: { address: 'on-call@example.com' } }
const example = {
  id: 7,
  ...exampleBody,
  subscriptions: [],
  sendRecovery: true,
  sendFailure: true,
  sendDegraded: false,
  sslExpiry: false,
  sslExpiryThreshold: 30,
  autoSubscribe: false,
  locationAlerts: false,
  fallbackChannelId: null,
  hours: null,
  grouping: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
}
const exampleSubscription = { checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11', activated: true }

const present = async (
  app: App & HasCipher,
  sight: Sight,
  rows: AlertChannelsTable[],
): Promise<AlertChannel[]> => {
  const viewer = { cipher: app.cipher, role: sight.role, seesSecrets: sight.seesSecrets }
  const subscriptions = await subscriptionsOfChannels(
    app.db,
    rows.map(({ id }) => id),
  )
  const byChannel = Map.groupBy(subscriptions, ({ channel_id }) => channel_id)
  return rows.map((row) =>
    serializeChannel(
      viewer,
      row,
      (byChannel.get(row.id) ?? []).map(({ id, check_id: checkId, group_id: groupId, activated }) => ({
        id,
        checkId,
        groupId,
        activated,
      })),
    ),
  )
}

const tagged = async (
  app: App & HasCipher,
  sight: Sight,
  row: AlertChannelsTable,
): Promise<Reply<AlertChannel>> => {
  const [channel] = await present(app, sight, [row])
  if (!channel) throw new Error('A channel was not presented')
  return reply(channel, { headers: { etag: entityTag(row.version) } })
}

/** The answer to a write. */
const written = async (
  app: App & HasProviders & HasCipher,
  sight: Sight,
  row: AlertChannelsTable,
): Promise<Reply<AlertChannel>> => {
  const channel = await tagged(app, sight, row)
  const setting = channels[row.type as ChannelTypeName].missingSetting?.(app.config.providers) ?? null
  if (setting === null) return channel
  const message = `${setting} is not set: until the operator sets it, nothing is sent to this channel.`
  const warnings = [{ message }]
  const headers = { ...channel.headers, ...warningHeaders(warnings) }
  return reply({ ...channel.body, warnings }, { headers })
}

const listParameters = {
  ...pageParameters,
  ...searchParameter('the type, the name or the address, without its secrets'),
}

const list = route({
  method: 'GET',
  path: '/v1/alert-channels',
  access: 'READ_ONLY',
  tag,
  summary: 'List alert channels, oldest first',
  query: Type.Object(listParameters, { additionalProperties: false }),
  status: 200,
  response: Type.Array(AlertChannel),
  example: { query: { limit: 20, search: 'on-call' }, response: [example] },
  handle: async ({ query, principal }, app: App & HasCipher) => {
    const { accountId } = principal
    const filter = { accountId, search: query.search }
    const total = await countChannels(app.db, filter)
    const rows = await listChannels(app.db, filter, { limit: query.limit, offset: offsetOf(query) })
    const url = `${app.config.baseUrl}/v1/alert-channels`
    return pageReply({ items: await present(app, principal, rows), total, url, query })
  },
})

const create = route({
  method: 'POST',
  path: '/v1/alert-channels',
  access: 'READ_WRITE',
  tag,
  summary: 'Create an alert channel',
  description:
    'Secrets of `config` are encrypted at rest and shown as `***` and their last four characters. Addresses that are ' +
    'posted to are shown whole to keys that may change the channel; others see where they lead and `***`. Where the ' +
    'operator has no provider for the type, `warnings` and the header `Watchpost-Warning` say so.',
  query: Type.Object({
    subscribeExistingChecks: Type.Boolean({
      default: false,
      description: 'All checks that exist are subscribed to the new channel',
    }),
  }),
  body: NewAlertChannel,
  ignores: ignored,
  status: 201,
  response: AlertChannel,
  example: { body: exampleBody, response: example },
  handle: async ({ query, body, principal }, app: App & HasCipher & HasProviders & HasRandomBytes) => {
    const { type, config, subscriptions = [], ...given } = body
    const flags = { locationAlerts: given.autoSubscribe === true, ...given } as Flags
    const sent = { type, config, subscriptions, flags, ...query }
    return written(app, principal, await createChannel(app, principal.accountId, sent))
  },
})

const read = route({
  method: 'GET',
  path: '/v1/alert-channels/:id',
  access: 'READ_ONLY',
  tag,
  summary: 'One alert channel',
  params: ChannelId,
  status: 200,
  response: AlertChannel,
  example: { params, response: example },
  handle: async ({ params, principal }, app: App & HasCipher) => {
    const row = await app.db.get(findChannel, { id: params.id, accountId: principal.accountId })
    if (!row) throw notFound()
    return tagged(app, principal, row)
  },
})

const update = route({
  method: 'PUT',
  path: '/v1/alert-channels/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Change an alert channel',
  description:
    '`type` and `config` are replaced as a whole; a secret that is sent as its mask is kept. Flags and ' +
    '`subscriptions` that are left out stay as they are.',
  params: ChannelId,
  requestHeaders: ifMatchHeader,
  body: AlertChannelChanges,
  ignores: ignored,
  status: 200,
  otherStatuses: changedMeanwhile,
  response: AlertChannel,
  example: {
    params,
    body: { ...exampleBody, sendDegraded: true },
    response: { ...example, sendDegraded: true },
  },
  handle: async (
    { params, body, headers, principal },
    app: App & HasProviders & HasCipher & HasRandomBytes,
  ) => {
    const { type, config, subscriptions, ...flags } = body
    const changes = {
      type,
      config,
      flags,
      ifMatch: headers['if-match'],
      ...(subscriptions ? { subscriptions } : {}),
    }
    return written(
      app,
      principal,
      await changeChannel(app, { id: params.id, accountId: principal.accountId }, changes),
    )
  },
})

const remove = route({
  method: 'DELETE',
  path: '/v1/alert-channels/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete an alert channel with its subscriptions',
  description: 'Refused with 409 while it is the fallback of others.',
  params: ChannelId,
  status: 204,
  otherStatuses: { 409: 'It is the fallback of other channels' },
  example: { params },
  handle: ({ params, principal: { accountId } }, app) => removeChannel(app, { id: params.id, accountId }),
})

const putSubscription = route({
  method: 'PUT',
  path: '/v1/alert-channels/:id/subscriptions',
  access: 'READ_WRITE',
  tag,
  summary: 'Add or change one subscription',
  description: 'Exactly one of `checkId` and `groupId`.',
  params: ChannelId,
  body: NewSubscription,
  ignores: recordNames,
  status: 200,
  response: Subscription,
  example: { params, body: exampleSubscription, response: { id: 31, groupId: null, ...exampleSubscription } },
  handle: ({ params, body, principal: { accountId } }, app: App & HasCipher & HasProviders) =>
    changeSubscription(app, { id: params.id, accountId }, body),
})

const subscribeSome = route({
  method: 'POST',
  path: '/v1/alert-channels/:id/subscriptions',
  access: 'READ_WRITE',
  tag,
  summary: 'Subscribe many checks',
  description:
    'Checks that exist now are added to what subscribes to the channel; nothing is taken away. `autoSubscribe` of the ' +
    'channel is for checks that are made later.',
  params: ChannelId,
  body: ChecksToSubscribe,
  status: 200,
  response: Type.Object({ subscribed: Type.Integer({ description: 'How many checks it was said of' }) }),
  example: { params, body: { tags: ['production'] }, response: { subscribed: 214 } },
  handle: async ({ params, body, principal: { accountId } }, app) => {
    const { all = false, search = null, tags = [], groupIds = [] } = body
    if (!all && search === null && tags.length === 0 && groupIds.length === 0)
      throw invalid([
        violation('all', 'some', 'or "search", "tags" or "groupIds": it has to be said which checks'),
      ])
    const which = { all, search: search ?? undefined, tags, groupIds }
    return { subscribed: await subscribeMany(app, { id: params.id, accountId }, which) }
  },
})

export { list as listAlertChannels, putSubscription, read as readAlertChannel }

export const alertChannelRoutes: Route<App & HasCipher & HasProviders & HasRandomBytes>[] = [
  list,
  create,
  read,
  update,
  remove,
  putSubscription,
  subscribeSome,
]
