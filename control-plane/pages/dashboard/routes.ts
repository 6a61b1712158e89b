/** The dashboard: pages on top of the API's own routes, which it is given. */
import type { Declaration, Route } from '../../platform/web/http/route.ts'
import { alertHistoryPage } from './alert-history.ts'
import { badgePage } from './badge-builder.ts'
import { checkPage, setCheck } from './check-page.ts'
import { bulkAction } from './checks-bulk.ts'
import { exportList, exportRuns } from './checks-export.ts'
import { checksPage } from './checks-page.ts'
import { dependencyMapPage } from './dependency-map.ts'
import { details } from './details.ts'
import { eventStream } from './events.ts'
import { createInternalClient } from './internal-client.ts'
import { listings } from './listings.ts'
import { accountPage, dataPage, newCheckPage } from './more-pages.ts'
import { nowPage } from './now-page.ts'
import { operationRoutes } from './operation-page.ts'
import { exportReport, reportPage } from './report-page.ts'
import { type PageApp, type PageRoute, pageRoute, seeOther } from './request-context.ts'
import { runPage } from './run-page.ts'
import { servicePages } from './service-page.ts'
import { sessionPage, sessionsPage } from './session-pages.ts'
import { silentPage } from './silent-page.ts'
import { testPage, testsPage } from './test-pages.ts'

/** Of pages that read many results. */
const expensive = { requests: 60, seconds: 60 }

const pages: readonly PageRoute[] = [
  { path: '/app', mayLag: true, summary: 'What is wrong now', show: nowPage },
  {
    path: '/app/events',
    summary: 'Which checks have new results',
    responseType: 'text/event-stream',
    rateLimit: expensive,
    show: eventStream,
  },
  { path: '/app/checks', mayLag: true, summary: 'The list of checks', show: checksPage },
  { path: '/app/checks/new', access: 'READ_WRITE', summary: 'The kinds of checks', show: newCheckPage },
  {
    path: '/app/checks/bulk',
    method: 'POST',
    access: 'READ_RUN',
    summary: 'Many checks at once',
    show: bulkAction,
  },
  {
    path: '/app/checks/export/:format',
    mayLag: true,
    responseType: 'text/plain',
    rateLimit: { requests: 10, seconds: 60 },
    summary: 'The list as a file',
    show: exportList,
  },
  {
    path: '/app/checks/:id/runs.csv',
    responseType: 'text/plain',
    rateLimit: { requests: 10, seconds: 60 },
    summary: 'The runs of a check as a file',
    show: exportRuns,
  },
  { path: '/app/checks/:id', mayLag: true, rateLimit: expensive, summary: 'One check', show: checkPage },
  {
    path: '/app/checks/:id/set',
    method: 'POST',
    access: 'READ_WRITE',
    summary: 'Pause or mute a check',
    standsFor: 'PATCH /v1/checks/:id',
    show: async (context) => {
      await setCheck(context)
      return seeOther(`/app/checks/${encodeURIComponent(context.params['id'] ?? '')}?said=saved`)
    },
  },
  { path: '/app/runs/:checkId/:resultId', summary: 'One run', show: runPage },
  { path: '/app/check-sessions', mayLag: true, summary: 'What was run by hand', show: sessionsPage },
  { path: '/app/check-sessions/:id', summary: 'One session', show: sessionPage },
  { path: '/app/test-sessions', summary: 'Tests of checks', show: testsPage },
  { path: '/app/test-sessions/:id', summary: 'One test', show: testPage },
  {
    path: '/app/alerts',
    mayLag: true,
    rateLimit: expensive,
    summary: 'The history of alerts',
    show: alertHistoryPage,
  },
  {
    path: '/app/silent',
    mayLag: true,
    rateLimit: expensive,
    summary: 'Checks that nobody would be told of',
    show: silentPage,
  },
  {
    path: '/app/reports',
    mayLag: true,
    rateLimit: expensive,
    summary: 'Uptime and response times',
    show: reportPage,
  },
  {
    path: '/app/reports/export/:format',
    mayLag: true,
    responseType: 'text/plain',
    rateLimit: { requests: 10, seconds: 60 },
    summary: 'The report as a file',
    show: exportReport,
  },
  {
    path: '/app/dependencies',
    rateLimit: expensive,
    summary: 'What depends on what',
    show: dependencyMapPage,
  },
  { path: '/app/badges', summary: 'Pictures of states for other pages', show: badgePage },
  { path: '/app/account', summary: 'Settings of the account', show: accountPage },
  { path: '/app/data', access: 'ADMIN', rateLimit: expensive, summary: 'What the data take', show: dataPage },
]

export const dashboardRoutes = (api: readonly Declaration[]): Route<PageApp>[] => {
  const client = createInternalClient(api)
  return [
    ...[...pages, ...listings, ...details, ...servicePages].map((page) => pageRoute(client, page)),
    ...operationRoutes(client),
  ]
}
