import { scriptFiles } from '../artifact-kinds.ts'
import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { responseTime, responseTimeSummary } from './metric.ts'
import { PlaywrightCheckResult } from './playwright-result.ts'
import { PlaywrightSpec } from './playwright-spec.ts'

export const playwrightProtocol: CheckProtocol = {
  queue: 'main',
  runLimitMs: runLimits.suite,
  spec: PlaywrightSpec,
  detail: PlaywrightCheckResult,
  resultProperty: 'playwrightCheckResult',
  metrics: [responseTime],
  summary: responseTimeSummary,
  artifacts: scriptFiles,
}
