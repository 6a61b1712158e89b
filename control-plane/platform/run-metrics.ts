/** The numbers of runs on their way through the control plane. Part of metrics.ts. */
import { Counter, Histogram, type Registry } from 'prom-client'

export type RunMetrics = {
  missedRuns: Counter<'reason'>
  leasesExpired: Counter<string>
  reports: Counter<'outcome'>
  /** Reports of each request that brought some. */
  reportBatches: Histogram<string>
  claimLateness: Histogram<'queue'>
}

export const runMetrics = (registers: Registry[]): RunMetrics => ({
  missedRuns: new Counter({
    name: 'watchpost_missed_runs_total',
    help: 'Due times that could not be run, by the reason that was known when they were given up',
    labelNames: ['reason'],
    registers,
  }),
  leasesExpired: new Counter({
    name: 'watchpost_leases_expired_total',
    help: 'Jobs that are offered again, since their agent did not renew its lease',
    registers,
  }),
  reports: new Counter({
    name: 'watchpost_reports_total',
    help: 'Results that agents reported, by what became of them: accepted, duplicate, stale, refused, later',
    labelNames: ['outcome'],
    registers,
  }),
  reportBatches: new Histogram({
    name: 'watchpost_report_batch_size',
    help: 'Results in one request of an agent',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000],
    registers,
  }),
  claimLateness: new Histogram({
    name: 'watchpost_claim_lateness_seconds',
    help: 'How late a job was handed to an agent after its due time, by queue; 0: ahead of it, as it should',
    labelNames: ['queue'],
    buckets: [0, 0.1, 0.5, 1, 2.5, 5, 15, 60, 300],
    registers,
  }),
})
