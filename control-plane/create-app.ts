/** The composition root: makes the `WholeApp` of a running program (main.ts), and of tests with a fake clock and ids. */
import { randomBytes, randomUUID } from 'node:crypto'
import { type Clock, longestDelayMs, sleepWith } from '../protocol/clock.ts'
import { consequences } from './consequences.ts'
import { lookups } from './lookups.ts'
import { metricGroups } from './metrics.ts'
import { createFinishedRuns } from './monitoring/outcomes/finished-runs.ts'
import { noRunExport } from './monitoring/outcomes/run-export.ts'
import { catalogs } from './pages/dashboard/translations/catalogs.ts'
import { createMetrics } from './platform/app/metrics.ts'
import { createSteadyClock, type SteadyClock } from './platform/services/clock/steady-clock.ts'
import { createWakeups } from './platform/services/clock/wakeups.ts'
import { createMail } from './platform/services/mail/mail.ts'
import { mailCatalogs } from './platform/services/mail/mail-catalogs.ts'
import { createCertificateReader } from './platform/services/outgoing/certificate-reader.ts'
import { createDomainRecords } from './platform/services/outgoing/domain-records.ts'
import { createOutgoing } from './platform/services/outgoing/outgoing.ts'
import { createOutgoingNetworks } from './platform/services/outgoing/outgoing-networks.ts'
import { openBucket } from './platform/store/artifact-store/bucket.ts'
import { createBucketStore } from './platform/store/artifact-store/bucket-store.ts'
import { createFolderStore } from './platform/store/artifact-store/folder-store.ts'
import type { ArtifactStore } from './platform/store/artifact-store/store.ts'
import { createUploadMutex } from './platform/store/artifact-store/upload-mutex.ts'
import { auditedDatabase, createAuditScope } from './platform/web/audit/audit-scope.ts'
import { createLocales } from './platform/web/html/locales.ts'
import { uuidV7 } from './platform/words/uuid.ts'
import type { WholeConfig } from './read-config.ts'
import type { WholeApp } from './whole-app.ts'

const realClock = ({ now }: SteadyClock): Clock => {
  const at = (delayMs: number, act: () => void): (() => void) => {
    const timer = setTimeout(act, Math.min(longestDelayMs, Math.max(0, delayMs)))
    return () => clearTimeout(timer)
  }
  return { now, monotonic: () => performance.now(), sleep: sleepWith(at) }
}

const realSteadyClock = (): SteadyClock =>
  createSteadyClock({ wall: () => Date.now(), monotonic: () => performance.now() })

const openArtifactStore = (
  { artifactsDir, artifactsBucket, proxies }: WholeConfig,
  sleep: Clock['sleep'],
): ArtifactStore =>
  artifactsBucket === null
    ? createFolderStore(artifactsDir)
    : createBucketStore(openBucket(artifactsBucket, proxies), sleep)

type AppParts = Pick<WholeApp, 'config' | 'db' | 'log' | 'cipher'> & Partial<WholeApp>

/** The app of a running program; tests give their own clock, ids and randomness. */
export const createApp = (given: AppParts): WholeApp => {
  const steadyClock = given.steadyClock ?? realSteadyClock()
  const audit = createAuditScope()
  const { egressAllowedNetworks, proxies } = given.config
  const ways = { networks: createOutgoingNetworks(egressAllowedNetworks), proxies }
  const newId = given.newId ?? (() => uuidV7(steadyClock.now(), randomUUID()))
  return {
    steadyClock,
    clock: realClock(steadyClock),
    newId,
    randomBytes: (size) => randomBytes(size),
    consequences,
    lookups,
    wakeups: createWakeups(),
    finishedRuns: createFinishedRuns(given.log),
    outgoing: createOutgoing(ways),
    certificates: createCertificateReader(ways),
    domainRecords: createDomainRecords(),
    mail: createMail({ settings: given.config.mail }),
    artifacts: {
      store: openArtifactStore(given.config, realClock(steadyClock).sleep),
      uploads: createUploadMutex(),
    },
    runExport: noRunExport,
    metrics: createMetrics(metricGroups),
    readReplica: null,
    audit,
    locales: createLocales(catalogs, mailCatalogs),
    ...given,
    db: auditedDatabase(given.db, audit),
  }
}
