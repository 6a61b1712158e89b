/**
 * `App` is what every handler, loop and query function is given: the doors to the world, and nothing of any slice. It is
 * composed once by `create-app.ts`. What a slice keeps in memory for itself it keeps with `perApp`.
 */
import type { Logger } from 'pino'
import type { Clock } from '../../../protocol/clock.ts'
import type { SteadyClock } from '../doors/clock/steady-clock.ts'
import type { Wakeups } from '../doors/clock/wakeups.ts'
import type { Mail } from '../doors/mail/mail.ts'
import type { CertificateReader } from '../doors/outgoing/certificate-reader.ts'
import type { DomainRecords } from '../doors/outgoing/domain-records.ts'
import type { Outgoing } from '../doors/outgoing/outgoing.ts'
import type { Cipher } from '../doors/secrets/cipher.ts'
import type { Config } from '../settings/config.ts'
import type { Artifacts } from '../store/artifact-store/store.ts'
import type { Database } from '../store/database/db.ts'
import type { AuditScope } from '../web/audit/audit-scope.ts'
import type { Consequences } from './consequences.ts'
import type { FinishedRuns } from './finished-runs.ts'
import type { Lookups } from './lookups.ts'
import type { Metrics } from './metrics.ts'
import type { RunExport } from './run-export.ts'

export type App = {
  config: Config
  db: Database
  clock: Clock
  /** What `clock.now` is read off in a running program, for those who steer it. */
  steadyClock: SteadyClock
  log: Logger
  /** A UUID that grows with time (uuid.ts) and cannot be guessed. */
  newId(): string
  randomBytes(size: number): Buffer
  cipher: Cipher
  /** What follows from an event of one slice in others. */
  consequences: Consequences
  /** What a slice asks of those above it. */
  lookups: Lookups<App>
  /** Wakes who waits for a name in this process: agents for jobs, callers for the end of a session. */
  wakeups: Wakeups
  /** Tells of results after their commit. */
  finishedRuns: FinishedRuns
  /** Whose request is being served, for the audit log. */
  audit: AuditScope
  /** Requests to addresses that users and operators name. */
  outgoing: Outgoing
  /** Reads the certificates of domains that users name. */
  certificates: CertificateReader
  /** What the DNS says about domains that users name. */
  domainRecords: DomainRecords
  /** Mails to addresses that users name, through the operator's server. */
  mail: Mail
  /** The files of results. */
  artifacts: Artifacts
  /** Final results on their way to the operator's telemetry backend, where there is one. */
  runExport: RunExport
  /** What `/metrics` shows. */
  metrics: Metrics
}
