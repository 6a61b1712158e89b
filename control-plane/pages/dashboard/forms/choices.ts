/** What a form lets people choose from: what the account has, read through the API. */

import { publicLocations } from '../../../../protocol/location.ts'
import { listAlertChannels } from '../../../alerting/alert-channels/routes.ts'
import { locationInWords } from '../../../alerting/messages/location-names.ts'
import { listServices } from '../../../communication/status-page-services/routes.ts'
import type { Service } from '../../../communication/status-page-services/schema.ts'
import { listStatusPages } from '../../../communication/status-pages/routes.ts'
import { listCheckGroups } from '../../../monitoring/definitions/check-groups/routes.ts'
import { listChecks } from '../../../monitoring/definitions/checks/routes.ts'
import { listPrivateLocations } from '../../../monitoring/locations/routes.ts'
import type { Content } from '../../../platform/web/html/html.ts'
import { say } from '../../../platform/web/html/say.ts'
import type { RouteAnswering } from '../../../platform/web/http/route.ts'
import { callApi, type Parameters } from '../internal-client.ts'
import { locationsWithAgents } from '../queries.ts'
import type { RequestContext } from '../request-context.ts'
import { sayWord, wordOf } from '../words.ts'
import type { Choices, Option, Schema } from './fields.ts'

type Source = {
  /** Names of the fields that name such a thing. */
  names: readonly string[]
  /** Null: there are too many to choose from. */
  read: (context: RequestContext) => Promise<Option[] | null>
}

type Reading<Answer, Item> = {
  route: RouteAnswering<Answer>
  query?: Parameters
  itemsIn: (answer: Answer) => readonly Item[]
  option: (item: Item) => Option
}

const maxPages = 5
const perPage = 100

/** Of a list that comes at once. */
const whole =
  <Answer, Item>({ route, query = {}, itemsIn, option }: Reading<Answer, Item>): Source['read'] =>
  async (context) =>
    itemsIn((await callApi(context, route, { query })).body).map(option)

/** Of a list that comes in pages. */
const paged =
  <Answer, Item>({ route, itemsIn, option }: Reading<Answer, Item>): Source['read'] =>
  async (context) => {
    const options: Option[] = []
    for (let page = 1; page <= maxPages; page++) {
      const items = itemsIn((await callApi(context, route, { query: { limit: perPage, page } })).body)
      options.push(...items.map(option))
      if (items.length < perPage) return options
    }
    return null
  }

const byName = ({ id, name }: { id: string | number; name: string }): Option => ({ value: id, label: name })
const query = { limit: perPage }

const servicesIn = (answer: { entries: Service[] } | Service[]): Service[] =>
  Array.isArray(answer) ? answer : answer.entries

const sources: readonly Source[] = [
  { names: ['checkId'], read: paged({ route: listChecks, itemsIn: (all) => all, option: byName }) },
  {
    names: ['groupId', 'groupIds'],
    read: paged({ route: listCheckGroups, itemsIn: (all) => all, option: byName }),
  },
  {
    names: ['alertChannelId'],
    read: paged({
      route: listAlertChannels,
      itemsIn: (all) => all,
      option: (channel) => ({ value: channel.id, label: channelLabel(channel), said: channelName(channel) }),
    }),
  },
  {
    names: ['privateLocations'],
    read: whole({
      route: listPrivateLocations,
      itemsIn: (all) => all,
      option: ({ slugName, name }) => ({ value: slugName, label: name }),
    }),
  },
  { names: ['locations'], read: (context) => servedLocations(context) },
  {
    names: ['services', 'serviceIds', 'serviceId'],
    read: whole({ route: listServices, query, itemsIn: servicesIn, option: byName }),
  },
  {
    names: ['statusPageIds'],
    read: whole({ route: listStatusPages, query, itemsIn: ({ entries }) => entries, option: byName }),
  },
]

const dayMs = 86_400_000

/** Runs where nobody serves are missed; an agent that is started anew has been there within a day. */
const servedLocations: Source['read'] = async ({ app, now }) => {
  const served = await app.db.all(locationsWithAgents, { locationIds: publicLocations, since: now - dayMs })
  return served
    .map(({ location_id }) => ({
      value: location_id,
      label: location_id,
      said: locationInWords(location_id),
    }))
    .toSorted((a, b) => a.label.localeCompare(b.label))
}

/** What of a channel's settings people know it by. */
const ownNames = ['name', 'address', 'serviceName', 'number', 'channel', 'url']

type Named = { id: number; type: string; config?: Readonly<Record<string, unknown>> }

const ownNameOf = ({ id, config = {} }: Named): Content => {
  const own = ownNames.map((name) => config[name]).find((value) => value !== undefined && value !== null)
  return typeof own === 'string' && own !== '' ? own : say('no. {0}', id)
}

/** What tells one channel from another of its type. */
export const channelName = (channel: Named): Content => [
  sayWord(channel.type, 'type'),
  ' ',
  ownNameOf(channel),
]

/** For those who sort and search. */
const channelLabel = ({ id, type }: Named): string => `${wordOf(type, 'type')} ${id}`

/** Lists that the form has no field for are not read; of one that is too long to choose from an id is typed. */
export const choicesFor = async (
  context: RequestContext,
  schemas: readonly (Schema | undefined)[],
): Promise<Choices> => {
  const text = JSON.stringify(schemas)
  const known = new Map<string, readonly Option[]>()
  for (const source of sources) {
    const names = source.names.filter((name) => text.includes(`"${name}":`))
    if (names.length === 0) continue
    const options = await source.read(context)
    if (options === null) continue
    for (const name of names) known.set(name, options)
  }
  return known
}

export const channelChoices = async (context: RequestContext): Promise<readonly Option[]> =>
  (await choicesFor(context, [{ properties: { alertChannelId: {} } }])).get('alertChannelId') ?? []
