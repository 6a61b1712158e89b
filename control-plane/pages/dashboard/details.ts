/** The pages of one thing each. Data. */

import { readAlertChannel } from '../../alerting/alert-channels/routes.ts'
import { readIncident } from '../../communication/incidents/routes.ts'
import { listIncidentUpdates } from '../../communication/incidents/update-routes.ts'
import {
  listMaintenances,
  readMaintenance,
} from '../../communication/maintenance-windows/maintenance-routes.ts'
import { readMaintenanceWindow } from '../../communication/maintenance-windows/routes.ts'
import { readErrorGroup } from '../../insight/error-groups/routes.ts'
import { html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import { analysesCard } from './analyses-card.ts'
import { detailPage, pick } from './detail.ts'
import { channelName } from './forms/choices.ts'
import { groupPage } from './group-page.ts'
import { listCard } from './listing.ts'
import { location } from './location-detail.ts'
import { card, table, when } from './parts.ts'
import type { PageRoute } from './request-context.ts'
import { statusPage } from './status-page-detail.ts'
import { subscribersCard } from './subscribers-card.ts'
import { sayWord } from './words.ts'

const incident = detailPage({
  path: '/app/incidents/:incidentId',
  section: ['/app/incidents', 'Incidents'],
  route: readIncident,
  title: ({ name }) => name,
  facts: (item) => ({
    state: item.lastUpdateStatus,
    severity: item.severity,
    services: item.services.map(({ name }) => name),
    opened: item.created_at,
  }),
  actions: [
    ['Post an update', 'POST /v1/status-pages/incidents/:incidentId/incident-updates'],
    ['Edit', 'PUT /v1/status-pages/incidents/:incidentId'],
    ['Delete', 'DELETE /v1/status-pages/incidents/:incidentId'],
  ],
  lists: [
    listCard({
      title: 'As visitors read it',
      route: listIncidentUpdates,
      pages: 'none',
      itemsIn: (answer) => answer,
      columns: ({ now }) => [
        {
          label: 'Update',
          kind: 'main',
          cell: ({ status, description }) =>
            html`<b>${sayWord(status ?? '', 'status')}</b><p class="prose">${description}</p>`,
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
    }),
  ],
})

const maintenanceWindow = detailPage({
  path: '/app/maintenance/:id',
  section: ['/app/maintenance', 'Maintenance'],
  route: readMaintenanceWindow,
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
    ['Edit', 'PATCH /v1/maintenance-windows/:id'],
    ['Delete', 'DELETE /v1/maintenance-windows/:id'],
  ],
  lists: [
    listCard({
      title: 'When it takes place',
      route: listMaintenances,
      pages: 'page',
      itemsIn: (answer) => answer,
      columns: ({ now, params }) => [
        {
          label: 'From',
          kind: 'main',
          cell: ({ id, startsAt }) =>
            html`<a href="/app/maintenance/${params['id'] ?? ''}/${id}">${when(startsAt, now)}</a>`,
        },
        { label: 'To', cell: ({ endsAt }) => when(endsAt, now) },
        { label: 'State', cell: ({ status }) => sayWord(status, 'status') },
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
    }),
  ],
})

const occurrence = detailPage({
  path: '/app/maintenance/:id/:maintenanceId',
  section: ['/app/maintenance', 'Maintenance'],
  route: readMaintenance,
  title: () => say('One time of a window'),
  facts: pick(['startsAt', 'endsAt', 'status']),
  actions: [
    ['Post an update', 'POST /v1/maintenance-windows/:id/maintenances/:maintenanceId/updates'],
    ['Move', 'PATCH /v1/maintenance-windows/:id/maintenances/:maintenanceId'],
    ['Leave out', 'DELETE /v1/maintenance-windows/:id/maintenances/:maintenanceId'],
  ],
  also: async ({ updates = [] }, { now, params, can }) =>
    card(
      'As visitors read it',
      table(
        'Updates',
        [
          {
            label: 'Update',
            kind: 'main',
            cell: ({ status, description }) =>
              html`<b>${sayWord(status, 'status')}</b><p class="prose">${description}</p>`,
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
})

const channel = detailPage({
  path: '/app/channels/:id',
  section: ['/app/channels', 'Channels'],
  route: readAlertChannel,
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
    'locationAlerts',
    'hours',
    'grouping',
    'fallbackChannelId',
  ]),
  actions: [
    ['Test', 'POST /v1/alert-channels/:id/test'],
    ['Edit', 'PUT /v1/alert-channels/:id'],
    ['Subscribe checks', 'POST /v1/alert-channels/:id/subscriptions'],
    ['Subscribe one check or group', 'PUT /v1/alert-channels/:id/subscriptions'],
    ['Delete', 'DELETE /v1/alert-channels/:id'],
  ],
  first: (item, context) => subscribersCard(context, item),
})

const errorGroup = detailPage({
  path: '/app/errors/:id',
  section: ['/app/errors', 'Errors'],
  route: readErrorGroup,
  title: ({ cleanedErrorMessage }) => cut(withoutCredentials(cleanedErrorMessage), 120),
  facts: (item) => ({
    ...pick(['firstSeen', 'lastSeen', 'archivedUntilNextEvent', 'archiveForEver'])(item),
    message: withoutCredentials(item.rawErrorMessage ?? item.cleanedErrorMessage),
  }),
  actions: [['Archive, or bring back', 'PATCH /v1/error-groups/:id']],
  also: async ({ checkId, id }, context) =>
    html`${await analysesCard(context, id)}<p><a class="button second" href="/app/checks/${checkId}">Its check</a> ${context.can('READ_RUN') ? html`<a class="button second" href="/app/do/post/v1/root-cause-analyses/error-groups/${id}?back=/app/errors/${id}">Analyse the cause</a>` : null}</p>`,
})

export const details: readonly PageRoute[] = [
  groupPage,
  location,
  incident,
  maintenanceWindow,
  occurrence,
  statusPage,
  channel,
  errorGroup,
]
