/** The page of a location: its queue, its agents with their versions and walls, its keys and what failed there. */
import { html } from '../../platform/web/html/html.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import { answerView } from './answer-view.ts'
import { type Detail, pick } from './detail.ts'
import type { Item } from './listing.ts'
import { agoOf, card, table } from './parts.ts'
import type { Visit } from './visit.ts'

export const location: Detail = {
  path: '/app/locations/:id',
  place: ['/app/locations', 'Locations'],
  operation: 'GET /v1/private-locations/:id',
  query: { versions: true },
  title: ({ name }) => name,
  facts: pick(['slugName', 'agentCount', 'lastSeen', 'unavailableSince', 'proxyUrl']),
  actions: [
    ['Edit', 'PUT /v1/private-locations/:id'],
    ['New key', 'POST /v1/private-locations/:id/keys'],
    ['Delete', 'DELETE /v1/private-locations/:id'],
  ],
  also: async (item, visit) => [await queueCard(visit), agentsCard(item, visit), keysCard(item, visit)],
  lists: [
    {
      title: 'Failures of its agents',
      operation: 'GET /v1/private-locations/:id/agent-errors',
      pages: 'nextId',
      itemsIn: ({ entries }) => entries,
      columns: ({ now }) => [
        { label: 'Failure', kind: 'main', cell: ({ message }) => cut(withoutCredentials(message), 200) },
        { label: 'Agent', cell: ({ agentId, agentVersion }) => `${agentId}, ${agentVersion}` },
        { label: 'When', cell: ({ at }) => agoOf(at, now) },
      ],
    },
  ],
}

const queueCard = async (visit: Visit) => {
  const sizeOf = async (queue: string): Promise<number> =>
    (await visit.call('GET /v1/private-locations/:id/queue', { params: visit.params, query: { queue } })).body
      .queueSize
  return card(
    'Queue',
    answerView({
      protocolChecksThatWait: await sizeOf('uptime'),
      browserChecksAndSuitesThatWait: await sizeOf('main'),
    }),
    'queue',
  )
}

type Agent = { version: string; isOutdated: boolean; id: string; lastSeenAt: string; walls: string[] | null }

const agentsCard = ({ runningAgents = [] }: Item, { now }: Visit) =>
  card(
    'Connected agents',
    table<Agent>(
      'Connected agents',
      [
        { label: 'Agent', kind: 'main', cell: ({ id }) => id },
        {
          label: 'Version',
          cell: ({ version, isOutdated }) =>
            html`${version}${isOutdated ? html` <span class="state degraded"><i aria-hidden="true">!</i>outdated</span>` : null}`,
        },
        {
          label: 'Walls',
          cell: ({ walls }) =>
            walls === null ? 'not said yet' : walls.length === 0 ? 'none' : walls.join(', '),
        },
        { label: 'Seen', cell: ({ lastSeenAt }) => agoOf(lastSeenAt, now) },
      ],
      runningAgents.flatMap(({ version, isOutdated, agents }: Item) =>
        agents.map((agent: Item) => ({ ...agent, version, isOutdated })),
      ),
      'No agent is connected. Start one with a key of this location.',
    ),
    'agents',
  )

const keysCard = ({ id, keys }: Item, visit: Visit) =>
  card(
    'Keys',
    table<Item>(
      'Keys of the location',
      [
        { label: 'Key', kind: 'main', cell: ({ maskedKey }) => html`<code>${maskedKey}</code>` },
        { label: 'Made', cell: ({ created_at }) => agoOf(created_at, visit.now) },
        {
          label: '',
          kind: 'act',
          cell: (key) =>
            visit.can('ADMIN')
              ? html`<a href="/app/do/delete/v1/private-locations/${id}/keys/${key.id}?back=/app/locations/${id}">Delete</a>`
              : null,
        },
      ],
      keys,
      'No key: no agent can connect.',
    ),
  )
