import { scriptFiles } from '../artifact-kinds.ts'
import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { responseTime, responseTimeSummary } from './metric.ts'
import { MultiStepCheckResult } from './script-result.ts'
import { ScriptSpec } from './script-spec.ts'

export const multiStepProtocol: CheckProtocol = {
  queue: 'main',
  runLimitMs: runLimits.script,
  spec: ScriptSpec,
  needsPlaywright: true,
  detail: MultiStepCheckResult,
  resultProperty: 'multiStepCheckResult',
  metrics: [responseTime],
  summary: responseTimeSummary,
  artifacts: scriptFiles,
}
