/** The list of answers to what slices ask of those above them a line each. */
import { unsubscribeUrl } from './communication/status-page-subscriptions/subscription-link.ts'
import { alertAnalysis } from './insight/root-cause-analyses/alert-analysis.ts'
import { variablesOfGroup } from './monitoring/definitions/check-groups/variables-of-group.ts'
import { usersOf } from './monitoring/definitions/checks/references-to.ts'
import { snippetProblem } from './monitoring/definitions/checks/script-problem.ts'
import { tagsOfChecks } from './monitoring/definitions/checks/tags-of-checks.ts'
import { storedResultIds } from './monitoring/results/stored/find-results.ts'
import { isOwnHost, prefixOfHost } from './pages/status/domains.ts'
import type { WholeApp } from './whole-app.ts'

export const lookups: WholeApp['lookups'] = {
  usersOf,
  snippetProblem,
  tagsOfChecks,
  variablesOfGroup,
  storedResultIds,
  analysisOf: alertAnalysis,
  unsubscribeUrl,
  isOwnHost,
  prefixOfHost,
}
