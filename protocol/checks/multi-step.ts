import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { responseTime, responseTimeSummary } from './metric.ts'

/** No agent can run one: it has no spec yet. */
export const multiStepProtocol: CheckProtocol = {
  queue: 'main',
  runLimitMs: runLimits.script,
  spec: null,
  detail: null,
  resultProperty: 'multiStepCheckResult',
  metrics: [responseTime],
  summary: responseTimeSummary,
}
