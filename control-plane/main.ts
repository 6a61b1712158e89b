/**
 * The control plane's program: configuration → log → socket → a control plane (serve.ts), and back down again on SIGTERM or
 * SIGINT. The only file that reads `process`. It exits with 0 only when all of it has ended.
 */
import { flushCompileCache } from 'node:module'
import pino from 'pino'
import { listeningError } from '../protocol/listening-error.ts'
import { loops } from './loops.ts'
import { type Config, onPort } from './platform/settings/config.ts'
import { makeDataFolder } from './platform/settings/data-folder.ts'
import { ConfigError } from './platform/settings/reading.ts'
import { UnusableStoreError, unusableStoreError } from './platform/store/database/unusable-store-error.ts'
import { type Listener, openListener } from './platform/web/http/server/listener.ts'
import { controlPlaneVariables, readConfig } from './read-config.ts'
import { openApp, serve } from './serve.ts'

const help = (): string => {
  const width = Math.max(...controlPlaneVariables.map(({ name }) => name.length))
  const lines = controlPlaneVariables.map(
    ({ name, meaning, default: unset, secret }) =>
      `  ${name.padEnd(width)}  ${meaning} (${unset})${secret ? `; ${name}_FILE names a file that holds it` : ''}`,
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
    throw new ConfigError([listeningError(error as NodeJS.ErrnoException, listening)])
  }
}

/** Resolves when the program is asked to stop: by a signal, or because the program that started it is gone. */
const stopAsked = (): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal))
    process.once('disconnect', () => resolve('the parent process is gone'))
  })

const run = async (): Promise<void> => {
  const given = readConfig(process.env)
  // The store and the keys are nobody else's to read.
  process.umask(0o077)
  makeDataFolder(given.dataDir)
  const stopped = stopAsked()
  const listener = await listen(given)
  const config = onPort(given, listener.port)
  const log = createLog(config.logLevel)
  for (const warning of config.warnings) log.warn(warning)
  // The exporters of OpenTelemetry read them themselves, and they may stand in files.
  Object.assign(process.env, config.otlp?.headers)
  const starting = openApp({ config, log, monotonic: () => performance.now() }).catch((error: unknown) => {
    throw unusableStoreError(error, config.databaseUrl) ?? error
  })
  const app = await Promise.race([starting, stopped])
  // Whatever the start was doing is made to be cut off: migrations and keys are transactions.
  if (typeof app === 'string') return
  const serving = serve(app, { listener, loops, nodeVersion: process.version })

  // Where a folder for it is named (NODE_COMPILE_CACHE): written now, because a killed program writes nothing.
  flushCompileCache()

  const reason = await stopped
  app.log.info({ reason }, 'Stopping')
  await serving.stop()
  app.log.info('Stopped')
}

if (process.argv.includes('--help')) process.stdout.write(help())
else
  await run().then(
    () => process.exit(0),
    (error: unknown) => {
      const expected = error instanceof ConfigError || error instanceof UnusableStoreError
      process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : error}\n`)
      process.exit(1)
    },
  )
