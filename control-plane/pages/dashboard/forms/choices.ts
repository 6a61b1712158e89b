/** What a form lets people choose from: what the account has, read through the API. */
import type { Visit } from '../visit.ts'
import type { Choices, Option, Schema } from './fields.ts'

// biome-ignore lint/suspicious/noExplicitAny: items of many lists
type Item = any

type Source = {
  /** Names of the fields that name such a thing. */
  names: readonly string[]
  operation: string
  itemsIn?: (answer: Item) => Item[]
  isPaged?: true
  option: (item: Item) => Option
}

const byName = ({ id, name }: Item): Option => ({ value: id, label: name })

const sources: readonly Source[] = [
  { names: ['checkId'], operation: 'GET /v1/checks', isPaged: true, option: byName },
  { names: ['groupId'], operation: 'GET /v1/check-groups', isPaged: true, option: byName },
  {
    names: ['alertChannelId'],
    operation: 'GET /v1/alert-channels',
    isPaged: true,
    option: ({ id, type, config }) => ({ value: id, label: channelName({ id, type, config }) }),
  },
  {
    names: ['privateLocations'],
    operation: 'GET /v1/private-locations',
    option: ({ slugName, name }) => ({ value: slugName, label: name }),
  },
  {
    names: ['services', 'serviceIds', 'serviceId'],
    operation: 'GET /v1/status-pages/services',
    itemsIn: ({ entries }) => entries,
    option: byName,
  },
  {
    names: ['statusPageIds'],
    operation: 'GET /v1/status-pages',
    itemsIn: ({ entries }) => entries,
    option: byName,
  },
]

/** What tells one channel from another of its type. */
export const channelName = ({
  id,
  type,
  config = {},
}: {
  id: number
  type: string
  config?: Item
}): string => {
  const own =
    config.name ?? config.address ?? config.serviceName ?? config.number ?? config.channel ?? config.url
  return `${type.toLowerCase().replace('_', ' ')} ${typeof own === 'string' && own !== '' ? own : `no. ${id}`}`
}

const maxPages = 5
const perPage = 100

/** Lists that the form has no field for are not read; of one that is too long to choose from an id is typed. */
export const choicesFor = async (
  visit: Visit,
  schemas: readonly (Schema | undefined)[],
): Promise<Choices> => {
  const text = JSON.stringify(schemas)
  const known = new Map<string, readonly Option[]>()
  for (const source of sources) {
    const names = source.names.filter((name) => text.includes(`"${name}":`))
    if (names.length === 0) continue
    const options = (await itemsOf(visit, source))?.map(source.option)
    if (options === undefined) continue
    for (const name of names) known.set(name, options)
  }
  return known
}

const itemsOf = async (
  visit: Visit,
  { operation, itemsIn = (answer) => answer, isPaged }: Source,
): Promise<Item[] | null> => {
  if (!isPaged) {
    const query = operation.includes('status-pages') ? { limit: perPage } : {}
    return itemsIn((await visit.call(operation, { query })).body)
  }
  const items: Item[] = []
  for (let page = 1; page <= maxPages; page++) {
    const { body } = await visit.call(operation, { query: { limit: perPage, page } })
    items.push(...itemsIn(body))
    if (body.length < perPage) return items
  }
  return null
}
