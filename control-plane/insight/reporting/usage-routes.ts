/** What clients of hosted services ask for as usage: runs are counted, and what only a seller has is null. */
import type { Static } from 'typebox'
import type { CheckType } from '../../../protocol/check-type.ts'
import { findAccount } from '../../access/accounts/queries.ts'
import { dayMs } from '../../monitoring/results/rollups/spans.ts'
import type { App } from '../../platform/app/app.ts'
import type { AccountsTable } from '../../platform/store/database/tables/runs.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { invalid, notFound, violation } from '../../platform/words/errors.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import { type CalendarUnit, calendarOf } from '../analytics/calendar.ts'
import { listed } from '../analytics/schema.ts'
import type { Window } from '../analytics/window.ts'
import { daysOf, midnight, type Runs, usageOf } from './usage.ts'
import {
  type UsageMetrics,
  type UsageRow,
  UsageSeries,
  UsageSeriesQuery,
  UsageSummary,
  UsageSummaryQuery,
  UsageTerms,
  UsageTermsQuery,
} from './usage-schema.ts'

const tag = 'Analytics'
const access = 'READ_ONLY'
const rateLimit = { requests: 30, seconds: 60 }
const utc = calendarOf('UTC')

const dayOf = (instant: number): string => toIso(instant).slice(0, 10)
const shownDays = ({ from, to }: Window) => ({ from: dayOf(from), to: dayOf(to - dayMs) })

const accountOf = async (app: App, id: string): Promise<AccountsTable> => {
  const account = await app.db.get(findAccount, { id })
  if (!account) throw notFound()
  return account
}

/** @throws ApiError 400 */
const refuseOthers = (asked: readonly string[] | undefined, accountId: string): void => {
  if (listed(asked).some((id) => id !== accountId))
    throw invalid([violation('accountIds', 'account', 'must name no account but that of the key')])
}

const metricsOf = ({ runs, failed }: Runs): UsageMetrics => ({
  credits: { used: null, percentOfBudget: null },
  meters: [{ meterType: 'CHECK_RUN', measures: { totalRuns: runs, finalRuns: runs, failedRuns: failed } }],
})

const sumOf = (all: Iterable<Runs>): Runs => {
  const sum = { runs: 0, failed: 0 }
  for (const { runs, failed } of all) {
    sum.runs += runs
    sum.failed += failed
  }
  return sum
}

const terms = route({
  method: 'GET',
  path: '/v1/usage/terms',
  access,
  tag,
  summary: 'Since when the usage of the account is counted',
  description: 'Nothing is sold: there are no credits, no budget and no end.',
  query: UsageTermsQuery,
  status: 200,
  response: UsageTerms,
  handle: async ({ principal }, app) => {
    const { id, name, created_at } = await accountOf(app, principal.accountId)
    const start = dayOf(created_at)
    return {
      ...{ id, name, accounts: [{ id, name }] },
      ...{ contractStartDate: start, contractEndDate: null, usageStartDate: start },
      ...{ creditBudget: null, standardCreditsPerUnit: null, premiumCreditsPerUnit: null },
    }
  },
})

const projectionOf = (runs: Runs): UsageSummary['projections']['windows']['last1Day'] => ({
  usage: metricsOf(runs),
  projectedAnnualPercentOfBudget: null,
  projectedCreditsAtContractEnd: null,
  projectedPercentAtContractEnd: null,
  projectedWeeksUntilExhausted: null,
})

const summary = route({
  method: 'GET',
  path: '/v1/usage/summary',
  access,
  tag,
  mayLag: true,
  summary: 'How many runs the account had in some days',
  description:
    'Runs of checks that are there, judged ones only. `projections` has the runs of the last days, today included, and of all time that is ' +
    'counted, 400 days at most.',
  query: UsageSummaryQuery,
  status: 200,
  response: UsageSummary,
  rateLimit,
  handle: async ({ query, principal: { accountId }, signal }, app) => {
    refuseOthers(query.accountIds, accountId)
    const { created_at: startedAt } = await accountOf(app, accountId)
    const now = app.clock.now()
    const period = daysOf(query, startedAt, now)
    const about = { asker: { accountId, signal }, types: listed(query.checkTypes) }
    const asked = await usageOf(app, { ...about, periods: [period] })
    const since = daysOf({}, startedAt, now)
    const windows = await usageOf(app, { ...about, periods: backFrom(since) })
    const lastOf = (days: number) =>
      projectionOf(
        sumOf(
          backFrom(since).flatMap(({ from }, at) =>
            from >= since.to - days * dayMs ? [...(windows[at]?.values() ?? [])] : [],
          ),
        ),
      )
    return {
      usageTermsId: accountId,
      period: shownDays(period),
      totals: metricsOf(sumOf(asked.flatMap((byType) => [...byType.values()]))),
      projections: {
        weeksSinceStart: Math.floor((midnight(now) - midnight(startedAt)) / (7 * dayMs)),
        weeksRemaining: null,
        remainingCredits: null,
        windows: {
          sinceStart: lastOf(Number.POSITIVE_INFINITY),
          last30Days: lastOf(30),
          last7Days: lastOf(7),
          last1Day: lastOf(1),
        },
      },
    }
  },
})

/** Parted where the last 30, 7 and 1 days begin, as far as there are any. */
const backFrom = ({ from, to }: Window): Window[] => {
  const starts = [from, ...[30, 7, 1].map((days) => to - days * dayMs).filter((start) => start > from)]
  return starts.map((start, at) => ({ from: start, to: starts[at + 1] ?? to }))
}

const series = route({
  method: 'GET',
  path: '/v1/usage/series',
  access,
  tag,
  mayLag: true,
  summary: 'How many runs the account had per day, week or month',
  description: 'Of each type of checks, or of all. Weeks and months hold only the days that are asked for.',
  query: UsageSeriesQuery,
  status: 200,
  response: UsageSeries,
  rateLimit,
  example: { query: { interval: 'week', groupBy: 'checkType' } },
  handle: async ({ query, principal: { accountId }, signal }, app) => {
    refuseOthers(query.accountIds, accountId)
    const { created_at: startedAt } = await accountOf(app, accountId)
    const days = daysOf(query, startedAt, app.clock.now())
    const { interval, groupBy } = query
    const periods = interval === 'total' ? [days] : unitsOf(days, interval)
    const types = listed(query.checkTypes)
    const usage = await usageOf(app, { asker: { accountId, signal }, periods, types })
    const rows = periods.flatMap((period, at) =>
      rowsOf(period, usage[at] ?? new Map(), { accountId, groupBy }),
    )
    const start = Number(query.nextId ?? 0)
    const data = rows.slice(start, start + query.limit)
    const next = start + data.length
    return {
      usageTermsId: accountId,
      period: { ...shownDays(days), interval, groupBy },
      data,
      length: data.length,
      nextId: next < rows.length ? String(next) : null,
      warnings: [],
    }
  },
})

/** At most as many as there are days; the first and last hold only what lies in the window. */
const unitsOf = ({ from, to }: Window, unit: CalendarUnit): Window[] => {
  const units: Window[] = []
  for (let start = utc.startOf(unit, from); start < to; start = utc.move(unit, start, 1))
    units.push({ from: Math.max(from, start), to: Math.min(to, utc.move(unit, start, 1)) })
  return units
}

type Grouping = { accountId: string; groupBy: Static<typeof UsageSeriesQuery>['groupBy'] }

const rowsOf = (
  period: Window,
  byType: ReadonlyMap<CheckType, Runs>,
  { accountId, groupBy }: Grouping,
): UsageRow[] => {
  if (byType.size === 0) return []
  const { from: periodStart, to: periodEnd } = shownDays(period)
  const common = { periodStart, periodEnd, ...(groupBy === 'checkType' ? {} : { accountId }) }
  if (groupBy === 'account') return [{ ...common, ...metricsOf(sumOf(byType.values())) }]
  return [...byType]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([checkType, runs]) => ({ ...common, checkType, ...metricsOf(runs) }))
}

export const usageRoutes: Route[] = [terms, summary, series]
