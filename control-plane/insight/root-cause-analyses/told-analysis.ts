import { type Static, Type } from 'typebox'
import { StoredTold } from '../../platform/words/told.ts'

/** The sentences of an analysis of ours: its texts in any language. */
export const ToldAnalysis = Type.Object(
  { rootCause: Type.Array(StoredTold), userImpact: StoredTold, codeFix: StoredTold },
  { additionalProperties: false },
)
export type ToldAnalysis = Static<typeof ToldAnalysis>
