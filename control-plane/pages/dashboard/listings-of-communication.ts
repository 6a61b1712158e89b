/** The lists of what people are told, and through what. Data. */
import { html } from '../../platform/web/html/html.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import { channelName } from './forms/choices.ts'
import { optionLabel } from './forms/words.ts'
import { type Item, type Listing, listCard } from './listing.ts'
import { byId, changed, edit, name, remove, yes } from './listing-columns.ts'
import { agoOf, tags, when } from './parts.ts'

export const incidents: Listing = {
  path: '/app/incidents',
  title: 'Incidents',
  intro: 'What visitors of status pages are told of outages.',
  operation: 'GET /v1/status-pages/incidents',
  pages: 'nextId',
  itemsIn: ({ entries }) => entries,
  columns: ({ now }) => [
    name(({ id }) => `/app/incidents/${id}`),
    { label: 'State', cell: ({ lastUpdateStatus }) => optionLabel('', lastUpdateStatus).toLowerCase() },
    { label: 'Severity', cell: ({ severity }) => severity.toLowerCase() },
    { label: 'Services', cell: ({ services }) => services.map((service: Item) => service.name).join(', ') },
    { label: 'Opened', cell: ({ created_at }) => agoOf(created_at, now) },
  ],
  creations: [['Open an incident', 'POST /v1/status-pages/incidents']],
  actions: [
    {
      word: 'Post an update',
      operation: 'POST /v1/status-pages/incidents/:incidentId/incident-updates',
      params: ({ id }) => ({ incidentId: id }),
    },
  ],
}

export const maintenance: Listing = {
  path: '/app/maintenance',
  title: 'Maintenance',
  intro: 'Windows in which checks pause or alerts stay quiet, and what visitors are told of them.',
  operation: 'GET /v1/maintenance-windows',
  pages: 'page',
  columns: ({ now }) => [
    name(({ id }) => `/app/maintenance/${id}`),
    { label: 'First start', cell: ({ startsAt }) => when(startsAt, now) },
    {
      label: 'Repeats',
      cell: ({ repeatUnit, repeatInterval }) =>
        repeatUnit === null ? 'once' : `every ${repeatInterval} ${repeatUnit.toLowerCase()}`,
    },
    {
      label: 'Acts on',
      cell: ({ pauseAllChecks, tags: names }) => (pauseAllChecks ? 'all checks' : tags(names)),
    },
  ],
  creations: [['New window', 'POST /v1/maintenance-windows']],
  actions: [edit('PUT /v1/maintenance-windows/:id'), remove('DELETE /v1/maintenance-windows/:id')],
}

const services: Omit<Listing, 'intro'> = {
  path: '/app/status-pages',
  title: 'Services',
  operation: 'GET /v1/status-pages/services',
  query: { limit: 100 },
  pages: 'none',
  itemsIn: (body) => (Array.isArray(body) ? body : body.entries),
  columns: (visit) => [{ label: 'Service', kind: 'main', cell: (item) => item.name }, changed(visit)],
  actions: [
    edit('PUT /v1/status-pages/services/:serviceId', ({ id }) => ({ serviceId: id })),
    remove('DELETE /v1/status-pages/services/:serviceId', ({ id }) => ({ serviceId: id })),
  ],
}

export const statusPages: Listing = {
  path: '/app/status-pages',
  title: 'Status pages',
  intro:
    'Pages for visitors: services on cards, incidents and maintenance. First the services, then the page that shows them.',
  operation: 'GET /v1/status-pages',
  pages: 'nextId',
  itemsIn: ({ entries }) => entries,
  columns: (visit) => [
    name(({ id }) => `/app/status-pages/${id}`),
    { label: 'Address', cell: ({ url }) => html`<a href="/status/${url}">/status/${url}</a>` },
    { label: 'Private', cell: ({ isPrivate }) => yes(isPrivate) },
    changed(visit),
  ],
  creations: [
    ['New status page', 'POST /v1/status-pages'],
    ['New service', 'POST /v1/status-pages/services'],
  ],
  actions: [
    edit('PUT /v1/status-pages/:statusPageId', ({ id }) => ({ statusPageId: id })),
    remove('DELETE /v1/status-pages/:statusPageId', ({ id }) => ({ statusPageId: id })),
  ],
  also: (visit) => listCard(visit, services, 'Services'),
}

const notifications: Omit<Listing, 'intro'> = {
  path: '/app/channels',
  title: 'Messages',
  operation: 'GET /v1/alert-notifications',
  query: { limit: 25 },
  pages: 'none',
  columns: ({ now }) => [
    {
      label: 'Channel',
      kind: 'main',
      cell: ({ alertChannelId, type, alertConfig }) =>
        html`<a href="/app/channels/${alertChannelId}">${channelName({ id: alertChannelId, type, config: alertConfig })}</a>`,
    },
    { label: 'Became', cell: ({ status }) => optionLabel('', status).toLowerCase() },
    {
      label: 'Answer',
      cell: ({ notificationResult }) =>
        html`<span class="why">${cut(withoutCredentials(notificationResult ?? ''), 160)}</span>`,
    },
    { label: 'Check', cell: ({ checkId }) => html`<a href="/app/checks/${checkId}">its check</a>` },
    { label: 'Tried', cell: ({ timestamp }) => agoOf(timestamp, now) },
  ],
  actions: [
    {
      word: 'Send again',
      operation: 'POST /v1/alert-notifications/:id/resend',
      params: byId,
      isOffered: ({ status }) => status === 'FAILURE',
    },
  ],
}

export const channels: Listing = {
  path: '/app/channels',
  title: 'Channels',
  intro: 'Where alerts go. What was sent in the last 24 hours is below.',
  operation: 'GET /v1/alert-channels',
  pages: 'page',
  columns: () => [
    {
      label: 'Channel',
      kind: 'main',
      cell: (item) => html`<a href="/app/channels/${item.id}">${channelName(item)}</a>`,
    },
    {
      label: 'Tells of',
      cell: (item) =>
        [
          item.sendFailure && 'failures',
          item.sendDegraded && 'degradations',
          item.sendRecovery && 'recoveries',
          item.sslExpiry && 'certificates',
        ]
          .filter(Boolean)
          .join(', '),
    },
    { label: 'New checks', cell: ({ autoSubscribe }) => (autoSubscribe ? 'subscribed' : 'not subscribed') },
    { label: 'Subscriptions', kind: 'num', cell: ({ subscriptions }) => subscriptions.length },
  ],
  creations: [['New channel', 'POST /v1/alert-channels']],
  actions: [
    { word: 'Test', operation: 'POST /v1/alert-channels/:id/test', params: byId },
    edit('PUT /v1/alert-channels/:id'),
    remove('DELETE /v1/alert-channels/:id'),
  ],
  also: (visit) => listCard(visit, notifications, 'Messages of the last 24 hours'),
}
