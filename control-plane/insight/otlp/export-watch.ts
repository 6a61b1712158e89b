/** Counts what is sent and what is lost, and says what is lost once a minute. */

import type { App } from '../../platform/app/app.ts'
import { counter, type HasMetrics } from '../../platform/app/metrics.ts'

/**
 * `queue`: runs came faster than they could be taken; `series`, `spans`: there was no room; `export`: the receiver did not
 * take their spans; `error`: we failed.
 */
type LossReason = 'queue' | 'series' | 'spans' | 'export' | 'error'

type Signal = 'metrics' | 'traces'

export const exportMetrics = {
  lostRuns: counter({
    name: 'watchpost_otlp_lost_runs_total',
    help: 'Runs that were not exported by OTLP, or not wholly, by reason: queue, series, spans, export, error (docs/monitoring/opentelemetry.md)',
    labels: ['reason'],
  }),
  exports: counter({
    name: 'watchpost_otlp_exports_total',
    help: 'Requests to the OTLP receiver, repetitions included in each, by signal (metrics, traces) and outcome (sent, failed)',
    labels: ['signal', 'outcome'],
  }),
}

export type ExportWatch = {
  lost(reason: LossReason, runs: number): void
  exported(signal: Signal, error: Error | null): void
}

const sayEveryMs = 60_000

type Parts = Pick<App, 'log'> & HasMetrics & { monotonic(): number }

export const watchExports = ({ log, metrics, monotonic }: Parts): ExportWatch => {
  let since: Record<string, number> = {}
  let problem: string | undefined
  let saidAt = Number.NEGATIVE_INFINITY
  const note = (what: string, count: number): void => {
    since[what] = (since[what] ?? 0) + count
    const now = monotonic()
    if (now - saidAt < sayEveryMs) return
    log.warn({ ...since, problem }, 'Some of what is exported by OTLP does not arrive')
    saidAt = now
    since = {}
    problem = undefined
  }
  return {
    lost: (reason, runs) => {
      exportMetrics.lostRuns({ metrics }).inc({ reason }, runs)
      note(reason, runs)
    },
    exported: (signal, error) => {
      exportMetrics.exports({ metrics }).inc({ signal, outcome: error === null ? 'sent' : 'failed' })
      if (error === null) return
      problem = error.message
      note(`${signal}Failed`, 1)
    },
  }
}
