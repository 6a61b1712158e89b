/**
 * Analytics: aggregates of a check's FINAL results, an endpoint per type (kinds.ts). Answers are computed from the stored
 * results; runs that could not be judged (`hasErrors`, cancelled) do not count, degraded ones passed.
 */

import { Type } from 'typebox'
import { checkTypes, exampleType, isRunnable, protocolOf } from '../../../protocol/check-type.ts'
import { type RateLimit, type Route, route } from '../../platform/web/http/route.ts'
import { answer } from './answer.ts'
import { type Kind, kinds } from './kinds.ts'
import { findMetrics, metadataOf, metricNames } from './metrics.ts'
import {
  AnalyticsSeries,
  BatchBody,
  CheckSummary,
  HeartbeatQuery,
  listed,
  MetricDescriptor,
  querySchema,
} from './schema.ts'
import { summarize } from './summaries.ts'
import { quickWindow, windowOf } from './window.ts'

const tag = 'Analytics'
const rateLimit: RateLimit = { requests: 60, seconds: 60 }
const CheckId = Type.Object({ id: Type.String({ format: 'uuid' }) })
const id = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'
const notFound = { 404: 'There is no such check of this type' }

/** Both statuses together are all runs. */
const onlyStatus = (statuses: readonly string[]): 'success' | 'failure' | null =>
  statuses.length === 1 ? (statuses[0] as 'success' | 'failure') : null

/** Nobody runs them: they are pinged. */
const pingedTypes = checkTypes.filter((type) => !isRunnable(type))

const exampleOf = ({
  checkTypes: [checkType = exampleType],
  numbers: [number],
}: Pick<Kind, 'checkTypes' | 'numbers'>): AnalyticsSeries => ({
  checkId: id,
  name: 'Home page',
  checkType,
  activated: true,
  muted: false,
  frequency: 5,
  from: '2026-01-01T00:00:00.000Z',
  to: '2026-01-02T00:00:00.000Z',
  aggregationInterval: null,
  snappedTo: null,
  tags: ['shop'],
  series: [
    {
      data: [
        {
          timestamp: '2026-01-01T00:00:00.000Z',
          availability: 99.653,
          ...(number ? { [`${number.name}_p95`]: 231.5 } : {}),
        },
      ],
    },
  ],
  pagination: { page: 1, limit: 10 },
  metadata: {
    availability: { unit: 'percentage', label: 'Availability', aggregation: 'avg' },
    ...(number
      ? {
          [`${number.name}_p95`]: {
            unit: number.unit,
            label: `${number.label} (95th percentile)`,
            aggregation: 'p95',
          },
        }
      : {}),
  },
})

const seriesRoute = (kind: Kind) =>
  route({
    method: 'GET',
    path: `/v1/analytics/${kind.path}/:id`,
    access: 'READ_ONLY',
    tag,
    mayLag: true,
    summary: `Metrics of ${kind.words}`,
    description:
      'With `aggregationInterval` a row per interval, aligned to it in UTC, empty ones included; without it one row for the window, ' +
      'or a row per run if only metrics without a suffix are asked for. `limit` and `page` go over the rows: the first page has the newest, ' +
      'and the rows of a page are in the order of time. A percentile is the value at rank ⌊q(n−1)⌋ of the n values in ascending order, from 0: ' +
      'within 1 % of it, and exactly where few results are asked about. A result that comes in late for its hour is in the answers within seconds. ' +
      'Where results are over (docs/retention.md) and the question would cut a quarter of an hour, or one that is older than 90 days an hour (a day with `groupBy`), ' +
      '`from`, `to` and the interval are widened to whole ones, and `snappedTo` says so; what is over altogether is left out, and `from` says so.',
    params: CheckId,
    query: querySchema(kind),
    status: 200,
    otherStatuses: notFound,
    response: AnalyticsSeries,
    rateLimit,
    example: {
      params: { id },
      query: { quickRange: 'last24Hours', metrics: `availability,${kind.numbers[0]?.name}_p95` },
      response: exampleOf(kind),
    },
    handle: ({ params, query, principal, signal }, app) => {
      const now = app.clock.now()
      return answer(app, {
        asker: { accountId: principal.accountId, signal },
        checkId: params.id,
        checkTypes: kind.checkTypes,
        window: windowOf(query, quickWindow(query.quickRange, now), now),
        intervalMs:
          query.aggregationInterval === undefined ? null : Math.round(query.aggregationInterval * 60_000),
        numbers: kind.numbers,
        metricNames: listed(query.metrics),
        grouping: kind.groupings.find(({ by }) => by === query.groupBy) ?? null,
        status: onlyStatus(listed(query.filterByStatus)),
        limit: query.limit,
        page: query.page,
      })
    },
  })

const heartbeats = route({
  method: 'GET',
  path: '/v1/analytics/heartbeat-checks/:id',
  access: 'READ_ONLY',
  tag,
  mayLag: true,
  summary: 'Metrics of a heartbeat check',
  description: 'One row for the window. Every ping and every missed ping is a run.',
  params: CheckId,
  query: HeartbeatQuery,
  status: 200,
  otherStatuses: notFound,
  response: AnalyticsSeries,
  rateLimit,
  example: {
    params: { id },
    query: { quickRange: 'last7Days' },
    response: { ...exampleOf({ checkTypes: pingedTypes, numbers: [] }), frequency: null },
  },
  handle: ({ params, query, principal, signal }, app) => {
    const now = app.clock.now()
    const states = listed(query.filterByStatus)
    return answer(app, {
      asker: { accountId: principal.accountId, signal },
      checkId: params.id,
      checkTypes: pingedTypes,
      window: windowOf(query, quickWindow(query.quickRange, now), now),
      intervalMs: null,
      numbers: [],
      metricNames: listed(query.metrics ?? ['availability']),
      grouping: null,
      status: null,
      states: states.length === 0 ? null : states,
      limit: query.limit,
      page: query.page,
    })
  },
})

const metrics = route({
  method: 'GET',
  path: '/v1/analytics/metrics',
  access: 'READ_ONLY',
  tag,
  summary: 'The metrics that a check type has',
  query: Type.Object({ checkType: Type.Enum([...checkTypes]) }, { additionalProperties: false }),
  status: 200,
  response: Type.Array(MetricDescriptor),
  rateLimit,
  example: {
    query: { checkType: exampleType },
    response: [
      { name: 'availability', unit: 'percentage', label: 'Availability', type: 'Float', aggregated: true },
    ],
  },
  handle: ({ query: { checkType } }) => {
    const numbers = protocolOf(checkType).metrics
    return findMetrics(numbers, metricNames(numbers)).map((metric) => {
      const aggregated = 'common' in metric || metric.aggregate !== null
      const { unit, label } = metadataOf(metric, !aggregated)
      return { name: metric.name, unit, label, aggregated, type: typeOf(metric.name, aggregated) }
    })
  },
})

const typeOf = (name: string, aggregated: boolean) =>
  aggregated
    ? ['runs', 'retries'].includes(name)
      ? ('Integer' as const)
      : ('Float' as const)
    : ('Array' as const)

const batch = route({
  method: 'POST',
  path: '/v1/analytics/checks',
  access: 'READ_ONLY',
  tag,
  mayLag: true,
  summary: 'Summaries of up to 100 checks of any type',
  description: 'In the order of the ids; ids that are not checks of the account are left out.',
  query: Type.Object(
    {
      quickRange: Type.Enum(['last24Hours', 'last7Days', 'thisWeek', 'lastWeek', 'lastMonth'], {
        default: 'last24Hours',
      }),
    },
    { additionalProperties: false },
  ),
  body: BatchBody,
  status: 200,
  response: Type.Array(CheckSummary),
  rateLimit,
  example: {
    query: { quickRange: 'last7Days' },
    body: { checkIds: [id] },
    response: [
      {
        checkId: id,
        checkType: exampleType,
        from: '2026-01-01T00:00:00.000Z',
        to: '2026-01-08T00:00:00.000Z',
        availability: 99.9,
        responseTime_avg: 120.4,
        responseTime_p50: 110,
        responseTime_p95: 190.2,
        responseTime_p99: 240,
      },
    ],
  },
  // The names of the figures come from the records of the types, which the compiler cannot see.
  handle: ({ query, body, principal: { accountId }, signal }, app) =>
    summarize(app, {
      asker: { accountId, signal },
      checkIds: body.checkIds,
      window: quickWindow(query.quickRange, app.clock.now()),
    }) as never,
})

export const analyticsRoutes: Route[] = [metrics, batch, heartbeats, ...kinds.map(seriesRoute)]
