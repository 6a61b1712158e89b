import { reportOutcomes } from '../../../protocol/agent-api.ts'
import { counter, histogram } from '../../platform/app/metrics.ts'

/** Runs on their way through the control plane. */
export const runMetrics = {
  leasesExpired: counter({
    name: 'watchpost_leases_expired_total',
    help: 'Jobs that are offered again, since their agent did not renew its lease',
  }),
  reports: counter({
    name: 'watchpost_reports_total',
    help: 'Results that agents reported, by what became of them: accepted, duplicate, stale, refused, later',
    labels: ['outcome'],
    zeros: reportOutcomes.map((outcome) => ({ outcome })),
  }),
  lateReports: counter({
    name: 'watchpost_late_reports_total',
    help: 'Runs that agents made by themselves and reported afterwards, by what became of them: accepted, duplicate, stale, refused, later',
    labels: ['outcome'],
    zeros: reportOutcomes.map((outcome) => ({ outcome })),
  }),
  reportBatches: histogram({
    name: 'watchpost_report_batch_size',
    help: 'Results in one request of an agent',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000],
  }),
  claimLateness: histogram({
    name: 'watchpost_claim_lateness_seconds',
    help: 'How late a job was handed to an agent after its due time, by queue; 0: ahead of it, as it should',
    labels: ['queue'],
    buckets: [0, 0.1, 0.5, 1, 2.5, 5, 15, 60, 300],
  }),
}
