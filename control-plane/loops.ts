/** The list of all background loops. */

import { presenceTick } from './agents/note-agent.ts'
import { alertsTick } from './alerting/alerts-tick.ts'
import { dispatchTick } from './alerting/dispatch.ts'
import { notificationsWakeup } from './alerting/queue-notifications.ts'
import { sweepArtifactsTick } from './artifacts/sweep-artifacts.ts'
import { certificateLooksTick } from './certificate-expiry/looks-tick.ts'
import { heartbeatTick } from './heartbeats/heartbeat-tick.ts'
import { announcementTick } from './mails/announcement-tick.ts'
import { mailTick, oldMailsTick } from './mails/mail-tick.ts'
import { maintenanceNoticesTick } from './maintenance-windows/notices-tick.ts'
import { absenceTick } from './private-locations/absence-tick.ts'
import { sampleLocationsTick } from './private-locations/sample.ts'
import { analysisTick } from './root-cause-analyses/analysis-tick.ts'
import type { Loop } from './run-loops.ts'
import { leapTick } from './runs/leap.ts'
import { aliveTick, onceForgiven } from './runs/recover.ts'
import { scheduleTick } from './runs/schedule.ts'
import { sweepTick } from './runs/sweep.ts'

export const loops: readonly Loop[] = [
  { name: 'leap', intervalMs: 1000, tick: leapTick },
  { name: 'presence', intervalMs: 20_000, tick: presenceTick },
  { name: 'heartbeats', intervalMs: 1000, tick: onceForgiven(heartbeatTick) },
  { name: 'alive', intervalMs: 1000, tick: aliveTick },
  { name: 'schedule', intervalMs: 1000, tick: scheduleTick },
  { name: 'notifications', intervalMs: 1000, wakeOn: notificationsWakeup, tick: dispatchTick },
  { name: 'sweep', intervalMs: 1000, tick: onceForgiven(sweepTick) },
  { name: 'alerts', intervalMs: 1000, tick: alertsTick },
  { name: 'artifacts', intervalMs: 60_000, tick: sweepArtifactsTick },
  { name: 'location-samples', intervalMs: 60_000, tick: sampleLocationsTick },
  { name: 'analyses', intervalMs: 1000, tick: analysisTick },
  { name: 'certificates', intervalMs: 10_000, tick: certificateLooksTick },
  { name: 'absent-agents', intervalMs: 30_000, tick: absenceTick },
  { name: 'maintenance-notices', intervalMs: 20_000, tick: maintenanceNoticesTick },
  { name: 'announcements', intervalMs: 1000, tick: announcementTick },
  { name: 'mails', intervalMs: 1000, tick: mailTick },
  { name: 'old-mails', intervalMs: 3_600_000, tick: oldMailsTick },
]
