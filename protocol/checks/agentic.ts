import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { responseTimeSummary } from './metric.ts'

/** No agent can run one: it has no spec yet. */
export const agenticProtocol: CheckProtocol = {
  queue: 'main',
  runLimitMs: runLimits.script,
  spec: null,
  detail: null,
  resultProperty: 'agenticCheckResult',
  metrics: [],
  summary: responseTimeSummary,
}
