import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { responseTime, responseTimeSummary } from './metric.ts'

/** No agent can run one: it has no spec yet. */
export const playwrightProtocol: CheckProtocol = {
  queue: 'main',
  runLimitMs: runLimits.suite,
  spec: null,
  detail: null,
  resultProperty: 'playwrightCheckResult',
  metrics: [responseTime],
  summary: responseTimeSummary,
}
