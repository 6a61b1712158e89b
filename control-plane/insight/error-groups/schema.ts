import { type Static, Type } from 'typebox'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { AnalysisOfGroup } from '../root-cause-analyses/schema.ts'

const DateTime = Type.String({ format: 'date-time' })

const fields = {
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
}

/** Failing results of one check with the same cleaned error message. */
export const ErrorGroup = Type.Object(fields, { title: 'ErrorGroup' })
export type ErrorGroup = Static<typeof ErrorGroup>

/** The same of tests of a check. */
export const TestErrorGroup = Type.Object(
  {
    ...fields,
    projectId: Type.String({ description: 'Of whom the test was; empty: of no project' }),
    environments: Type.Array(Type.String(), { description: 'As the tests named where they ran' }),
    pwtMetadata: Type.Array(Type.Object({}), { maxItems: 0 }),
  },
  { title: 'TestSessionErrorGroup' },
)
export type TestErrorGroup = Static<typeof TestErrorGroup>

export const ErrorGroupChanges = Type.Object(
  {
    archivedUntilNextEvent: Type.Optional(Type.Boolean()),
    archiveForEver: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, title: 'ErrorGroupChanges' },
)
