/** The page of a location: its queue, its agents with their versions and isolation, its keys and what failed there. */
import { listAgentErrors } from '../../monitoring/locations/agents/error-event-routes.ts'
import { queueRoute } from '../../monitoring/locations/queue-route.ts'
import { readPrivateLocation } from '../../monitoring/locations/routes.ts'
import type { PrivateLocation } from '../../monitoring/locations/schema.ts'
import { controlPlaneVersion } from '../../platform/settings/config.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { number, say } from '../../platform/web/html/say.ts'
import { cut, factList, withoutCredentials } from '../../platform/web/html/section.ts'
import { detailPage, pick } from './detail.ts'
import { listCard } from './listing.ts'
import { agoOf, card, table } from './parts.ts'
import type { RequestContext } from './request-context.ts'
import { waysToStart } from './ways-to-start-an-agent.ts'

export const location = detailPage({
  path: '/app/locations/:id',
  section: ['/app/locations', 'Locations'],
  route: readPrivateLocation,
  query: { versions: true },
  title: ({ name }) => name,
  facts: pick(['slugName', 'agentCount', 'lastSeen', 'unavailableSince', 'proxyUrl', 'scalesToZero']),
  actions: [
    ['Edit', 'PUT /v1/private-locations/:id'],
    ['New key', 'POST /v1/private-locations/:id/keys'],
    ['Delete', 'DELETE /v1/private-locations/:id'],
  ],
  also: async (item, context) => [
    startCard(item, context),
    await queueCard(context),
    agentsCard(item, context),
    keysCard(item, context),
  ],
  lists: [
    listCard({
      title: 'Failures of its agents',
      route: listAgentErrors,
      pages: ({ nextId }) => nextId,
      itemsIn: ({ entries }) => entries,
      columns: ({ now }) => [
        { label: 'Failure', kind: 'main', cell: ({ message }) => cut(withoutCredentials(message), 200) },
        { label: 'Agent', cell: ({ agentId, agentVersion }) => `${agentId}, ${agentVersion}` },
        { label: 'When', cell: ({ at }) => agoOf(at, now) },
      ],
    }),
  ],
})

/** Open where no agent is connected. */
const startCard = ({ slugName, agentCount }: PrivateLocation, { app }: RequestContext) =>
  card(
    'Start an agent',
    html`<p class="quiet">With a key of this location, which is shown once when it is made: “New key” makes another. Agents connect outwards to this address; nothing connects to them.</p>${waysToStart(
      { controlPlaneUrl: app.config.baseUrl, slugName, version: controlPlaneVersion },
    ).map(
      ({ name, text, note }, position) =>
        html`<details${position === 0 && agentCount === 0 ? html` open` : null}><summary>${name}</summary><p class="quiet">${say(note)}</p><pre class="copied" tabindex="0" role="region" aria-label="${name}">${text}</pre></details>`,
    )}`,
    'start',
  )

const queueCard = async (context: RequestContext) => {
  const id = context.params['id'] ?? ''
  const sizeOf = async (queue: 'main' | 'uptime'): Promise<number> =>
    (await context.call(queueRoute, { params: { id }, query: { queue } })).body.queueSize
  return card(
    'Queue',
    factList([
      ['Protocol checks that wait', number(await sizeOf('uptime'))],
      ['Browser checks and suites that wait', number(await sizeOf('main'))],
    ]),
    'queue',
  )
}

/** Nothing where versions work together. */
export const skewMark = (skew: PrivateLocation['versionSkew']): Html | null =>
  skew === null
    ? null
    : html` <span class="state degraded"><i aria-hidden="true">!</i>${skew === 'TOO_OLD' ? say('too old') : say('newer than the control plane')}</span>`

type Agent = {
  version: string
  isOutdated: boolean
  versionSkew: PrivateLocation['versionSkew']
  id: string
  lastSeenAt: string
  isolation: string[] | null
}

const agentsCard = ({ runningAgents = [], scalesToZero }: PrivateLocation, { now }: RequestContext) =>
  card(
    'Connected agents',
    table<Agent>(
      'Connected agents',
      [
        { label: 'Agent', kind: 'main', cell: ({ id }) => id },
        {
          label: 'Version',
          cell: ({ version, isOutdated, versionSkew }) =>
            html`${version}${
              versionSkew === null && isOutdated
                ? html` <span class="quiet">outdated</span>`
                : skewMark(versionSkew)
            }`,
        },
        {
          label: 'Isolation',
          cell: ({ isolation }) =>
            isolation === null
              ? say('not said yet')
              : isolation.length === 0
                ? say('none')
                : isolation.join(', '),
        },
        { label: 'Seen', cell: ({ lastSeenAt }) => agoOf(lastSeenAt, now) },
      ],
      runningAgents.flatMap(({ version, isOutdated, versionSkew, agents }) =>
        agents.map((agent) => ({ ...agent, version, isOutdated, versionSkew })),
      ),
      scalesToZero
        ? say('No agent is connected: an autoscaler starts one when a run waits.')
        : say('No agent is connected. Start one with a key of this location.'),
    ),
    'agents',
  )

const keysCard = ({ id, keys }: PrivateLocation, context: RequestContext) =>
  card(
    'Keys',
    table(
      'Keys of the location',
      [
        { label: 'Key', kind: 'main', cell: ({ maskedKey }) => html`<code>${maskedKey}</code>` },
        { label: 'Made', cell: ({ created_at }) => agoOf(created_at, context.now) },
        {
          label: '',
          kind: 'act',
          cell: (key) =>
            context.can('ADMIN')
              ? html`<a href="/app/do/delete/v1/private-locations/${id}/keys/${key.id}?back=/app/locations/${id}">Delete</a>`
              : null,
        },
      ],
      keys,
      'No key: no agent can connect.',
    ),
  )
