import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../protocol/check-type.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { StoredTold } from '../../platform/words/told.ts'

const Evidence = Type.Object(
  {
    description: Type.String({ maxLength: 4000 }),
    artifacts: Type.Array(
      Type.Object({
        name: Type.String({ maxLength: 200, description: 'Part of the result, for example TIMING_PHASES' }),
        type: Type.String({
          maxLength: 200,
          description: 'REQUEST, TIMINGS, ASSERTIONS, CERTIFICATE, LOG …',
        }),
      }),
      { maxItems: 50 },
    ),
  },
  { title: 'AnalysisEvidence' },
)
export type Evidence = Static<typeof Evidence>

const ReferenceLink = Type.Object(
  { url: Type.String({ maxLength: 2048 }), title: Type.String({ maxLength: 500 }) },
  { title: 'AnalysisReferenceLink' },
)
export type ReferenceLink = Static<typeof ReferenceLink>

/** What an analyst finds out. */
export const Analysis = Type.Object(
  {
    classification: Type.String({ minLength: 1, maxLength: 200 }),
    userImpact: Type.String({ minLength: 1, maxLength: 8000 }),
    rootCause: Type.String({ minLength: 1, maxLength: 8000 }),
    codeFix: nullable(Type.String({ maxLength: 16_000 }), {
      description: 'What to look at and change first',
    }),
    evidence: nullable(Type.Array(Evidence, { maxItems: 50 })),
    referenceLinks: nullable(Type.Array(ReferenceLink, { maxItems: 50 })),
  },
  { title: 'Analysis' },
)
export type Analysis = Static<typeof Analysis>

export const finished = {
  provider: Type.String({
    description: '`builtin`: rules over the observation; else the configured endpoint',
  }),
  model: Type.String(),
  durationMs: Type.Number({ minimum: 0, description: 'Time to produce the analysis' }),
  analysis: Analysis,
  fallbackReason: nullable(Type.String(), {
    description:
      'Why the built-in rules answered instead of the configured endpoint; null if they did not have to',
  }),
}

const Id = Type.String({ format: 'uuid' })
const Instant = Type.String({ format: 'date-time' })

export const PendingAnalysis = Type.Object(
  { id: Id, status: Type.Literal('PENDING') },
  { title: 'PendingRootCauseAnalysis' },
)

export const RootCauseAnalysis = Type.Object(
  {
    id: Id,
    status: Type.Literal('COMPLETED'),
    checkType: Type.Enum([...checkTypes]),
    checkId: nullable(Id),
    errorGroupId: nullable(Id),
    ...finished,
    created_at: Instant,
  },
  { title: 'RootCauseAnalysis' },
)
export type RootCauseAnalysis = Static<typeof RootCauseAnalysis>

/** As an error group lists it. */
export const AnalysisOfGroup = Type.Object(
  { id: Id, created_at: Instant, userContext: Type.String(), ...finished },
  { title: 'RootCauseAnalysisOfErrorGroup' },
)
export type AnalysisOfGroup = Static<typeof AnalysisOfGroup>

export const NewAnalysis = nullable(
  Type.Object(
    {
      userContext: Type.Optional(
        nullable(Type.String({ maxLength: 256 }), {
          default: '',
          description: 'Extra detail for the analysis',
        }),
      ),
    },
    { additionalProperties: false, title: 'NewRootCauseAnalysis' },
  ),
)

/** The sentences of an analysis of ours: its texts in any language. */
export const ToldAnalysis = Type.Object(
  { rootCause: Type.Array(StoredTold), userImpact: StoredTold, codeFix: StoredTold },
  { additionalProperties: false },
)
export type ToldAnalysis = Static<typeof ToldAnalysis>
