/** The contract's rules, section by section: what covered.test.ts and the tests of each section are held against. */
import type { Sections } from './rule.ts'
import { alertChannel } from './sections/alert-channel.ts'
import { analytics } from './sections/analytics.ts'
import { authenticationAndErrors } from './sections/authentication-and-errors.ts'
import { browserCheck } from './sections/browser-check.ts'
import { checkFields } from './sections/check-fields.ts'
import { checkGroup } from './sections/check-group.ts'
import { checkResult } from './sections/check-result.ts'
import { checkSession } from './sections/check-session.ts'
import { clientCertificate } from './sections/client-certificate.ts'
import { endpoints } from './sections/endpoints.ts'
import { events } from './sections/events.ts'
import { heartbeatCheck } from './sections/heartbeat-check.ts'
import { limits } from './sections/limits.ts'
import { maintenanceWindow } from './sections/maintenance-window.ts'
import { members } from './sections/members.ts'
import { privateLocationAgent } from './sections/private-location-agent.ts'
import { rootCauseAnalysis } from './sections/root-cause-analysis.ts'
import { service } from './sections/service.ts'
import { sharedObjects } from './sections/shared-objects.ts'
import { sharedValues } from './sections/shared-values.ts'
import { snippetAndLocation } from './sections/snippet-and-location.ts'
import { statusPage } from './sections/status-page.ts'
import { urlMonitor } from './sections/url-monitor.ts'

export const sections: Sections = {
  ...alertChannel,
  ...analytics,
  ...authenticationAndErrors,
  ...browserCheck,
  ...checkFields,
  ...checkGroup,
  ...checkResult,
  ...checkSession,
  ...clientCertificate,
  ...endpoints,
  ...heartbeatCheck,
  ...maintenanceWindow,
  ...members,
  ...rootCauseAnalysis,
  ...sharedObjects,
  ...sharedValues,
  ...snippetAndLocation,
  ...statusPage,
  ...urlMonitor,
  ...events,
  ...service,
  ...limits,
  ...privateLocationAgent,
}
