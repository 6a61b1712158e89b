/** The lists of what people are told, and through what. Data. */
import { listAlertChannels } from '../../alerting/alert-channels/routes.ts'
import { listAlertNotifications } from '../../alerting/notifications/routes.ts'
import { listDashboardIncidents } from '../../communication/dashboards/incident-routes.ts'
import { listDashboards } from '../../communication/dashboards/routes.ts'
import { listIncidents } from '../../communication/incidents/routes.ts'
import { listMaintenanceWindows } from '../../communication/maintenance-windows/routes.ts'
import { listServices } from '../../communication/status-page-services/routes.ts'
import { listStatusPages } from '../../communication/status-pages/routes.ts'
import { html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import { deliveryWords } from './delivery-words.ts'
import { channelName } from './forms/choices.ts'
import { listCard, listing } from './listing.ts'
import { byId, changed, edit, editBy, name, remove, removeBy, yes } from './listing-columns.ts'
import { agoOf, tags, when } from './parts.ts'
import { sayWord } from './words.ts'

const everyUnit = {
  DAY: { one: 'every day', other: 'every # days' },
  WEEK: { one: 'every week', other: 'every # weeks' },
  MONTH: { one: 'every month', other: 'every # months' },
}

export const incidents = listing({
  path: '/app/incidents',
  title: 'Incidents',
  intro: 'What visitors of status pages are told of outages.',
  route: listIncidents,
  pages: ({ nextId }) => nextId,
  itemsIn: ({ entries }) => entries,
  columns: ({ now }) => [
    name((id) => `/app/incidents/${id}`),
    { label: 'State', cell: ({ lastUpdateStatus }) => sayWord(lastUpdateStatus, 'status') },
    { label: 'Severity', cell: ({ severity }) => sayWord(severity, 'severity') },
    { label: 'Services', cell: ({ services }) => services.map((service) => service.name).join(', ') },
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
})

export const maintenance = listing({
  path: '/app/maintenance',
  title: 'Maintenance',
  intro: 'Windows in which checks pause or alerts stay quiet, and what visitors are told of them.',
  route: listMaintenanceWindows,
  search: { label: 'Name or tag' },
  pages: 'page',
  itemsIn: (answer) => answer,
  columns: ({ now }) => [
    name((id) => `/app/maintenance/${id}`),
    { label: 'First start', cell: ({ startsAt }) => when(startsAt, now) },
    {
      label: 'Repeats',
      cell: ({ repeatUnit, repeatInterval }) =>
        repeatUnit === null ? say('once') : count(Number(repeatInterval), everyUnit[repeatUnit]),
    },
    {
      label: 'Acts on',
      cell: ({ pauseAllChecks, tags: names }) => (pauseAllChecks ? say('all checks') : tags(names)),
    },
  ],
  creations: [['New window', 'POST /v1/maintenance-windows']],
  actions: [edit('PATCH /v1/maintenance-windows/:id'), remove('DELETE /v1/maintenance-windows/:id')],
})

const services = listCard({
  title: 'Services',
  route: listServices,
  query: { limit: 100 },
  pages: 'none',
  itemsIn: (body) => (Array.isArray(body) ? body : body.entries),
  columns: (context) => [name((id) => `/app/services/${id}`), changed(context)],
  actions: [
    editBy('PUT /v1/status-pages/services/:serviceId', ({ id }: { id: string }) => ({ serviceId: id })),
    removeBy('DELETE /v1/status-pages/services/:serviceId', ({ id }: { id: string }) => ({ serviceId: id })),
  ],
})

export const statusPages = listing({
  path: '/app/status-pages',
  title: 'Status pages',
  intro:
    'Pages for visitors: services on cards, incidents and maintenance. First the services, then the page that shows them.',
  route: listStatusPages,
  search: { label: 'Name or address' },
  pages: ({ nextId }) => nextId,
  itemsIn: ({ entries }) => entries,
  columns: (context) => [
    name((id) => `/app/status-pages/${id}`),
    { label: 'Address', cell: ({ url }) => html`<a href="/status/${url}">/status/${url}</a>` },
    { label: 'Private', cell: ({ isPrivate }) => yes(isPrivate) },
    changed(context),
  ],
  creations: [
    ['New status page', 'POST /v1/status-pages'],
    ['New service', 'POST /v1/status-pages/services'],
  ],
  actions: [
    editBy('PUT /v1/status-pages/:statusPageId', ({ id }: { id: string }) => ({ statusPageId: id })),
    removeBy('DELETE /v1/status-pages/:statusPageId', ({ id }: { id: string }) => ({ statusPageId: id })),
  ],
  also: (context) => services(context, '/app/status-pages'),
})

type OneDashboard = { dashboardId: string }
const byDashboardId = ({ dashboardId }: OneDashboard) => ({ dashboardId })

const dashboardIncidents = listCard({
  title: 'Incidents of dashboards',
  route: listDashboardIncidents,
  query: { limit: 100 },
  pages: 'none',
  itemsIn: ({ entries }) => entries,
  columns: ({ now }) => [
    { label: 'Name', kind: 'main', cell: (item) => item.name },
    { label: 'State', cell: ({ incidentUpdates }) => sayWord(incidentUpdates[0]?.status ?? '', 'status') },
    { label: 'Impact', cell: ({ impact }) => sayWord(impact, 'impact') },
    { label: 'Opened', cell: ({ created_at }) => agoOf(created_at, now) },
  ],
  actions: [
    {
      word: 'Post an update',
      operation: 'POST /v1/incidents/:incidentId/updates',
      params: ({ id }) => ({ incidentId: id }),
    },
    edit('PUT /v1/incidents/:id'),
    remove('DELETE /v1/incidents/:id'),
  ],
})

export const dashboards = listing({
  path: '/app/dashboards',
  title: 'Dashboards',
  intro: 'Checks by their tags on a page of its own, for a screen on the wall or for people without a key.',
  route: listDashboards,
  pages: 'page',
  itemsIn: (answer) => answer,
  columns: (context) => [
    { label: 'Name', kind: 'main', cell: ({ header }) => header },
    {
      label: 'Address',
      cell: ({ customUrl }) => html`<a href="/dashboards/${customUrl}">/dashboards/${customUrl}</a>`,
    },
    { label: 'Tags', cell: ({ tags: names }) => (names.length === 0 ? say('all checks') : tags(names)) },
    { label: 'Private', cell: ({ isPrivate }) => yes(isPrivate) },
    changed(context),
  ],
  creations: [
    ['New dashboard', 'POST /v1/dashboards'],
    ['Tell of an incident', 'POST /v1/incidents'],
  ],
  actions: [
    editBy('PUT /v1/dashboards/:dashboardId', byDashboardId),
    removeBy('DELETE /v1/dashboards/:dashboardId', byDashboardId),
  ],
  also: (context) => dashboardIncidents(context, '/app/dashboards'),
})

const notifications = listCard(
  {
    title: 'Messages',
    route: listAlertNotifications,
    query: { limit: 25 },
    pages: 'none',
    itemsIn: (answer) => answer,
    columns: ({ now }) => [
      {
        label: 'Channel',
        kind: 'main',
        cell: ({ alertChannelId, type, alertConfig }) =>
          html`<a href="/app/channels/${alertChannelId}">${channelName({ id: alertChannelId, type, config: alertConfig })}</a>`,
      },
      { label: 'State', cell: deliveryWords },
      {
        label: 'Answer',
        cell: ({ notificationResult }) =>
          html`<span class="why">${cut(withoutCredentials(notificationResult ?? ''), 160)}</span>`,
      },
      {
        label: 'Check',
        cell: ({ checkId, locationId, checkName }) =>
          html`<a href="${checkId === null ? `/app/locations/${locationId}` : `/app/checks/${checkId}`}">${checkName}</a>`,
      },
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
  },
  'Messages of the last 24 hours',
)

export const channels = listing({
  path: '/app/channels',
  title: 'Channels',
  intro: 'Where alerts go. What was sent in the last 24 hours is below.',
  route: listAlertChannels,
  search: { label: 'Kind, name or address' },
  pages: 'page',
  itemsIn: (answer) => answer,
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
          item.sendFailure && say('failures'),
          item.sendDegraded && say('degradations'),
          item.sendRecovery && say('recoveries'),
          item.sslExpiry && say('certificates'),
        ]
          .filter((each) => each !== false && each !== undefined)
          .map((each, at) => [at === 0 ? '' : ', ', each]),
    },
    {
      label: 'New checks',
      cell: ({ autoSubscribe }) => (autoSubscribe ? say('always') : say('unless their form says otherwise')),
    },
    {
      label: 'Locations',
      cell: ({ locationAlerts }) => (locationAlerts ? say('told of them') : say('not told of them')),
    },
    { label: 'Subscriptions', kind: 'num', cell: ({ subscriptions }) => subscriptions.length },
  ],
  creations: [['New channel', 'POST /v1/alert-channels']],
  actions: [
    { word: 'Test', operation: 'POST /v1/alert-channels/:id/test', params: byId },
    edit('PUT /v1/alert-channels/:id'),
    remove('DELETE /v1/alert-channels/:id'),
  ],
  also: (context) => notifications(context, '/app/channels'),
})
