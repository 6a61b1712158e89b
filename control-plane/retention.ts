/** The list of all that ends with time, in the order in which it goes; the first that makes room takes most of it. */
import { auditKind } from './access/audit-log/queries.ts'
import { userSessionsKind } from './access/sessions/retention.ts'
import { signInLinksKind } from './access/sign-in/retention.ts'
import { alertsKind, notificationsKind } from './alerting/check-alerts/retention.ts'
import { unverifiedSubscriptionsKind } from './communication/status-page-subscriptions/retention.ts'
import { errorGroupsKind, lastSeenOfOpenGroups } from './insight/error-groups/retention.ts'
import { analysesKind } from './insight/root-cause-analyses/retention.ts'
import { agentsKind } from './monitoring/agents/retention.ts'
import { artifactUsageKind } from './monitoring/artifacts/usage-retention.ts'
import { detailsKind } from './monitoring/check-results/details-retention.ts'
import { resultsKind } from './monitoring/check-results/retention.ts'
import { sessionsKind } from './monitoring/check-sessions/retention.ts'
import { missedRunsKind } from './monitoring/missed-runs/retention.ts'
import { isPeriodCounted, isUncounted, rollupsKind } from './monitoring/rollups/retention.ts'
import type { RetentionKind } from './platform/store/retention/retention-kind.ts'

/** Groups before results: a result stays for its group, and until it is counted. Alerts before their notifications, for the same reason. */
export const retentionKinds: readonly RetentionKind[] = [
  errorGroupsKind,
  analysesKind,
  resultsKind({
    alsoKept: lastSeenOfOpenGroups,
    isPeriodReady: isPeriodCounted,
    isHeld: isUncounted,
  }),
  detailsKind,
  rollupsKind,
  missedRunsKind,
  sessionsKind,
  alertsKind,
  notificationsKind,
  agentsKind,
  artifactUsageKind,
  auditKind,
  userSessionsKind,
  signInLinksKind,
  unverifiedSubscriptionsKind,
]
