/** All that the parts of the control plane ask for in the app that they are given: `create-app.ts` makes it. */

import type { HasAccountConsequences } from './access/accounts/change-account.ts'
import type { HasUsers } from './access/snippets/require-unused.ts'
import type { HasSnippetParser } from './access/snippets/snippet-warnings.ts'
import type { HasAnalyses, HasGroupVariables } from './alerting/templates/asked-of-others.ts'
import type { HasConsequences } from './monitoring/outcomes/consequences.ts'
import type { HasFinishedRuns } from './monitoring/outcomes/finished-runs.ts'
import type { HasRunExport } from './monitoring/outcomes/run-export.ts'
import type { HasTags } from './monitoring/schedule/pauses-of-checks.ts'
import type { HasStoredResults } from './monitoring/schedule/schedule.ts'
import type { App } from './platform/app/app.ts'
import type { HasMetrics } from './platform/app/metrics.ts'
import type { HasReadReplica } from './platform/app/open-store.ts'
import type { HasSteadyClock } from './platform/services/clock/steady-clock.ts'
import type { HasWakeups } from './platform/services/clock/wakeups.ts'
import type { HasMail } from './platform/services/mail/mail.ts'
import type { HasUnsubscribeUrls } from './platform/services/mail/queue-mail.ts'
import type { HasCertificates } from './platform/services/outgoing/certificate-reader.ts'
import type { HasDomainRecords } from './platform/services/outgoing/domain-records.ts'
import type { HasOutgoing } from './platform/services/outgoing/outgoing.ts'
import type { HasCipher, HasRandomBytes } from './platform/services/secrets/cipher.ts'
import type { HasArtifacts } from './platform/store/artifact-store/store.ts'
import type { HasAudit } from './platform/web/audit/audit-scope.ts'
import type { HasLocales } from './platform/web/html/locales.ts'
import type { HasHosts } from './platform/web/http/server/hosted-path.ts'
import type { WholeConfig } from './read-config.ts'

export type WholeApp = App & { config: WholeConfig } & HasSteadyClock &
  HasRandomBytes &
  HasCipher &
  HasConsequences &
  HasAccountConsequences &
  HasUsers &
  HasSnippetParser &
  HasTags &
  HasStoredResults &
  HasGroupVariables &
  HasAnalyses &
  HasUnsubscribeUrls &
  HasHosts &
  HasWakeups &
  HasFinishedRuns &
  HasRunExport &
  HasAudit &
  HasLocales &
  HasOutgoing &
  HasCertificates &
  HasDomainRecords &
  HasMail &
  HasArtifacts &
  HasMetrics &
  HasReadReplica
