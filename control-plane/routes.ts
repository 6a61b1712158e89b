/**
 * The list of all routes, a line per slice. Read this file first: authentication, role, validation, rate limit, OpenAPI
 * and the contract tests follow from each route's declaration.
 */
import { accountRoutes } from './accounts/routes.ts'
import { agentRoutes } from './agents/routes.ts'
import { alertChannelRoutes } from './alert-channels/routes.ts'
import { alertExplanationRoutes } from './alert-explanations/routes.ts'
import { alertNotificationRoutes } from './alert-notifications/routes.ts'
import { analyticsRoutes } from './analytics/routes.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { artifactRoutes } from './artifacts/routes.ts'
import { badgeRoutes } from './badges/routes.ts'
import { checkAlertRoutes } from './check-alerts/routes.ts'
import { checkGroupRoutes } from './check-groups/routes.ts'
import { checkResultRoutes } from './check-results/routes.ts'
import { checkSessionRoutes } from './check-sessions/routes.ts'
import { checkStatusRoutes } from './check-statuses/routes.ts'
import { checkRoutes } from './checks/routes.ts'
import { clientCertificateRoutes } from './client-certificates/routes.ts'
import { errorGroupRoutes } from './error-groups/routes.ts'
import { heartbeatRoutes } from './heartbeats/routes.ts'
import { documentRoutes } from './http/openapi.ts'
import type { Route } from './http/route.ts'
import { incidentRoutes } from './incidents/routes.ts'
import { locationRoutes } from './locations/routes.ts'
import { maintenanceWindowRoutes } from './maintenance-windows/routes.ts'
import { memberRoutes } from './members/routes.ts'
import { missedRunRoutes } from './missed-runs/routes.ts'
import { privateLocationRoutes } from './private-locations/routes.ts'
import { reportingRoutes } from './reporting/routes.ts'
import { resultPageRoutes } from './result-pages/routes.ts'
import { rootCauseAnalysisRoutes } from './root-cause-analyses/routes.ts'
import { runtimeRoutes } from './runtimes/routes.ts'
import { snippetRoutes } from './snippets/routes.ts'
import { statusPageServiceRoutes } from './status-page-services/routes.ts'
import { statusPageSubscriptionRoutes } from './status-page-subscriptions/routes.ts'
import { statusPageRoutes } from './status-pages/routes.ts'
import { variableRoutes } from './variables/routes.ts'

const resources: Route[] = [
  ...heartbeatRoutes,
  ...accountRoutes,
  ...memberRoutes,
  ...apiKeyRoutes,
  ...agentRoutes,
  ...artifactRoutes,
  ...checkRoutes,
  ...alertExplanationRoutes,
  ...checkGroupRoutes,
  ...checkStatusRoutes,
  ...checkSessionRoutes,
  ...checkResultRoutes,
  ...resultPageRoutes,
  ...missedRunRoutes,
  ...snippetRoutes,
  ...variableRoutes,
  ...clientCertificateRoutes,
  ...locationRoutes,
  ...privateLocationRoutes,
  ...runtimeRoutes,
  ...alertChannelRoutes,
  ...statusPageRoutes,
  ...statusPageServiceRoutes,
  ...statusPageSubscriptionRoutes,
  ...incidentRoutes,
  ...maintenanceWindowRoutes,
  ...checkAlertRoutes,
  ...alertNotificationRoutes,
  ...badgeRoutes,
  ...errorGroupRoutes,
  ...rootCauseAnalysisRoutes,
  ...analyticsRoutes,
  ...reportingRoutes,
]

export const routes: Route[] = [...resources, ...documentRoutes(resources)]
