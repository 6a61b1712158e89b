/** The list of all background loops. */

import { fullStoreTick } from './access/members/full-store-mail.ts'
import { forgottenPasswordTick } from './access/sign-in/forgotten-password.ts'
import { groupHealthWakeup } from './alerting/engine/group-health-queries.ts'
import { dispatchTick } from './alerting/notifications/dispatch.ts'
import { notificationsWakeup } from './alerting/notifications/queue-notifications.ts'
import { announcementTick } from './communication/announcements/announcement-tick.ts'
import { dashboardDomainTick } from './communication/dashboards/dashboard-domain.ts'
import { maintenanceNoticesTick } from './communication/maintenance-windows/notices-tick.ts'
import { domainTick } from './communication/status-pages/domain-tick.ts'
import { shareRunsTick } from './insight/prometheus/share-runs-tick.ts'
import { analysisTick } from './insight/root-cause-analyses/analysis-tick.ts'
import { sweepArtifactsTick } from './monitoring/artifacts/sweep-artifacts.ts'
import { sweepBundlesTick } from './monitoring/definitions/code-bundles/sweep-bundles.ts'
import { presenceTick } from './monitoring/locations/agents/agent-presence.ts'
import { oldErrorEventsTick } from './monitoring/locations/agents/error-events.ts'
import { sampleLocationsTick } from './monitoring/locations/sample.ts'
import type { HasFinishedRuns } from './monitoring/outcomes/finished-runs.ts'
import type { HasRunExport } from './monitoring/outcomes/run-export.ts'
import { packResultsTick } from './monitoring/results/pack-results.ts'
import { checkRemoved, removeResultsTick } from './monitoring/results/remove-results.ts'
import { rollupTick } from './monitoring/results/rollups/rollup-tick.ts'
import { makePeriods } from './monitoring/results/stored/make-periods.ts'
import { lookUpStarts } from './monitoring/results/stored/partition-starts.ts'
import { clockJumpTick } from './monitoring/runs/clock-jump-tick.ts'
import { forgiveTick } from './monitoring/runs/forgive.ts'
import { aliveTick, onceForgiven } from './monitoring/runs/recover.ts'
import { sweepTick } from './monitoring/runs/sweep.ts'
import { scheduleTick } from './monitoring/schedule/schedule.ts'
import { alertStatesTick } from './monitoring/watches/alert-states/alert-states-tick.ts'
import { certificateWatchTick } from './monitoring/watches/certificate-expiry/certificate-watch-tick.ts'
import { groupHealthTick } from './monitoring/watches/group-health/group-health-tick.ts'
import { heartbeatTick } from './monitoring/watches/heartbeats/heartbeat-tick.ts'
import { settleTick } from './monitoring/watches/late-judging/settle-tick.ts'
import { locationProblemsTick } from './monitoring/watches/location-problems/location-problems-tick.ts'
import { staleTick } from './monitoring/watches/staleness/stale-tick.ts'
import { watchdogTick } from './monitoring/watches/watchdog-tick.ts'
import { liveTick } from './pages/status/live-streams.ts'
import type { App } from './platform/app/app.ts'
import { storeVersionTick } from './platform/app/newer-store.ts'
import { readReplicaTick } from './platform/app/open-store.ts'
import { retentionTick } from './platform/retention/retention-tick.ts'
import { type Loop, unlessNewerStore } from './platform/services/clock/run-loops.ts'
import { mailTick, oldMailsTick } from './platform/services/mail/mail-tick.ts'
import { controlPlaneVersion } from './platform/settings/config.ts'
import { retentionKinds } from './retention.ts'
import type { WholeApp } from './whole-app.ts'

const work: readonly Loop<WholeApp>[] = [
  { name: 'clock-jump', intervalMs: 1000, tick: clockJumpTick },
  {
    name: 'store-room',
    intervalMs: 5000,
    tick: async (app: App & HasFinishedRuns & HasRunExport) => app.db.fitToDisk(),
  },
  { name: 'read-replica', intervalMs: 1000, tick: readReplicaTick },
  { name: 'presence', intervalMs: 20_000, tick: presenceTick },
  { name: 'heartbeats', intervalMs: 1000, tick: onceForgiven(heartbeatTick) },
  { name: 'alive', intervalMs: 1000, tick: aliveTick },
  { name: 'forgive', intervalMs: 1000, tick: forgiveTick },
  { name: 'schedule', intervalMs: 1000, tick: scheduleTick },
  { name: 'notifications', intervalMs: 1000, wakeOn: notificationsWakeup, tick: dispatchTick },
  { name: 'sweep', intervalMs: 1000, tick: onceForgiven(sweepTick) },
  { name: 'awaited-runs', intervalMs: 1000, tick: onceForgiven(settleTick) },
  { name: 'alerts', intervalMs: 1000, tick: alertStatesTick },
  { name: 'group-health', intervalMs: 1000, wakeOn: groupHealthWakeup, tick: groupHealthTick },
  { name: 'artifacts', intervalMs: 60_000, tick: sweepArtifactsTick },
  { name: 'code-bundles', intervalMs: 60_000, tick: sweepBundlesTick },
  { name: 'removed-results', intervalMs: 60_000, wakeOn: checkRemoved, tick: removeResultsTick },
  { name: 'location-samples', intervalMs: 60_000, tick: sampleLocationsTick },
  { name: 'analyses', intervalMs: 1000, tick: analysisTick },
  { name: 'exporter-runs', intervalMs: 5000, tick: shareRunsTick },
  { name: 'certificates', intervalMs: 10_000, tick: certificateWatchTick },
  {
    name: 'location-problems',
    intervalMs: 30_000,
    tick: onceForgiven(locationProblemsTick(controlPlaneVersion)),
  },
  { name: 'stale-checks', intervalMs: 20_000, tick: onceForgiven(staleTick) },
  { name: 'maintenance-notices', intervalMs: 20_000, tick: maintenanceNoticesTick },
  { name: 'announcements', intervalMs: 1000, tick: announcementTick },
  { name: 'status-page-domains', intervalMs: 60_000, tick: domainTick },
  { name: 'dashboard-domains', intervalMs: 60_000, tick: dashboardDomainTick },
  { name: 'status-page-streams', intervalMs: 1000, tick: liveTick },
  { name: 'forgotten-passwords', intervalMs: 1000, tick: forgottenPasswordTick },
  { name: 'mails', intervalMs: 1000, tick: mailTick },
  { name: 'full-store', intervalMs: 60_000, tick: fullStoreTick },
  { name: 'old-agent-errors', intervalMs: 3_600_000, tick: oldErrorEventsTick },
  { name: 'watchdog', intervalMs: 20_000, tick: onceForgiven(watchdogTick) },
  { name: 'rollups', intervalMs: 5000, tick: rollupTick },
  { name: 'retention', intervalMs: 10_000, tick: retentionTick(retentionKinds) },
  {
    name: 'result-periods',
    intervalMs: 20_000,
    tick: (app) => makePeriods(app.db, { now: app.clock.now() }),
  },
  {
    name: 'result-partition-starts',
    intervalMs: 60_000,
    tick: (app) => lookUpStarts(app.db, { now: app.clock.now() }),
  },
  { name: 'pack-results', intervalMs: 60_000, tick: packResultsTick },
  { name: 'old-mails', intervalMs: 3_600_000, tick: oldMailsTick },
]

export const loops: readonly Loop<WholeApp>[] = [
  { name: 'store-version', intervalMs: 1000, tick: storeVersionTick },
  ...work.map(unlessNewerStore),
]
