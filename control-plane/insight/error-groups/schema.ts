import { type Static, Type } from 'typebox'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { AnalysisOfGroup } from '../root-cause-analyses/schema.ts'

const DateTime = Type.String({ format: 'date-time' })

/** Failing results of one check with the same cleaned error message. */
export const ErrorGroup = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    checkId: Type.String({ format: 'uuid' }),
    errorHash: Type.String({ description: 'SHA-256 of the cleaned message, in hex' }),
    rawErrorMessage: nullable(Type.String(), { description: 'The message as it was seen last' }),
    cleanedErrorMessage: Type.String({
      description: 'Without what varies: ids, numbers, times, addresses, quoted values',
    }),
    firstSeen: DateTime,
    lastSeen: DateTime,
    archivedUntilNextEvent: Type.Boolean({ description: 'Hidden until the error is seen again' }),
    archiveForEver: Type.Boolean({ description: 'Hidden, also when the error is seen again' }),
    rootCauseAnalyses: Type.Array(AnalysisOfGroup, { description: 'Completed ones, newest first' }),
  },
  { title: 'ErrorGroup' },
)
export type ErrorGroup = Static<typeof ErrorGroup>

export const ErrorGroupChanges = Type.Object(
  {
    archivedUntilNextEvent: Type.Optional(Type.Boolean()),
    archiveForEver: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, title: 'ErrorGroupChanges' },
)
