import { type Static, type TSchema, Type } from 'typebox'
import { checkTypes, protocolOf } from '../../../protocol/check-type.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { detailProperties } from './own-detail.ts'

const DateTime = Type.String({ format: 'date-time' })

const before = {
  id: Type.String(),
  name: Type.String(),
  checkId: Type.String(),
  checkType: Type.Enum([...checkTypes]),
  resultType: Type.Enum(['FINAL', 'ATTEMPT']),
  hasFailures: Type.Boolean(),
  hasErrors: Type.Boolean(),
  isDegraded: Type.Boolean(),
  isCancelled: Type.Boolean(),
  overMaxResponseTime: Type.Boolean(),
  runLocation: Type.String(),
  startedAt: DateTime,
  stoppedAt: DateTime,
  created_at: DateTime,
  responseTime: Type.Number(),
}

const after = {
  checkRunId: Type.Number(),
  attempts: Type.Integer(),
  sequenceId: Type.String(),
  traceId: nullable(Type.String(), { description: 'Of the trace that the run is part of; null: none' }),
  arrivedLate: Type.Boolean({
    description:
      'The agent made this run by itself while it could not reach the control plane, and reported it afterwards',
  }),
  replacedMissedRun: Type.Boolean({ description: 'It had been recorded as a missed run before it arrived' }),
  checkVersion: nullable(Type.Integer(), {
    description:
      'Of a run that arrived late: the version of the check that was run; null: the one of its time',
  }),
  error: nullable(Type.String(), { description: 'Why it failed or could not be run, in one sentence' }),
  errorGroupIds: Type.Array(Type.String()),
  createdAt: Type.Optional({
    ...DateTime,
    description: 'The same as `created_at`; only where `fields` asks for it',
  }),
}

/** Null of every type but the result's own; of types that no agent runs, in all results. */
const detailSchema = (property: string): TSchema => {
  const shown = checkTypes.map(protocolOf).find(({ resultProperty }) => resultProperty === property)
  return shown?.detail ? nullable(shown.detail) : Type.Null()
}

const Common = Type.Object({ ...before, ...after })

/** With what a run of the check's type saw, under the type's `resultProperty`. */
export type CheckResult = Static<typeof Common> & { [property: string]: unknown }

/**
 * One attempt of a run. Times in milliseconds. `hasErrors` is a failure of the
 * service, `hasFailures` one of the target; `attempts` counts the repetitions before this attempt; all attempts of a
 * run share `sequenceId`, all runs of one due time share `checkRunId`.
 */
export const CheckResult = Type.Unsafe<CheckResult>(
  Type.Object(
    {
      ...before,
      ...Object.fromEntries(detailProperties.map((property) => [property, detailSchema(property)])),
      ...after,
    },
    { title: 'CheckResult' },
  ),
)

/** What a list may be asked to trim its entries to. */
export const resultFields: readonly string[] = [
  ...Object.keys(before),
  ...detailProperties,
  ...Object.keys(after),
]

export const CheckResultPage = Type.Object(
  {
    length: Type.Integer({ minimum: 0, description: 'Entries on this page' }),
    entries: Type.Array(CheckResult, { description: 'Newest first' }),
    nextId: nullable(Type.String(), { description: 'Cursor of the next page; null: there are no more' }),
  },
  { title: 'CheckResultPage' },
)
