/**
 * All migrations in order: forward only, never edited once released. Each is a list of portable statements, and where SQL
 * cannot say it, what is done to the rows after them.
 */
import type { Db } from '../db.ts'
import { runs } from './0001-runs.ts'
import { members } from './0002-members.ts'
import { statusPages } from './0003-status-pages.ts'
import { maintenanceWindows } from './0004-maintenance-windows.ts'
import { configuration } from './0005-configuration.ts'
import { alertChannels } from './0006-alert-channels.ts'
import { analysis } from './0007-analysis.ts'
import { statuses } from './0008-statuses.ts'
import { checkSessions } from './0009-check-sessions.ts'
import { checkGroups } from './0010-check-groups.ts'
import { checkDetails } from './0011-checks.ts'
import { heartbeats } from './0012-heartbeats.ts'
import { artifacts } from './0013-artifacts.ts'
import { alertStates } from './0014-alert-states.ts'
import { notificationOutbox } from './0015-notification-outbox.ts'
import { mails } from './0016-mails.ts'
import { incidentAutomation } from './0017-incident-automation.ts'
import { heartbeatEvents } from './0018-heartbeat-events.ts'
import { sessionOfJobs } from './0019-session-of-jobs.ts'
import { agentWalls } from './0020-agent-walls.ts'
import { indexesOfLists } from './0021-indexes-of-lists.ts'
import { webhookAddresses } from './0022-webhook-addresses.ts'
import { agentErrors } from './0023-agent-errors.ts'
import { ownerAddress } from './0024-owner-address.ts'
import { artifactUsage } from './0025-artifact-usage.ts'
import { codeBundles } from './0026-code-bundles.ts'
import { retention } from './0027-retention.ts'
import { waitingJobs } from './0028-waiting-jobs.ts'
import { createKept, resultPeriods } from './0029-result-periods.ts'
import { rollups } from './0032-rollups.ts'
import { exporterRuns } from './0033-exporter-runs.ts'
import { userSessions } from './0037-user-sessions.ts'
import { statusPagePublications } from './0038-status-page-publications.ts'
import { signIn } from './0039-sign-in.ts'
import { auditLog } from './0040-audit-log.ts'
import { latestSessions } from './0043-latest-sessions.ts'

type Migration = { id: string; statements: string[]; rewrite?: (trx: Db) => Promise<void> }

export const migrations: Migration[] = [
  { id: '0001-runs', statements: runs },
  { id: '0002-members', statements: members },
  { id: '0003-status-pages', statements: statusPages },
  { id: '0004-maintenance-windows', statements: maintenanceWindows },
  { id: '0005-configuration', statements: configuration },
  { id: '0006-alert-channels', statements: alertChannels },
  { id: '0007-analysis', statements: analysis },
  { id: '0008-statuses', statements: statuses },
  { id: '0009-check-sessions', statements: checkSessions },
  { id: '0010-check-groups', statements: checkGroups },
  { id: '0011-checks', statements: checkDetails },
  { id: '0012-heartbeats', statements: heartbeats },
  { id: '0013-artifacts', statements: artifacts },
  { id: '0014-alert-states', statements: alertStates },
  { id: '0015-notification-outbox', statements: notificationOutbox },
  { id: '0016-mails', statements: mails },
  { id: '0017-incident-automation', statements: incidentAutomation },
  { id: '0018-heartbeat-events', statements: heartbeatEvents },
  { id: '0019-session-of-jobs', statements: sessionOfJobs },
  { id: '0020-agent-walls', statements: agentWalls },
  { id: '0021-indexes-of-lists', statements: indexesOfLists },
  { id: '0022-webhook-addresses', statements: [], rewrite: webhookAddresses },
  { id: '0023-agent-errors', statements: agentErrors },
  { id: '0024-owner-address', statements: ownerAddress },
  { id: '0025-artifact-usage', statements: artifactUsage },
  { id: '0026-code-bundles', statements: codeBundles },
  { id: '0027-retention', statements: retention },
  { id: '0028-waiting-jobs', statements: waitingJobs },
  { id: '0029-result-periods', statements: resultPeriods, rewrite: createKept },
  { id: '0032-rollups', statements: rollups },
  { id: '0033-exporter-runs', statements: exporterRuns },
  { id: '0037-user-sessions', statements: userSessions },
  { id: '0038-status-page-publications', statements: statusPagePublications },
  { id: '0039-sign-in', statements: signIn },
  { id: '0040-audit-log', statements: auditLog },
  { id: '0043-latest-sessions', statements: latestSessions },
]
