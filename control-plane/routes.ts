/**
 * The list of all routes, a line per slice. Read this file first: authentication, role, validation, rate limit, OpenAPI
 * and the contract tests follow from each route's declaration.
 */
import { accountRoutes } from './access/accounts/routes.ts'
import { apiKeyRoutes } from './access/api-keys/routes.ts'
import { auditLogRoutes } from './access/audit-log/routes.ts'
import { memberRoutes } from './access/members/routes.ts'
import { runtimeRoutes } from './access/runtimes/routes.ts'
import { snippetRoutes } from './access/snippets/routes.ts'
import { variableRoutes } from './access/variables/routes.ts'
import { alertChannelRoutes } from './alerting/alert-channels/routes.ts'
import { checkAlertRoutes } from './alerting/check-alerts/routes.ts'
import { channelTestRoute } from './alerting/notifications/channel-test-route.ts'
import { alertNotificationRoutes } from './alerting/notifications/routes.ts'
import { codeRoutes } from './as-code/routes.ts'
import { dashboardIncidentRoutes } from './communication/dashboards/incident-routes.ts'
import { dashboardRoutes as dashboardResourceRoutes } from './communication/dashboards/routes.ts'
import { incidentRoutes } from './communication/incidents/routes.ts'
import { maintenanceWindowRoutes } from './communication/maintenance-windows/routes.ts'
import { statusPageServiceRoutes } from './communication/status-page-services/routes.ts'
import { statusPageSubscriptionRoutes } from './communication/status-page-subscriptions/routes.ts'
import { publicationRoutes } from './communication/status-pages/publication-routes.ts'
import { statusPageRoutes } from './communication/status-pages/routes.ts'
import { statusPageComponentRoutes } from './communication/status-pages-v3/component-routes.ts'
import { domainVerificationRoutes } from './communication/status-pages-v3/domain-routes.ts'
import { incidentV3Routes } from './communication/status-pages-v3/incident-routes.ts'
import { incidentUpdateV3Routes } from './communication/status-pages-v3/incident-update-routes.ts'
import { statusPageV3Routes } from './communication/status-pages-v3/page-routes.ts'
import { automationRuleRoutes } from './communication/status-pages-v3/rule-routes.ts'
import { subscriberRoutes } from './communication/status-pages-v3/subscriber-routes.ts'
import { alertExplanationRoutes } from './insight/alert-explanations/routes.ts'
import { silentCheckRoutes } from './insight/alert-explanations/silent-routes.ts'
import { analyticsRoutes } from './insight/analytics/routes.ts'
import { badgeRoutes } from './insight/badges/routes.ts'
import { errorGroupRoutes } from './insight/error-groups/routes.ts'
import { testErrorGroupRoutes } from './insight/error-groups/test-routes.ts'
import { prometheusRoutes } from './insight/prometheus/routes.ts'
import { reportingRoutes } from './insight/reporting/routes.ts'
import { secretScanRoute } from './insight/reporting/secret-scan.ts'
import { usageRoutes } from './insight/reporting/usage-routes.ts'
import { resultCauseRoutes } from './insight/result-pages/cause-route.ts'
import { resultFileRoutes } from './insight/result-pages/file-routes.ts'
import { resultPageRoutes } from './insight/result-pages/routes.ts'
import { rootCauseAnalysisRoutes } from './insight/root-cause-analyses/routes.ts'
import { traceViewerRoutes } from './insight/trace-viewer/routes.ts'
import { artifactRoutes } from './monitoring/artifacts/routes.ts'
import { checkGroupRoutes } from './monitoring/definitions/check-groups/routes.ts'
import { checkRoutes } from './monitoring/definitions/checks/routes.ts'
import { clientCertificateRoutes } from './monitoring/definitions/client-certificates/routes.ts'
import { codeBundleRoutes } from './monitoring/definitions/code-bundles/routes.ts'
import { orderRoutes } from './monitoring/jobs/orders/orders-routes.ts'
import { errorEventRoutes } from './monitoring/locations/agents/error-event-routes.ts'
import { locationRoutes } from './monitoring/locations/public-location-routes.ts'
import { privateLocationRoutes } from './monitoring/locations/routes.ts'
import { staticAddressRoutes } from './monitoring/locations/static-addresses.ts'
import { projectRoutes } from './monitoring/projects/routes.ts'
import { storageRoutes } from './monitoring/projects/storage-routes.ts'
import { missedRunRoutes } from './monitoring/results/missed/routes.ts'
import { checkResultRoutes } from './monitoring/results/routes.ts'
import { agentRoutes } from './monitoring/runs/agent-routes.ts'
import { alertResponseRoutes } from './monitoring/watches/alert-states/routes.ts'
import { checkSessionRoutes } from './monitoring/watches/check-sessions/routes.ts'
import { checkStatusRoutes } from './monitoring/watches/check-statuses/routes.ts'
import { checkTryRoutes } from './monitoring/watches/check-tries/routes.ts'
import { dependencyRoutes } from './monitoring/watches/dependencies/routes.ts'
import { groupHealthRoutes } from './monitoring/watches/group-health/routes.ts'
import { heartbeatRoutes } from './monitoring/watches/heartbeats/routes.ts'
import { testResultFeed } from './monitoring/watches/test-sessions/result-feed.ts'
import { testSessionRoutes } from './monitoring/watches/test-sessions/routes.ts'
import { calledTriggerRoutes } from './monitoring/watches/triggers/call-routes.ts'
import { triggerRoutes } from './monitoring/watches/triggers/routes.ts'
import { alertPageRoutes } from './pages/alerts/routes.ts'
import { slackActionRoutes } from './pages/alerts/slack-route.ts'
import { auditRoutes } from './pages/app/audit.ts'
import { profileRoutes } from './pages/app/profile.ts'
import { sessionRoutes } from './pages/app/sessions.ts'
import { assetRoutes } from './pages/assets/routes.ts'
import { boardRoutes } from './pages/boards/routes.ts'
import { dashboardRoutes } from './pages/dashboard/routes.ts'
import { docsRoutes } from './pages/docs/routes.ts'
import { frontRoutes } from './pages/front/routes.ts'
import { signInRoutes } from './pages/sign-in/routes.ts'
import { statusPageDataRoutes } from './pages/status/data-routes.ts'
import { statusPageFormRoutes } from './pages/status/form-routes.ts'
import { publicPageRoutes } from './pages/status/page-routes.ts'
import { documentRoutes } from './platform/web/http/openapi/openapi.ts'
import type { Route } from './platform/web/http/route.ts'
import type { Feed } from './platform/web/mqtt/mqtt-session.ts'
import type { WholeApp } from './whole-app.ts'

const resources: Route<WholeApp>[] = [
  ...heartbeatRoutes,
  ...accountRoutes,
  ...memberRoutes,
  ...apiKeyRoutes,
  ...agentRoutes,
  ...orderRoutes,
  ...artifactRoutes,
  ...checkRoutes,
  ...codeBundleRoutes,
  ...projectRoutes(() => routes),
  ...storageRoutes,
  ...alertExplanationRoutes,
  ...dependencyRoutes,
  ...groupHealthRoutes,
  ...silentCheckRoutes,
  ...checkGroupRoutes,
  ...checkStatusRoutes,
  ...checkSessionRoutes,
  ...testSessionRoutes,
  ...triggerRoutes,
  ...calledTriggerRoutes,
  ...checkTryRoutes,
  ...checkResultRoutes,
  ...resultPageRoutes,
  ...resultCauseRoutes,
  ...resultFileRoutes,
  ...traceViewerRoutes,
  ...missedRunRoutes,
  ...snippetRoutes,
  ...variableRoutes,
  ...clientCertificateRoutes,
  ...locationRoutes,
  ...staticAddressRoutes,
  ...privateLocationRoutes,
  ...errorEventRoutes,
  ...runtimeRoutes,
  ...alertChannelRoutes,
  channelTestRoute,
  ...dashboardResourceRoutes,
  ...dashboardIncidentRoutes,
  ...statusPageRoutes,
  ...publicationRoutes,
  ...statusPageServiceRoutes,
  ...statusPageSubscriptionRoutes,
  ...incidentRoutes,
  ...statusPageV3Routes,
  ...statusPageComponentRoutes,
  ...automationRuleRoutes,
  ...incidentV3Routes,
  ...incidentUpdateV3Routes,
  ...subscriberRoutes,
  ...domainVerificationRoutes,
  ...maintenanceWindowRoutes,
  ...checkAlertRoutes,
  ...alertResponseRoutes,
  ...alertNotificationRoutes,
  ...badgeRoutes,
  ...errorGroupRoutes,
  ...testErrorGroupRoutes,
  ...rootCauseAnalysisRoutes,
  ...analyticsRoutes,
  ...reportingRoutes,
  ...usageRoutes,
  secretScanRoute,
  ...alertPageRoutes,
  ...slackActionRoutes,
  ...assetRoutes,
  ...frontRoutes,
  ...docsRoutes(() => routes),
  ...publicPageRoutes,
  ...statusPageDataRoutes,
  ...statusPageFormRoutes,
  ...boardRoutes,
  ...prometheusRoutes,
  ...auditLogRoutes,
  ...codeRoutes(() => resources),
]

export const routes: Route<WholeApp>[] = [...resources, ...documentRoutes(resources)]

/** Opened by a session, or leading to one. */
const pages: Route<WholeApp>[] = [...signInRoutes, ...auditRoutes, ...profileRoutes, ...sessionRoutes]

/** All that is served: the API, and what people open in browsers. */
export const servedRoutes: Route<WholeApp>[] = [...routes, ...pages, ...dashboardRoutes(routes)]

/** What clients of MQTT may hear. */
export const servedFeeds: Feed<WholeApp>[] = [testResultFeed]
