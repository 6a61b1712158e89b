import { collectDefaultMetrics, type Registry } from 'prom-client'
import { gauge } from './metrics.ts'

export const processMetrics = {
  buildInfo: gauge({
    name: 'watchpost_build_info',
    help: 'Always 1; its labels tell the version and revision that runs here, and the version of Node',
    labels: ['version', 'revision', 'node'],
  }),
}

/** Adds the numbers of the process and of Node. Only for programs: what observes them ends with the process alone. */
export const collectProcessMetrics = (registry: Registry): void => {
  // A timer that looks a hundred times a second costs more than a program with nothing to do.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  for (const name of sums) registry.removeSingleMetric(name)
}

/** Gauges with the name of a counter, which promtool finds wrong; each is the sum of another metric. */
const sums = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']
