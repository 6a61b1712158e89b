import { type Static, Type } from 'typebox'
import type { ArtifactKind } from '../artifact-kinds.ts'
import { AgenticCheckResult } from './agentic-result.ts'
import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { responseTimeSummary } from './metric.ts'

/** A task in words. `shouldFail`: a run that fails passes, and one that does not fails. */
export const AgenticSpec = Type.Object({
  prompt: Type.String({ minLength: 1 }),
  shouldFail: Type.Boolean(),
})
export type AgenticSpec = Static<typeof AgenticSpec>

const artifacts: readonly ArtifactKind[] = [
  { type: 'screenshot', contentType: 'image/png' },
  { type: 'trace', contentType: 'application/zip' },
]

export const agenticProtocol: CheckProtocol = {
  queue: 'main',
  runLimitMs: runLimits.script,
  spec: AgenticSpec,
  detail: AgenticCheckResult,
  resultProperty: 'agenticCheckResult',
  metrics: [],
  summary: responseTimeSummary,
  artifacts,
}
