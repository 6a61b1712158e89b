import { type Static, Type } from 'typebox'
import { nullable } from '../../../platform/words/shapes/nullable.ts'

/** The latest verdict on a check. Durations in milliseconds, over all results there ever were. */
export const CheckStatus = Type.Object(
  {
    name: Type.String(),
    checkId: Type.String(),
    state: Type.Enum(['passing', 'degraded', 'failing', 'unknown', 'stale'], {
      description:
        'unknown: its newest due time could be run by no agent, or its newest run could not be made (and it did not fail before); `hasErrors` is true then. ' +
        'stale: no result has come for three periods and a minute, so what the flags say is not said of now; what failed before goes on failing, with `staleSince`',
    }),
    hasFailures: Type.Boolean(),
    hasErrors: Type.Boolean(),
    isDegraded: Type.Boolean(),
    longestRun: nullable(Type.Number()),
    shortestRun: nullable(Type.Number()),
    lastRunLocation: nullable(Type.String()),
    lastCheckRunId: nullable(Type.String()),
    sslDaysRemaining: nullable(Type.Integer()),
    staleSince: nullable(Type.String({ format: 'date-time' }), {
      description: 'The last run, if no result has come since for three periods and a minute',
    }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: nullable(Type.String({ format: 'date-time' })),
  },
  { title: 'CheckStatus' },
)
export type CheckStatus = Static<typeof CheckStatus>
