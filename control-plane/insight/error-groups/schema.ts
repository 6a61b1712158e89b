import { type Static, Type } from 'typebox'
import { pageParameters } from '../../platform/web/http/answers/offset-page.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
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

export const ignoredOfGroups = [
  ...recordNames,
  ...always('checkId', 'errorHash', 'rawErrorMessage', 'cleanedErrorMessage'),
  ...always('firstSeen', 'lastSeen', 'rootCauseAnalyses'),
]

export const ListQuery = Type.Object(
  {
    ...pageParameters,
    includeArchived: Type.Boolean({ default: false, description: 'Also groups that were archived' }),
  },
  { additionalProperties: false },
)

export const exampleGroup: ErrorGroup = {
  id: '5d0f8a44-7a0e-8c1b-9d2e-3b7f4a6c8e21',
  checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  errorHash: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
  rawErrorMessage: 'example.com:443 (203.0.113.7) refused the connection after 12 ms',
  cleanedErrorMessage: 'example.com:<port> (<address>) refused the connection after <duration>',
  firstSeen: '2026-01-01T10:05:00.000Z',
  lastSeen: '2026-01-01T10:10:00.000Z',
  archivedUntilNextEvent: false,
  archiveForEver: false,
  rootCauseAnalyses: [],
}
