/** The agent's program: reads the environment, starts the agent, and stops it on SIGTERM or SIGINT. */
import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { hostname, tmpdir } from 'node:os'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { type Logger, pino } from 'pino'
import { agentVersion } from './base/version.ts'
import { agentVariables } from './program/agent-variables.ts'
import { ConfigError, readConfig } from './program/config.ts'
import { createDispatcher } from './program/dispatcher.ts'
import { watchHeapGrowth } from './program/heap-growth.ts'
import { createBusyMeter, createCollectionCounter, realClock, realIo } from './program/real-io.ts'
import { isSmallProcess } from './program/small-process.ts'
import { startAgent } from './program/start.ts'
import { removeLeftovers } from './sandbox/remove-leftovers.ts'

const help = (): string => {
  const width = Math.max(...agentVariables.map(({ name }) => name.length))
  const rows = agentVariables.map(
    ({ name, default: fallback, meaning, secret }) =>
      `  ${name.padEnd(width)}  ${meaning} (${fallback})${secret ? `; ${name}_FILE names a file that holds it` : ''}`,
  )
  return `Watchpost agent ${agentVersion}: runs the checks of a private location.\n\nEnvironment:\n${rows.join('\n')}\n`
}

const isInstalled = (name: string): boolean => {
  try {
    return import.meta.resolve(name) !== ''
  } catch {
    // A development dependency: images do not have it.
    return false
  }
}

const createLog = (level: string): Logger => {
  const pretty = process.stdout.isTTY && isInstalled('pino-pretty')
  const transport = {
    target: 'pino-pretty',
    options: { ignore: 'pid,hostname,name', translateTime: 'HH:MM:ss' },
  }
  // Written at once: with lines still on their way to a reader that is gone, pino would never let us exit.
  return pretty
    ? pino({ level, name: 'agent', transport })
    : pino({ level, name: 'agent' }, pino.destination({ dest: 1, sync: true }))
}

/** Signal 0 asks only; EPERM is an answer of somebody who lives (kill(2)). */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const main = async (): Promise<void> => {
  const config = readConfig(process.env, (path) => readFileSync(path, 'utf8'))
  const log = createLog(config.logLevel)
  const platform = `${process.platform}-${process.arch}`
  if (isSmallProcess(process.execArgv))
    watchHeapGrowth({
      clock: realClock(),
      busy: createBusyMeter(),
      collections: createCollectionCounter(),
      heapBytes: () => getHeapStatistics().used_heap_size,
      setFlag: setFlagsFromString,
    })
  log.info(`agent ${agentVersion} starts: control plane ${config.controlPlaneUrl}, spool ${config.spoolDir}`)
  const { health, stop } = await startAgent({
    config,
    io: realIo({
      log,
      ...config,
      host: { execPath: process.execPath, kill: process.kill },
      nodeVersion: process.versions.node,
    }),
    dispatcher: createDispatcher(config),
    platform,
    runtime: `node ${process.version}`,
    nodeVersion: process.version,
    self: { host: hostname(), pid: process.pid, isAlive },
  })
  removeLeftovers(tmpdir(), { now: Date.now(), log }).catch((error: unknown) =>
    log.warn({ err: error }, 'Folders of earlier scripts could not be looked for'),
  )
  const address = health.address()
  if (typeof address === 'object') log.info(`probes and metrics on port ${address?.port}`)
  // Where a folder for it is named (NODE_COMPILE_CACHE): written now, because a killed program writes nothing.
  flushCompileCache()
  let stopping = false
  const onSignal = async (signal: string): Promise<void> => {
    if (stopping) process.exit(130)
    stopping = true
    log.info(`${signal}: stopping; a second one stops at once`)
    await stop()
    process.exit(0)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  // The program that started us over an IPC channel is gone: without it nobody would stop us.
  process.once('disconnect', () => onSignal('the parent process is gone'))
}

// Name lookups of the system hold a thread each, and half of the threads at most: names that time out need more than the
// default of four. It must be set before the first of them starts.
process.env['UV_THREADPOOL_SIZE'] ??= '64'

if (process.argv.includes('--help')) {
  process.stdout.write(help())
} else {
  try {
    await main()
  } catch (error) {
    process.stderr.write(
      `${error instanceof ConfigError ? error.message : `the agent cannot start: ${error}`}\n`,
    )
    process.exit(1)
  }
}
