import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../../protocol/check-type.ts'
import { runSources } from '../../../../protocol/job.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { sessionStatuses } from './session-status.ts'

const DateTime = Type.String({ format: 'date-time' })
const Tag = Type.String({ minLength: 1, maxLength: 256 })
const CheckId = Type.String({ format: 'uuid' })

/** What to run: outer `matchTags` OR, inner AND, `!tag` negates; neither tags nor ids: every check. */
export const TriggerSessions = Type.Object(
  {
    target: Type.Optional(
      Type.Object(
        {
          matchTags: Type.Optional(
            Type.Union([
              Tag,
              Type.Array(Type.Union([Tag, Type.Array(Tag, { minItems: 1, maxItems: 100 })]), {
                maxItems: 100,
              }),
            ]),
          ),
          checkId: Type.Optional(Type.Union([CheckId, Type.Array(CheckId, { maxItems: 1000 })])),
        },
        { additionalProperties: false },
      ),
    ),
    refreshCache: Type.Optional(
      Type.Boolean({ default: false, description: 'Playwright suites: install dependencies from scratch' }),
    ),
  },
  { additionalProperties: false, title: 'TriggerSessions' },
)

const sessionFields = {
  checkSessionId: Type.String({ format: 'uuid' }),
  checkSessionLink: Type.String(),
  checkId: CheckId,
  checkType: Type.Enum([...checkTypes]),
  name: Type.String(),
  status: Type.Enum([...sessionStatuses]),
  startedAt: DateTime,
  stoppedAt: nullable(DateTime),
  timeElapsed: Type.Number({ minimum: 0, description: 'Milliseconds' }),
  runLocations: Type.Array(Type.String()),
  runSource: Type.Enum([...runSources]),
}

export const CheckSession = Type.Object(sessionFields, { title: 'CheckSession' })
export type CheckSession = Static<typeof CheckSession>

/** One attempt in one location; the fields of an attempt that has not ended are null. */
export const SessionResult = Type.Object(
  {
    checkResultId: Type.String(),
    checkResultLink: Type.String({
      description: 'The page of the result, for people; needs no key and works for 30 days',
    }),
    checkId: CheckId,
    checkType: Type.Enum([...checkTypes]),
    name: Type.String(),
    runLocation: Type.String(),
    sequenceId: Type.String(),
    resultType: nullable(Type.Enum(['FINAL', 'ATTEMPT'])),
    hasErrors: Type.Boolean(),
    hasFailures: Type.Boolean(),
    isDegraded: Type.Boolean(),
    aborted: Type.Boolean(),
    isCancelled: Type.Boolean(),
    responseTime: nullable(Type.Number()),
    startedAt: nullable(DateTime),
    stoppedAt: nullable(DateTime),
  },
  { title: 'CheckSessionResult' },
)
export type SessionResult = Static<typeof SessionResult>

export const CheckSessionWithResults = Type.Object(
  { ...sessionFields, results: Type.Array(SessionResult) },
  { title: 'CheckSessionWithResults' },
)
export type CheckSessionWithResults = Static<typeof CheckSessionWithResults>
