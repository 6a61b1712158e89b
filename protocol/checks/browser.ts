import { scriptFiles } from '../artifact-kinds.ts'
import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { type Metric, responseTime, responseTimeSummary, type Unit } from './metric.ts'
import { BrowserCheckResult } from './script-result.ts'
import { ScriptSpec } from './script-spec.ts'

/** Of every page that the run opened, or of one when grouped by page. */
const webVital = (name: string, label: string, unit: Unit = 'milliseconds'): Metric => ({
  name,
  label,
  unit,
  from: { webVital: name },
})

const traceCount = (name: string, label: string): Metric => ({
  name,
  label,
  unit: 'count',
  from: { detail: `traceSummary.${name}` },
})

export const browserProtocol: CheckProtocol = {
  queue: 'main',
  runLimitMs: runLimits.script,
  spec: ScriptSpec,
  needsPlaywright: true,
  detail: BrowserCheckResult,
  resultProperty: 'browserCheckResult',
  metrics: [
    responseTime,
    webVital('TTFB', 'Time to first byte'),
    webVital('FCP', 'First contentful paint'),
    webVital('LCP', 'Largest contentful paint'),
    webVital('CLS', 'Cumulative layout shift', 'score'),
    webVital('TBT', 'Total blocking time'),
    traceCount('consoleErrors', 'Console errors'),
    traceCount('networkErrors', 'Network errors'),
    traceCount('userScriptErrors', 'Script errors'),
    traceCount('documentErrors', 'Document errors'),
  ],
  summary: responseTimeSummary,
  artifacts: scriptFiles,
}
