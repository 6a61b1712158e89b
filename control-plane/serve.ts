/**
 * A control plane from its configuration on: store → keys → loops → serving, and back down again. Whoever starts it owns the
 * process, the log and the socket.
 *
 * Going down: readiness turns 503 and long polls end, then no connections are accepted, loops end their tick, answers in
 * progress are finished, what is left to export goes out, the store is closed.
 */
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { endNotificationClaims } from './alerting/notifications/outbox-queries.ts'
import { bootstrap, refuseLostStore } from './bootstrap.ts'
import { createApp } from './create-app.ts'
import { endAnalysisClaims } from './insight/root-cause-analyses/queries.ts'
import { metricGroups } from './metrics.ts'
import { watchQueues } from './monitoring/locations/queue-metrics.ts'
import { noRunExport, type RunExport } from './monitoring/outcomes/run-export.ts'
import { makePeriods } from './monitoring/results/stored/make-periods.ts'
import { announceFirstResult } from './monitoring/runs/announce-first-result.ts'
import { recover } from './monitoring/runs/recover.ts'
import { createMetrics } from './platform/app/metrics.ts'
import { openStore } from './platform/app/open-store.ts'
import { collectProcessMetrics, processMetrics } from './platform/app/process-metrics.ts'
import { watchStoreFiles } from './platform/app/store-file-metrics.ts'
import { watchStatements } from './platform/app/watch-statements.ts'
import { watchLoops } from './platform/services/clock/loop-watch.ts'
import { measureStalls } from './platform/services/clock/measure-stalls.ts'
import { type Loop, runLoops } from './platform/services/clock/run-loops.ts'
import type { SteadyClock } from './platform/services/clock/steady-clock.ts'
import { createCipher } from './platform/services/secrets/cipher.ts'
import { ownEncryptionKeys } from './platform/services/secrets/generated-secrets.ts'
import { controlPlaneVersion } from './platform/settings/config.ts'
import { durabilityWarnings, readDurability } from './platform/store/database/durability.ts'
import { migrate } from './platform/store/database/migrate.ts'
import type { Listener } from './platform/web/http/server/listener.ts'
import { createHttpServer } from './platform/web/http/server/server.ts'
import { createMqttDoor } from './platform/web/mqtt/mqtt-door.ts'
import type { WholeConfig } from './read-config.ts'
import { requireArtifacts } from './require-artifacts.ts'
import { requireKeys } from './require-keys.ts'
import { servedFeeds, servedRoutes } from './routes.ts'
import type { WholeApp } from './whole-app.ts'

/** Answers in progress get this long; long polls end at once, so that hardly anything needs it. */
const drainGraceMs = 10_000

/** What is left to export may take so long; its receiver may be away. */
const exportGraceMs = 5000

/** The SDK of OpenTelemetry takes time and memory: only those who export pay for it. */
const runExportOf = async (
  { otlp: settings, proxies, baseUrl }: WholeConfig,
  { monotonic, ...parts }: Pick<WholeApp, 'log' | 'metrics'> & Pick<Parts, 'monotonic'>,
): Promise<RunExport> => {
  if (settings === null) return noRunExport
  const { createRunExport } = await import('./insight/otlp/create-run-export.ts')
  return createRunExport({ ...parts, settings, proxies, baseUrl, monotonic })
}

/** `monotonic`: milliseconds that nobody can set; a clock only where it is not the machine's. */
type Parts = { config: WholeConfig; log: Logger; monotonic(): number; steadyClock?: SteadyClock }

/** Migrated, with its keys, and ready to be served. */
export const openApp = async ({ config, log, monotonic, ...clock }: Parts): Promise<WholeApp> => {
  const keys = config.encryptionKeys ?? ownEncryptionKeys(config.dataDir, randomBytes)
  const metrics = createMetrics(metricGroups)
  const watch = watchStatements({ metrics, log, monotonic })
  sayProxies(config, log)
  refuseLostStore(config)
  const { db, attendance, readReplica } = openStore({ config, log, metrics, watch, monotonic })
  const runExport = await runExportOf(config, { log, metrics, monotonic })
  const cipher = createCipher(keys, randomBytes)
  const app = createApp({ config, db, readReplica, log, metrics, runExport, cipher, ...clock })
  for (const id of await migrate(db, app.clock.now())) log.info({ migration: id }, 'Migrated the store')
  const durability = await readDurability(db)
  for (const sentence of durability ? durabilityWarnings(config.databaseUrl, durability) : [])
    log.warn(sentence)
  await makePeriods(db, { now: app.clock.now() })
  if (attendance.isAlone()) await endClaims(app)
  attendance.stay()
  await requireKeys(app)
  await requireArtifacts(app)
  const { accountId, notes, signInLink } = await bootstrap(app)
  for (const note of notes) log.warn(note)
  if (signInLink !== null) log.info(`Open ${signInLink} to sign in (good once, for 24 hours)`)
  const downMs = await recover(app)
  if (downMs > 0) log.info({ downSeconds: Math.round(downMs / 1000) }, 'No control plane was running')
  log.info({ accountId, dataDir: config.dataDir }, 'The store is open; keys are in bootstrap.json there')
  return app
}

/** What a control plane that is gone had taken up need not wait until its claims end by themselves. */
const endClaims = async ({ db, clock }: Pick<WholeApp, 'db' | 'clock'>): Promise<void> => {
  const now = clock.now()
  await db.run(endNotificationClaims, { now })
  await db.run(endAnalysisClaims, { now })
}

const sayProxies = ({ proxies: { http, https, none } }: WholeConfig, log: Logger): void => {
  if (http === null && https === null) return
  const named = (uri: string | null): string => (uri === null ? 'none' : new URL(uri).host)
  log.info(
    { http: named(http), https: named(https), except: none ?? 'none' },
    'Own requests leave by a proxy (HTTP_PROXY, HTTPS_PROXY, NO_PROXY)',
  )
}

/** What `/metrics` shows beside what slices count as they work. */
const showOwnMetrics = (app: WholeApp, nodeVersion: string): void => {
  const { config } = app
  const revision = config.buildRevision === null ? {} : { revision: config.buildRevision }
  processMetrics.buildInfo(app).set({ version: controlPlaneVersion, ...revision, node: nodeVersion }, 1)
  collectProcessMetrics(app.metrics)
  watchQueues(app)
  watchStoreFiles(app)
  watchLoops(app)
}

type Serving = { stop(): Promise<void> }

/** Loops and answers, until it is stopped. */
export const serve = (
  app: WholeApp,
  {
    listener,
    loops,
    nodeVersion,
  }: { listener: Listener; loops: readonly Loop<WholeApp>[]; nodeVersion: string },
): Serving => {
  showOwnMetrics(app, nodeVersion)
  const stopping = new AbortController()
  const looping = Promise.all([
    runLoops(app, loops, stopping.signal),
    announceFirstResult(app, stopping.signal),
    measureStalls(app, stopping.signal),
  ])
  const server = createHttpServer(app, servedRoutes)
  const messages = createMqttDoor(app, servedFeeds)
  listener.serve(server.handler, messages)
  app.log.info(
    { host: app.config.host, port: listener.port },
    `The API listens: ${app.config.baseUrl} (${app.config.baseUrl}/openapi.json describes it)`,
  )
  return {
    stop: async () => {
      server.drain()
      messages.drain()
      stopping.abort()
      await listener.close(AbortSignal.timeout(drainGraceMs))
      await looping
      await app.runExport.close(app.clock.sleep(exportGraceMs))
      await app.db.close()
    },
  }
}
