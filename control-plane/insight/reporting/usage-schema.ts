import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../protocol/check-type.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { listOf } from '../analytics/schema.ts'

const DateOnly = Type.String({ format: 'date', description: 'A day in UTC' })
const Days = Type.Object({ from: DateOnly, to: DateOnly })

const lastDay = {
  to: Type.Optional({ ...DateOnly, description: 'The last day (UTC); today unless told otherwise' }),
}

export const UsageTermsQuery = Type.Object(lastDay, { additionalProperties: false })

const range = {
  ...lastDay,
  from: Type.Optional({
    ...DateOnly,
    description:
      'The first day (UTC), at most 400 before `to`; unless told otherwise the first of the account, within these',
  }),
  accountIds: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 4000 }), {
      maxItems: 100,
      description: 'Separated by commas or repeated; only the account of the key is known',
    }),
  ),
  checkTypes: Type.Optional(listOf(checkTypes, { description: 'Separated by commas or repeated' })),
}

export const UsageSummaryQuery = Type.Object(range, { additionalProperties: false })

export const UsageSeriesQuery = Type.Object(
  {
    ...range,
    interval: Type.Enum(['total', 'day', 'week', 'month'], {
      default: 'day',
      description: 'Weeks begin on Monday',
    }),
    groupBy: Type.Enum(['account', 'checkType', 'account,checkType'], { default: 'account,checkType' }),
    limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
    nextId: Type.Optional(
      Type.String({ pattern: '^[1-9][0-9]{0,5}$', description: 'Of the page before', examples: ['50'] }),
    ),
  },
  { additionalProperties: false },
)

/** What a hosted service sells and nobody sells here is null. */
const Metrics = {
  credits: Type.Object({ used: Type.Null(), percentOfBudget: Type.Null() }),
  meters: Type.Array(
    Type.Object({
      meterType: Type.Literal('CHECK_RUN'),
      measures: Type.Object({
        totalRuns: Type.Integer({
          description: 'Runs that were judged; tries before the last are not among them',
        }),
        finalRuns: Type.Integer({ description: 'The same' }),
        failedRuns: Type.Integer({ description: 'Those of them that failed' }),
      }),
    }),
  ),
}
const UsageMetrics = Type.Object(Metrics, { title: 'UsageMetrics' })
export type UsageMetrics = Static<typeof UsageMetrics>

export const UsageTerms = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Of the account' }),
    name: Type.String(),
    accounts: Type.Array(Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() })),
    contractStartDate: { ...DateOnly, description: 'The day on which the account was made' },
    contractEndDate: Type.Null({ description: 'Nothing ends' }),
    usageStartDate: DateOnly,
    creditBudget: Type.Null(),
    standardCreditsPerUnit: Type.Null(),
    premiumCreditsPerUnit: Type.Null(),
  },
  { title: 'UsageTerms' },
)

const Projection = Type.Object({
  usage: UsageMetrics,
  projectedAnnualPercentOfBudget: Type.Null(),
  projectedCreditsAtContractEnd: Type.Null(),
  projectedPercentAtContractEnd: Type.Null(),
  projectedWeeksUntilExhausted: Type.Null(),
})

export const UsageSummary = Type.Object(
  {
    usageTermsId: Type.String({ format: 'uuid' }),
    period: Days,
    totals: UsageMetrics,
    projections: Type.Object({
      weeksSinceStart: Type.Integer({ description: 'Whole weeks since the account was made' }),
      weeksRemaining: Type.Null(),
      remainingCredits: Type.Null(),
      windows: Type.Object({
        sinceStart: Projection,
        last30Days: Projection,
        last7Days: Projection,
        last1Day: Projection,
      }),
    }),
  },
  { title: 'UsageSummary' },
)
export type UsageSummary = Static<typeof UsageSummary>

const UsageRow = Type.Object(
  {
    periodStart: DateOnly,
    periodEnd: { ...DateOnly, description: 'The last day, itself included' },
    accountId: Type.Optional(Type.String({ format: 'uuid' })),
    checkType: Type.Optional(Type.Enum([...checkTypes])),
    ...Metrics,
  },
  { title: 'UsageRow' },
)
export type UsageRow = Static<typeof UsageRow>

export const UsageSeries = Type.Object(
  {
    usageTermsId: Type.String({ format: 'uuid' }),
    period: Type.Object({ ...Days.properties, interval: Type.String(), groupBy: Type.String() }),
    data: Type.Array(UsageRow, { description: 'Periods and types without a run are left out' }),
    length: Type.Integer({ description: 'Rows of this page' }),
    nextId: nullable(Type.String()),
    warnings: Type.Array(Type.Object({ code: Type.Literal('PARTIAL_WINDOW'), message: Type.String() })),
  },
  { title: 'UsageSeries' },
)
