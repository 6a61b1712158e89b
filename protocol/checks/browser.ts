import { type CheckProtocol, runLimits } from './check-protocol.ts'
import { type Metric, responseTime, responseTimeSummary, type Unit } from './metric.ts'

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

/** No agent can run one: it has no spec yet. */
export const browserProtocol: CheckProtocol = {
  queue: 'main',
  runLimitMs: runLimits.script,
  spec: null,
  detail: null,
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
}
