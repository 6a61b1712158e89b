import { type Static, type TSchema, Type } from 'typebox'
import { checkTypes, protocolOf } from '../../../protocol/check-type.ts'
import { responseTimeSummary, units } from '../../../protocol/checks/metric.ts'
import { pageParameters } from '../../platform/web/http/answers/offset-page.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import type { Kind } from './kinds.ts'
import { metricNames } from './metrics.ts'
import { quickRanges, windowParameters } from './window.ts'

const DateTime = Type.String({ format: 'date-time' })

/** Values of a closed list, repeated or separated by commas. */
export const listOf = (values: readonly string[], options: Record<string, unknown> = {}) => {
  const one = `(${values.join('|')})`
  return Type.Array(Type.String({ pattern: `^${one}(,${one})*$`, examples: [values[0]] }), {
    maxItems: 200,
    ...options,
  })
}

/** What `listOf` accepts as the list it means, each value once. */
export const listed = (texts: readonly string[] = []): string[] => [
  ...new Set(texts.flatMap((text) => text.split(','))),
]

const quickRangeParameter = Type.Enum([...quickRanges], {
  default: 'last24Hours',
  description: 'Weeks begin on Monday, in UTC; `from` and `to` override it',
})

export const querySchema = (kind: Kind) =>
  Type.Object(
    {
      ...windowParameters,
      quickRange: quickRangeParameter,
      aggregationInterval: Type.Optional(
        Type.Number({
          minimum: 1,
          maximum: 43_200,
          description: 'Minutes that one row of the series covers',
        }),
      ),
      filterByStatus: Type.Optional(
        listOf(['success', 'failure'], { description: 'Only runs that passed, or only runs that failed' }),
      ),
      groupBy: Type.Optional(
        Type.Enum(
          kind.groupings.map(({ by }) => by),
          { description: 'A series per value; more expensive' },
        ),
      ),
      metrics: listOf(metricNames(kind.numbers), {
        minItems: 1,
        description: `Separated by commas or repeated. Numbers: ${kind.numbers.map(({ name }) => name).join(', ')}, each also with a suffix`,
      }),
      ...pageParameters,
    },
    { additionalProperties: false },
  )

const states = ['EARLY', 'RECEIVED', 'GRACE', 'LATE', 'FAILING'] as const

export const HeartbeatQuery = Type.Object(
  {
    ...windowParameters,
    quickRange: quickRangeParameter,
    filterByStatus: Type.Optional(
      listOf(states, { description: 'Only pings (or missed pings) in these states' }),
    ),
    metrics: Type.Optional(listOf(['availability', 'retries'], { minItems: 1, default: ['availability'] })),
    ...pageParameters,
  },
  { additionalProperties: false },
)

const key = { description: 'Present when grouped by it' }

export const AnalyticsSeries = Type.Object(
  {
    checkId: Type.String({ format: 'uuid' }),
    name: Type.String(),
    checkType: Type.Enum([...checkTypes]),
    activated: Type.Boolean(),
    muted: Type.Boolean(),
    frequency: nullable(Type.Number(), { description: 'Minutes' }),
    from: DateTime,
    to: DateTime,
    aggregationInterval: nullable(Type.Number(), {
      description: 'Minutes that a row covers; null: the window, or a run',
    }),
    snappedTo: nullable(Type.Number(), {
      description:
        'Minutes (15, 60 or 1440) to whole multiples of which `from`, `to` and `aggregationInterval` were widened, since the results themselves are gone; null: as asked',
    }),
    tags: Type.Array(Type.String()),
    series: Type.Array(
      Type.Object(
        {
          runLocation: Type.Optional(nullable(Type.String(), key)),
          statusCode: Type.Optional(nullable(Type.String(), key)),
          pageIndex: Type.Optional(nullable(Type.Integer(), key)),
          data: Type.Array(
            Type.Record(Type.String(), Type.Union([Type.Number(), Type.String(), Type.Null()]), {
              description:
                '`timestamp` (ISO 8601: the start of what the row covers) and a value per metric; null: no runs',
            }),
          ),
        },
        { title: 'AnalyticsGroup' },
      ),
    ),
    pagination: Type.Object({ page: Type.Integer(), limit: Type.Integer() }),
    metadata: Type.Record(
      Type.String(),
      Type.Object(
        {
          unit: Type.String(),
          label: Type.String(),
          aggregation: Type.Optional(Type.String({ description: 'Left out where nothing is aggregated' })),
        },
        { title: 'MetricMetadata' },
      ),
    ),
  },
  { title: 'AnalyticsSeries' },
)
export type AnalyticsSeries = Static<typeof AnalyticsSeries>

export const MetricDescriptor = Type.Object(
  {
    name: Type.String(),
    unit: Type.Enum([...units]),
    label: Type.String(),
    type: Type.Enum(['Array', 'Int', 'Integer', 'Float', 'String'], {
      description: 'Array: a value per run; Integer and Float: one value per row',
    }),
    aggregated: Type.Boolean(),
  },
  { title: 'MetricDescriptor' },
)

const maybe = (schema: TSchema) => Type.Optional(nullable(schema))

const summaryNames = new Set(
  [responseTimeSummary, ...checkTypes.map((type) => protocolOf(type).summary)].flatMap((summary) =>
    summary.flatMap(({ name, by }) => by.map((aggregate) => `${name}_${aggregate}`)),
  ),
)

/** Absent: does not apply to the check's type. Null: no runs in the window. */
export const CheckSummary = Type.Object(
  {
    checkId: Type.String({ format: 'uuid' }),
    checkType: Type.Enum([...checkTypes]),
    from: DateTime,
    to: DateTime,
    availability: nullable(Type.Number()),
    ...Object.fromEntries([...summaryNames, 'hopCount_avg'].map((name) => [name, maybe(Type.Number())])),
  },
  { title: 'CheckSummary' },
)

export const BatchBody = Type.Object(
  {
    checkIds: Type.Array(Type.String({ format: 'uuid' }), { minItems: 1, maxItems: 100, uniqueItems: true }),
  },
  { additionalProperties: false, title: 'AnalyticsBatch' },
)
