/**
 * The list of all metrics: each group is declared beside what feeds it. No tenant data but the slugs of locations in any label:
 * no names, ids, addresses or settings of checks.
 */

import { notificationMetrics } from './alerting/notifications/notification-metrics.ts'
import { exportMetrics } from './insight/otlp/export-watch.ts'
import { queueMetrics } from './monitoring/locations/queue-metrics.ts'
import { rollupMetrics } from './monitoring/results/rollups/rollup-tick.ts'
import { runMetrics } from './monitoring/runs/run-metrics.ts'
import { scheduleMetrics } from './monitoring/schedule/missed-runs.ts'
import { alertStateMetrics } from './monitoring/watches/alert-states/alert-state-metrics.ts'
import type { MetricGroup } from './platform/app/metrics.ts'
import { readReplicaMetrics } from './platform/app/open-store.ts'
import { processMetrics } from './platform/app/process-metrics.ts'
import { storeFileMetrics } from './platform/app/store-file-metrics.ts'
import { statementMetrics } from './platform/app/watch-statements.ts'
import { retentionMetrics } from './platform/retention/metrics.ts'
import { loopMetrics } from './platform/services/clock/loop-watch.ts'
import { stallMetrics } from './platform/services/clock/measure-stalls.ts'
import { httpMetrics } from './platform/web/http/server/metrics.ts'
import { mqttMetrics } from './platform/web/mqtt/mqtt-metrics.ts'

/** In the order of docs/metrics.md. */
export const metricGroups: readonly MetricGroup[] = [
  processMetrics,
  httpMetrics,
  mqttMetrics,
  scheduleMetrics,
  runMetrics,
  queueMetrics,
  rollupMetrics,
  alertStateMetrics,
  notificationMetrics,
  exportMetrics,
  statementMetrics,
  readReplicaMetrics,
  retentionMetrics,
  storeFileMetrics,
  stallMetrics,
  loopMetrics,
]
