/**
 * The control plane's program: configuration → log → socket → store → keys → loops → serving, and back down again on
 * SIGTERM or SIGINT. The only file that reads `process`.
 *
 * Going down: readiness turns 503 and long polls end, then no connections are accepted, loops end their tick, answers in
 * progress are finished, what is left to export goes out, the store is closed. It exits with 0 only then.
 */
import { randomBytes } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import pino from 'pino'
import { listeningProblem } from '../protocol/listening-problem.ts'
import { bootstrap } from './bootstrap.ts'
import { createApp } from './create-app.ts'
import { loops } from './loops.ts'
import { watchQueues } from './monitoring/private-locations/queue-metrics.ts'
import { announceFirstResult } from './monitoring/runs/announce-first-result.ts'
import { recover } from './monitoring/runs/recover.ts'
import type { App } from './platform/app.ts'
import { watchLoops } from './platform/clock/loop-watch.ts'
import { measureStalls } from './platform/clock/measure-stalls.ts'
import { runLoops } from './platform/clock/run-loops.ts'
import { type Config, ConfigError, controlPlaneVariables, onPort, readConfig } from './platform/config.ts'
import { makeDataFolder } from './platform/data-folder.ts'
import { clearFreePages } from './platform/database/clear-free-pages.ts'
import { letFileShrink } from './platform/database/let-file-shrink.ts'
import { migrate } from './platform/database/migrate.ts'
import { openDatabase, sqliteFile } from './platform/database/open.ts'
import { StoreProblem, storeProblem } from './platform/database/store-problem.ts'
import { type Listener, openListener } from './platform/http/listener.ts'
import { createHttpServer } from './platform/http/server.ts'
import { collectProcessMetrics, createMetrics } from './platform/metrics.ts'
import { makePeriods } from './platform/results/make-periods.ts'
import { noRunExport, type RunExport } from './platform/run-export.ts'
import { createCipher } from './platform/secrets/cipher.ts'
import { ownEncryptionKeys } from './platform/secrets/generated-secrets.ts'
import { watchStoreFiles } from './platform/store-file-metrics.ts'
import { controlPlaneVersion } from './platform/version.ts'
import { watchStatements } from './platform/watch-statements.ts'
import { requireArtifacts } from './require-artifacts.ts'
import { requireKeys } from './require-keys.ts'
import { servedRoutes } from './routes.ts'

/** Answers in progress get this long; long polls end at once, so that hardly anything needs it. */
const drainGraceMs = 10_000

/** What is left to export may take so long; its receiver may be away. */
const exportGraceMs = 5000

const help = (): string => {
  const width = Math.max(...controlPlaneVariables.map(({ name }) => name.length))
  const lines = controlPlaneVariables.map(
    (variable) => `  ${variable.name.padEnd(width)}  ${variable.meaning} (${variable.default})`,
  )
  return `node control-plane/main.ts — Watchpost's control plane\n\nEnvironment:\n${lines.join('\n')}\n`
}

const createLog = (level: string) => {
  // Written at once: with lines still on their way to a reader that is gone, pino would never let us exit.
  const json = () => pino({ level }, pino.destination({ dest: 1, sync: true }))
  if (!process.stdout.isTTY) return json()
  try {
    return pino({ level, transport: { target: 'pino-pretty' } })
  } catch {
    // pino-pretty is a development package: without it a terminal shows the JSON lines.
    return json()
  }
}

const listen = async (config: Config): Promise<Listener> => {
  try {
    return await openListener(config.port, config.host)
  } catch (error) {
    const listening = { hostSetting: 'HOST', portSetting: 'PORT', ...config }
    throw new ConfigError([listeningProblem(error as NodeJS.ErrnoException, listening)])
  }
}

/** Resolves when the program is asked to stop: by a signal, or because the program that started it is gone. */
const stopAsked = (): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal))
    process.once('disconnect', () => resolve('the parent process is gone'))
  })

/** The SDK of OpenTelemetry takes time and memory: only those who export pay for it. */
const runExportOf = async (
  { otlp: settings, baseUrl }: Config,
  parts: Pick<App, 'log' | 'metrics'>,
): Promise<RunExport> => {
  if (settings === null) return noRunExport
  const { createRunExport } = await import('./insight/otlp/create-run-export.ts')
  return createRunExport({ ...parts, settings, baseUrl, monotonic: () => performance.now() })
}

const start = async (given: Config, listener: Listener): Promise<App> => {
  const config = onPort(given, listener.port)
  const log = createLog(config.logLevel)
  const keys = config.encryptionKeys ?? ownEncryptionKeys(config.dataDir, randomBytes)
  const metrics = createMetrics()
  const watch = watchStatements({ metrics, log, monotonic: () => performance.now() })
  const db = openDatabase(config.databaseUrl, watch)
  const runExport = await runExportOf(config, { log, metrics })
  const app = createApp({ config, db, log, metrics, runExport, cipher: createCipher(keys, randomBytes) })
  for (const id of await migrate(db, app.clock.now())) log.info({ migration: id }, 'Migrated the store')
  await makePeriods(db, { now: app.clock.now() })
  await requireKeys(app)
  await requireArtifacts(app)
  const file = sqliteFile(config.databaseUrl)
  for (const advice of file === null ? [] : [clearFreePages(file), letFileShrink(file)])
    if (advice !== null) log.warn(advice)
  const { accountId, notes, signInLink } = await bootstrap(app)
  for (const note of notes) log.warn(note)
  if (signInLink !== null) log.info(`Open ${signInLink} to sign in (good once, for 24 hours)`)
  const downMs = await recover(app)
  if (downMs > 0) log.info({ downSeconds: Math.round(downMs / 1000) }, 'No control plane was running')
  log.info({ accountId, dataDir: config.dataDir }, 'The store is open; keys are in bootstrap.json there')
  return app
}

/** What `/metrics` shows beside what slices count as they work. */
const showOwnMetrics = (app: App): void => {
  const { metrics, config } = app
  const revision = config.buildRevision === null ? {} : { revision: config.buildRevision }
  metrics.buildInfo.set({ version: controlPlaneVersion, ...revision, node: process.version }, 1)
  collectProcessMetrics(metrics)
  watchQueues(app)
  watchStoreFiles(app)
  watchLoops(app)
}

const run = async (): Promise<void> => {
  const config = readConfig(process.env)
  // The store and the keys are nobody else's to read.
  process.umask(0o077)
  makeDataFolder(config.dataDir)
  const stopped = stopAsked()
  const listener = await listen(config)
  const starting = start(config, listener).catch((error: unknown) => {
    throw storeProblem(error, config.databaseUrl) ?? error
  })
  const app = await Promise.race([starting, stopped])
  // Whatever the start was doing is made to be cut off: migrations and keys are transactions.
  if (typeof app === 'string') return
  showOwnMetrics(app)
  const stopping = new AbortController()
  const looping = Promise.all([
    runLoops(app, loops, stopping.signal),
    announceFirstResult(app, stopping.signal),
    measureStalls(app, stopping.signal),
  ])
  const server = createHttpServer(app, servedRoutes)
  listener.serve(server.handler)
  app.log.info(
    { host: config.host, port: listener.port },
    `The API listens: ${app.config.baseUrl} (${app.config.baseUrl}/openapi.json describes it)`,
  )

  // Where a folder for it is named (NODE_COMPILE_CACHE): written now, because a killed program writes nothing.
  flushCompileCache()

  const reason = await stopped
  app.log.info({ reason }, 'Stopping')
  server.drain()
  stopping.abort()
  await listener.close(AbortSignal.timeout(drainGraceMs))
  await looping
  await app.runExport.close(app.clock.sleep(exportGraceMs))
  await app.db.close()
  app.log.info('Stopped')
}

if (process.argv.includes('--help')) process.stdout.write(help())
else
  await run().then(
    () => process.exit(0),
    (error: unknown) => {
      const expected = error instanceof ConfigError || error instanceof StoreProblem
      process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : error}\n`)
      process.exit(1)
    },
  )
