/** The pages of one thing each. Data. */
import { type Content, html } from '../../platform/web/html/html.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import { type Detail, pick } from './detail.ts'
import { channelName } from './forms/choices.ts'
import { optionLabel } from './forms/words.ts'
import type { Item } from './listing.ts'
import { location } from './location-detail.ts'
import { actionLink } from './operations.ts'
import { actionButton, agoOf, card, table, when } from './parts.ts'
import type { Visit } from './visit.ts'

const incident: Detail = {
  path: '/app/incidents/:incidentId',
  place: ['/app/incidents', 'Incidents'],
  operation: 'GET /v1/status-pages/incidents/:incidentId',
  title: ({ name }) => name,
  facts: (item) => ({
    state: optionLabel('', item.lastUpdateStatus).toLowerCase(),
    severity: item.severity.toLowerCase(),
    services: item.services.map(({ name }: Item) => name),
    opened: item.created_at,
  }),
  actions: [
    ['Post an update', 'POST /v1/status-pages/incidents/:incidentId/incident-updates'],
    ['Edit', 'PUT /v1/status-pages/incidents/:incidentId'],
    ['Delete', 'DELETE /v1/status-pages/incidents/:incidentId'],
  ],
  lists: [
    {
      title: 'As visitors read it',
      operation: 'GET /v1/status-pages/incidents/:incidentId/incident-updates',
      pages: 'none',
      itemsIn: (body) => (Array.isArray(body) ? body : body.entries),
      columns: ({ now }) => [
        {
          label: 'Update',
          kind: 'main',
          cell: ({ status, description }) =>
            html`<b>${optionLabel('', status ?? '').toLowerCase()}</b><p class="prose">${description}</p>`,
        },
        {
          label: 'When',
          cell: ({ publicIncidentUpdateDate, created_at }) =>
            when(publicIncidentUpdateDate ?? created_at, now),
        },
      ],
      actions: [
        {
          word: 'Correct',
          operation: 'PUT /v1/status-pages/incidents/:incidentId/incident-updates/:incidentUpdateId',
          params: ({ id }) => ({ incidentUpdateId: id }),
        },
        {
          word: 'Delete',
          operation: 'DELETE /v1/status-pages/incidents/:incidentId/incident-updates/:incidentUpdateId',
          params: ({ id }) => ({ incidentUpdateId: id }),
        },
      ],
    },
  ],
}

const maintenanceWindow: Detail = {
  path: '/app/maintenance/:id',
  place: ['/app/maintenance', 'Maintenance'],
  operation: 'GET /v1/maintenance-windows/:id',
  title: ({ name }) => name,
  facts: pick([
    'description',
    'startsAt',
    'endsAt',
    'timezone',
    'repeatUnit',
    'repeatInterval',
    'repeatEndsAt',
    'pauseAllChecks',
    'tags',
    'silenceAllAlerts',
    'silenceAlertsTags',
    'statusPageVisibility',
  ]),
  actions: [
    ['Edit', 'PUT /v1/maintenance-windows/:id'],
    ['Delete', 'DELETE /v1/maintenance-windows/:id'],
  ],
  lists: [
    {
      title: 'When it takes place',
      operation: 'GET /v1/maintenance-windows/:id/maintenances',
      pages: 'page',
      columns: ({ now, params }) => [
        {
          label: 'From',
          kind: 'main',
          cell: ({ id, startsAt }) =>
            html`<a href="/app/maintenance/${params['id'] ?? ''}/${id}">${when(startsAt, now)}</a>`,
        },
        { label: 'To', cell: ({ endsAt }) => when(endsAt, now) },
        { label: 'State', cell: ({ status }) => optionLabel('', status).toLowerCase() },
      ],
      actions: [
        {
          word: 'Move',
          operation: 'PATCH /v1/maintenance-windows/:id/maintenances/:maintenanceId',
          params: ({ id }) => ({ maintenanceId: id }),
        },
        {
          word: 'Leave out',
          operation: 'DELETE /v1/maintenance-windows/:id/maintenances/:maintenanceId',
          params: ({ id }) => ({ maintenanceId: id }),
        },
      ],
    },
  ],
}

const occurrence: Detail = {
  path: '/app/maintenance/:id/:maintenanceId',
  place: ['/app/maintenance', 'Maintenance'],
  operation: 'GET /v1/maintenance-windows/:id/maintenances/:maintenanceId',
  title: () => 'One time of a window',
  facts: pick(['startsAt', 'endsAt', 'status']),
  actions: [
    ['Post an update', 'POST /v1/maintenance-windows/:id/maintenances/:maintenanceId/updates'],
    ['Move', 'PATCH /v1/maintenance-windows/:id/maintenances/:maintenanceId'],
    ['Leave out', 'DELETE /v1/maintenance-windows/:id/maintenances/:maintenanceId'],
  ],
  also: async ({ updates = [] }, { now, params, can }) =>
    card(
      'As visitors read it',
      table<Item>(
        'Updates',
        [
          {
            label: 'Update',
            kind: 'main',
            cell: ({ status, description }) =>
              html`<b>${optionLabel('', status).toLowerCase()}</b><p class="prose">${description}</p>`,
          },
          { label: 'When', cell: ({ created_at }) => when(created_at, now) },
          {
            label: '',
            kind: 'act',
            cell: ({ id }) => {
              const path = `/v1/maintenance-windows/${params['id'] ?? ''}/maintenances/${params['maintenanceId'] ?? ''}/updates/${id}`
              return can('READ_WRITE')
                ? html`<a href="/app/do/put${path}">Correct</a> <a href="/app/do/delete${path}">Delete</a>`
                : null
            },
          },
        ],
        updates,
        'Nothing was written about it.',
      ),
    ),
}

/** Where visitors find it, and what still keeps them out. */
const publication: Detail['also'] = async ({ id, url, isPrivate }, visit) => {
  const { body } = await visit.call('GET /v1/status-pages/:statusPageId/publication', {
    params: { statusPageId: id },
  })
  const address = `${visit.app.config.baseUrl}/status/${url}`
  const domain: Item | null = body.domain
  return html`${card(
    'For visitors',
    html`<p><a href="/status/${url}">${address}</a></p>${
      isPrivate
        ? html`<p>It asks for a password${body.hasPassword ? ': the generated one, or your own' : ': the one that was shown when it became private'}.${body.allowedNetworks.length === 0 ? null : html` Not from ${body.allowedNetworks.join(', ')}.`}</p>`
        : html`<p>Anybody may read it.</p>`
    }${body.frameAncestors.length === 0 ? null : html`<p>Sites that may frame it: ${body.frameAncestors.join(', ')}</p>`}`,
  )}${domain === null ? null : domainCard(id, domain, visit)}`
}

const domainCard = (id: string, domain: Item, { can, now }: Visit): Content =>
  card(
    domain.name,
    html`<p>${domain.isProven ? 'The domain is proven: the page is shown under it.' : 'The domain is not proven yet, so the page is not shown under it. Put one of these records into the DNS:'}</p>${table<Item>(
      'Records',
      [
        { label: 'Type', cell: ({ type }) => type },
        { label: 'Name', kind: 'main', cell: ({ name }) => html`<code>${name}</code>` },
        { label: 'Value', cell: ({ value }) => html`<code>${value}</code>` },
      ],
      domain.records,
      '',
    )}<p class="quiet">${domain.checkedAt === null ? 'It was not looked for yet' : html`Last looked for ${agoOf(domain.checkedAt, now)}`}.</p>${
      can('READ_WRITE')
        ? actionButton(
            actionLink(
              'POST /v1/status-pages/:statusPageId/publication/domain-checks',
              { statusPageId: id },
              { back: `/app/status-pages/${id}` },
            ),
            'Look now',
          )
        : null
    }`,
  )

const statusPage: Detail = {
  path: '/app/status-pages/:statusPageId',
  place: ['/app/status-pages', 'Status pages'],
  operation: 'GET /v1/status-pages/:statusPageId',
  title: ({ name }) => name,
  facts: (item) => ({
    ...pick(['description', 'url', 'customDomain', 'isPrivate', 'defaultTheme'])(item),
    cards: item.cards.map(
      ({ name, services }: Item) =>
        `${name}: ${services.map((service: Item) => service.name).join(', ') || 'no services'}`,
    ),
  }),
  actions: [
    ['Edit', 'PUT /v1/status-pages/:statusPageId'],
    ['Password, networks, frames', 'PUT /v1/status-pages/:statusPageId/publication'],
    ['Subscribe addresses', 'POST /v1/status-pages/:statusPageId/subscriptions/bulk'],
    ['Delete', 'DELETE /v1/status-pages/:statusPageId'],
  ],
  also: publication,
  lists: [
    {
      title: 'Subscriptions',
      operation: 'GET /v1/status-pages/:statusPageId/subscriptions',
      pages: 'none',
      columns: ({ now }) => [
        { label: 'Address', kind: 'main', cell: ({ address }) => address },
        { label: 'State', cell: ({ status }) => optionLabel('', status).toLowerCase() },
        { label: 'Since', cell: ({ created_at }) => agoOf(created_at, now) },
      ],
      actions: [
        {
          word: 'End',
          operation: 'DELETE /v1/status-pages/:statusPageId/subscriptions/:subscriptionId',
          params: ({ id }) => ({ subscriptionId: id }),
        },
      ],
    },
  ],
}

const channel: Detail = {
  path: '/app/channels/:id',
  place: ['/app/channels', 'Channels'],
  operation: 'GET /v1/alert-channels/:id',
  title: (item) => channelName(item),
  facts: pick([
    'type',
    'config',
    'sendFailure',
    'sendRecovery',
    'sendDegraded',
    'sslExpiry',
    'sslExpiryThreshold',
    'autoSubscribe',
    'subscriptions',
  ]),
  actions: [
    ['Test', 'POST /v1/alert-channels/:id/test'],
    ['Edit', 'PUT /v1/alert-channels/:id'],
    ['Subscribe a check or group', 'PUT /v1/alert-channels/:id/subscriptions'],
    ['Delete', 'DELETE /v1/alert-channels/:id'],
  ],
}

const errorGroup: Detail = {
  path: '/app/errors/:id',
  place: ['/app/errors', 'Errors'],
  operation: 'GET /v1/error-groups/:id',
  title: ({ cleanedErrorMessage }) => cut(withoutCredentials(cleanedErrorMessage), 120),
  facts: (item) => ({
    ...pick(['firstSeen', 'lastSeen', 'archivedUntilNextEvent', 'archiveForEver'])(item),
    message: withoutCredentials(item.rawErrorMessage ?? item.cleanedErrorMessage),
    analyses: item.rootCauseAnalyses.map(({ analysis, created_at }: Item) => ({ created_at, ...analysis })),
  }),
  actions: [['Archive, or bring back', 'PATCH /v1/error-groups/:id']],
  also: async ({ checkId, id }, { can }) =>
    html`<p><a class="button second" href="/app/checks/${checkId}">Its check</a> ${can('READ_RUN') ? html`<a class="button second" href="/app/do/post/v1/root-cause-analyses/error-groups/${id}?back=/app/errors/${id}">Analyse the cause</a>` : null}</p>`,
}

export const details: readonly Detail[] = [
  location,
  incident,
  maintenanceWindow,
  occurrence,
  statusPage,
  channel,
  errorGroup,
]
