/** The list of all that ends with time, in the order in which it goes; the first that makes room takes most of it. */
import { auditKind } from './access/audit-log/queries.ts'
import { removalsKind } from './access/changes/retention.ts'
import { userSessionsKind } from './access/sessions/retention.ts'
import { signInLinksKind } from './access/sign-in/retention.ts'
import { alertsKind, keptBackKind, notificationsKind } from './alerting/check-alerts/retention.ts'
import { unverifiedSubscriptionsKind } from './communication/status-page-subscriptions/retention.ts'
import { errorGroupsKind, lastSeenOfOpenGroups } from './insight/error-groups/retention.ts'
import { analysesKind } from './insight/root-cause-analyses/retention.ts'
import { artifactUsageKind } from './monitoring/artifacts/usage-retention.ts'
import { orderHoldersKind } from './monitoring/jobs/orders/order-holders.ts'
import { agentsKind } from './monitoring/locations/agents/retention.ts'
import { detailsKind } from './monitoring/results/details-retention.ts'
import { missedRunsKind } from './monitoring/results/missed/retention.ts'
import { resultsKind } from './monitoring/results/retention.ts'
import { isPeriodCounted, isUncounted, rollupsKind } from './monitoring/results/rollups/retention.ts'
import { sessionsKind, testSessionsKind } from './monitoring/watches/check-sessions/retention.ts'
import type { RetentionKind } from './platform/retention/retention-kind.ts'

/** Groups before results: a result stays for its group, and until it is counted. Alerts before their notifications, for the same reason. */
export const retentionKinds: readonly RetentionKind[] = [
  errorGroupsKind,
  analysesKind,
  resultsKind({
    alsoRetained: lastSeenOfOpenGroups,
    isPeriodReady: isPeriodCounted,
    isHeld: isUncounted,
  }),
  detailsKind,
  rollupsKind,
  missedRunsKind,
  sessionsKind,
  testSessionsKind,
  alertsKind,
  keptBackKind,
  notificationsKind,
  agentsKind,
  orderHoldersKind,
  removalsKind,
  artifactUsageKind,
  auditKind,
  userSessionsKind,
  signInLinksKind,
  unverifiedSubscriptionsKind,
]
