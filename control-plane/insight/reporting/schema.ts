import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../protocol/check-type.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { windowParameters } from '../analytics/window.ts'

/** The report's own spelling of the first one. */
export const reportRanges = [
  'last24Hrs',
  'last7Days',
  'last30Days',
  'thisWeek',
  'thisMonth',
  'lastWeek',
  'lastMonth',
] as const

export const ReportQuery = Type.Object(
  {
    ...windowParameters,
    quickRange: Type.Enum([...reportRanges], {
      default: 'last24Hrs',
      description: 'Weeks begin on Monday, in `timezone`; `from` and `to` override it',
    }),
    filterByTags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 100,
        description: 'Only checks with any of these tags; repeated',
      }),
    ),
    groupId: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Only checks of this group' }),
    ),
    deactivated: Type.Optional(
      Type.Boolean({ description: 'true: only deactivated checks; false: only active ones; left out: both' }),
    ),
    granularity: Type.Optional(
      Type.Enum(['day', 'week', 'month'], { description: 'One aggregate per calendar unit, at most 120' }),
    ),
    timezone: Type.String({
      minLength: 1,
      maxLength: 64,
      default: 'UTC',
      description: 'IANA name, for example Europe/Berlin',
    }),
  },
  { additionalProperties: false },
)

const Figures = {
  successRatio: nullable(Type.Number(), { description: 'Percent of the runs that passed' }),
  avg: nullable(Type.Number(), { description: 'Milliseconds' }),
  p95: nullable(Type.Number()),
  p99: nullable(Type.Number()),
  dependencyDowntime: Type.Array(
    Type.Object(
      { name: Type.String({ description: 'As it was called then' }), seconds: Type.Integer() },
      { title: 'DependencyDowntime', additionalProperties: false },
    ),
    {
      description:
        'How long it failed, untold, because something that it depends on was down, the longest first, at most 10. `successRatio` has these failures, too',
    },
  ),
}

const Instant = Type.String({ format: 'date-time' })

export const ReportBucket = Type.Object(
  {
    from: Type.String({
      format: 'date-time',
      description:
        'What it covers: whole quarters of an hour (15 minutes) where results are over, whole hours after 90 days',
    }),
    to: Instant,
    ...Figures,
  },
  { title: 'ReportBucket' },
)
export type ReportBucket = Static<typeof ReportBucket>

/** `aggregate` without, `aggregates` with `granularity`. Null: no runs. */
export const ReportItem = Type.Object(
  {
    name: Type.String(),
    checkId: Type.String({ format: 'uuid' }),
    checkType: Type.Enum([...checkTypes]),
    deactivated: Type.Boolean(),
    tags: Type.Array(Type.String()),
    aggregate: Type.Optional(ReportBucket),
    aggregates: Type.Optional(Type.Array(ReportBucket)),
  },
  { title: 'ReportItem' },
)
export type ReportItem = Static<typeof ReportItem>
