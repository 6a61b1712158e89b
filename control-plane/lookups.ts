/** The list of answers to what slices ask of those above them (platform/app/lookups.ts), a line each. */
import { unsubscribeUrl } from './communication/status-page-subscriptions/subscription-link.ts'
import { analysisFields } from './insight/root-cause-analyses/analysis-fields.ts'
import { variablesOfGroup } from './monitoring/definitions/check-groups/variables-of-group.ts'
import { usersOf } from './monitoring/definitions/checks/references-to.ts'
import { tagsOfChecks } from './monitoring/definitions/checks/tags-of-checks.ts'
import { isOwnHost, prefixOfHost } from './pages/status/domains.ts'
import type { App } from './platform/app/app.ts'
import type { Lookups } from './platform/app/lookups.ts'

export const lookups: Lookups<App> = {
  usersOf,
  tagsOfChecks,
  variablesOfGroup,
  analysisOf: analysisFields,
  unsubscribeUrl,
  isOwnHost,
  prefixOfHost,
}
