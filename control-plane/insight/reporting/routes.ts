import { type Static, Type } from 'typebox'
import { exampleType } from '../../../protocol/check-type.ts'
import type { App } from '../../platform/app/app.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { invalid, violation } from '../../platform/words/errors.ts'
import { calendarOf, isTimeZone } from '../analytics/calendar.ts'
import { quickWindow, windowOf } from '../analytics/window.ts'
import { calendarBuckets, maxBuckets, type ReportQuestion, report } from './report.ts'
import { ReportItem, ReportQuery } from './schema.ts'

export const readReport = route({
  method: 'GET',
  path: '/v1/reporting',
  access: 'READ_ONLY',
  tag: 'Analytics',
  mayLag: true,
  summary: 'Success ratio and response times of all checks',
  description:
    'Runs that could not be judged do not count; degraded ones passed. With `granularity` per day, week or month of `timezone`; ' +
    'the first and last bucket hold only what lies in the window. `from` and `to` say what is covered: where results are over (docs/retention.md), ' +
    'that is whole quarters of an hour, after 90 days whole hours, and what is over altogether is left out. `dependencyDowntime` ends as alerts do.',
  query: ReportQuery,
  status: 200,
  response: Type.Array(ReportItem),
  rateLimit: { requests: 60, seconds: 60 },
  example: {
    query: { quickRange: 'last7Days', filterByTags: ['shop'] },
    response: [
      {
        name: 'Home page',
        checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
        checkType: exampleType,
        deactivated: false,
        tags: ['shop'],
        aggregate: {
          from: '2026-01-01T00:00:00.000Z',
          to: '2026-01-08T00:00:00.000Z',
          successRatio: 99.9,
          avg: 120.4,
          p95: 190.2,
          p99: 240,
          dependencyDowntime: [{ name: 'router', seconds: 840 }],
        },
      },
    ],
  },
  handle: ({ query, principal: { accountId }, signal }, app) =>
    report(app, questionOf(app, { accountId, signal }, query)),
})

/** @throws ApiError 400 for a zone, a window or parts that there are not */
export const questionOf = (
  app: App,
  asker: ReportQuestion['asker'],
  query: Static<typeof ReportQuery>,
): ReportQuestion => {
  if (!isTimeZone(query.timezone))
    throw invalid([violation('timezone', 'timezone', 'must be the name of an IANA time zone')])
  const now = app.clock.now()
  const calendar = calendarOf(query.timezone)
  const range = query.quickRange === 'last24Hrs' ? 'last24Hours' : query.quickRange
  const window = windowOf(query, quickWindow(range, now, calendar), now)
  const buckets =
    query.granularity === undefined ? null : calendarBuckets(window, query.granularity, calendar)
  if (buckets !== null && buckets.length > maxBuckets)
    throw invalid([
      violation('granularity', 'buckets', `must divide the window into at most ${maxBuckets} parts`),
    ])
  return {
    asker,
    now,
    window,
    buckets,
    tags: query.filterByTags ?? [],
    groupId: query.groupId ?? null,
    deactivated: query.deactivated ?? null,
  }
}

export const reportingRoutes: Route[] = [readReport]
