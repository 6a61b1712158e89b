import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { finished, ToldAnalysis } from './schema.ts'

/** What `root_cause_analyses.doc` holds of a completed one; until then it is an empty object that nobody reads. */
const AnalysisDoc = Type.Object(
  {
    ...finished,
    /** The failing run whose facts it was made from. */
    resultId: nullable(Type.String(), { default: null }),
    /** Of an analysis by our rules; null: by others, or from before they were kept. */
    told: nullable(ToldAnalysis, { default: null }),
  },
  { additionalProperties: false },
)
export type AnalysisDoc = Static<typeof AnalysisDoc>

export const analysisDoc = storedDoc({ name: 'root cause analysis', schema: AnalysisDoc })
