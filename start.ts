/**
 * `npm start`: a control plane and one agent for its private location `local`, in one terminal.
 *
 * The two stay separate programs, started as they are in production: this file only hands them their settings,
 * prints their log lines for people, starts one again when it dies, and stops them in the right order: the agent
 * drains first, because it needs the control plane to take its last results.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as agent from './agent/config.ts'
import { smallProcessArguments, smallProcessEnvironment } from './agent/small-process.ts'
import * as controlPlane from './control-plane/platform/config.ts'
import { readBoth } from './start/read-both.ts'
import { agentEnvironment, claimPort } from './start/settings.ts'
import { announce, formatLogLine, say, welcome } from './start/show.ts'
import { StartError } from './start/start-error.ts'
import { type Program, type Running, supervise } from './start/supervise.ts'

type Environment = Readonly<Record<string, string | undefined>>
/** `${DATA_DIR}/bootstrap.json`, written by the control plane before it listens. */
type Bootstrap = { accountId: string; apiKey: string; agentKey: string }

/** One Ctrl-C arrives from the terminal and once more from npm: signals this close together are one. */
const sameKeypressMs = 500
const controlPlaneStopTimeoutMs = 15_000

/** Compiled code of both programs: a start without it takes a second and 25 MB more. */
const codeCache = { NODE_COMPILE_CACHE: fileURLToPath(new URL('.node/compile-cache', import.meta.url)) }

const help = `npm start — a control plane and one agent for the private location "local"

Environment (all optional; the two programs say more with --help):
  PORT               port of the API, 8080
  HOST               address that the API listens on, 127.0.0.1
  DATA_DIR           folder of the database, the generated keys and the agent's spool, ./data
  AGENT_HEALTH_PORT  port of the agent's probes and metrics, 8081
  LOG_LEVEL          info

  node control-plane/main.ts --help
  node agent/main.ts --help
`

async function main(env: Environment): Promise<void> {
  const read = (path: string) => readFileSync(path, 'utf8')
  const placeholder = { CONTROL_PLANE_URL: 'http://localhost', API_KEY: `pl_${'0'.repeat(32)}` }
  const [given, agentGiven] = readBoth(
    () => controlPlane.readConfig(env),
    () => agent.readConfig(agentEnvironment(env, placeholder), read),
  )
  const { port: wanted, host } = given
  const port = await claimPort({ portSetting: 'PORT', hostSetting: 'HOST', port: wanted, host })
  const healthPort = await claimPort({
    portSetting: 'AGENT_HEALTH_PORT',
    hostSetting: 'AGENT_HEALTH_HOST',
    port: agentGiven.healthPort,
    host: agentGiven.healthHost ?? '127.0.0.1',
  })
  const config = controlPlane.onPort(given, port)
  const localHost = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host
  const localUrl = `http://${localHost.includes(':') ? `[${localHost}]` : localHost}:${port}`
  const bootstrapPath = join(config.dataDir, 'bootstrap.json')

  const programs: { controlPlane: Program; agent: Program } = {
    controlPlane: {
      name: 'control-plane',
      entry: 'control-plane/main.ts',
      env: () => ({ ...codeCache, ...env, PORT: String(port) }),
      readinessUrl: `${localUrl}/-/readiness`,
      stopTimeoutMs: controlPlaneStopTimeoutMs,
    },
    agent: {
      name: 'agent',
      entry: 'agent/main.ts',
      nodeArguments: smallProcessArguments,
      env: () => {
        const { agentKey }: Bootstrap = JSON.parse(read(bootstrapPath))
        return agentEnvironment(
          { ...codeCache, ...smallProcessEnvironment, ...env },
          {
            CONTROL_PLANE_URL: localUrl,
            API_KEY: agentKey,
            AGENT_HEALTH_PORT: String(healthPort),
            SPOOL_DIR: env['SPOOL_DIR'] || join(config.dataDir, 'agent-spool'),
          },
        )
      },
      readinessUrl: `http://127.0.0.1:${healthPort}/-/readiness`,
      // Its own limit for draining, and a little for the rest.
      stopTimeoutMs: agentGiven.drainTimeoutMs + 5000,
    },
  }

  const running: Running[] = []
  const launch = async (program: Program) => {
    const child = supervise(program, (line) => {
      say(formatLogLine(program.name.padEnd(13), line))
      const more = announce(line, config.baseUrl)
      if (more) say(more)
    })
    running.push(child)
    await child.ready
  }
  const stop = async () => {
    for (const child of running.toReversed()) await child.stop()
  }

  let stoppingSince = 0
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince === 0) {
      stoppingSince = performance.now()
      say(`${signal}: stopping the agent, then the control plane.`)
      stop().then(() => process.exit(0))
    } else if (performance.now() - stoppingSince > sameKeypressMs) {
      for (const child of running) child.kill()
      process.exit(130)
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)

  try {
    await launch(programs.controlPlane)
    if (!stoppingSince) await launch(programs.agent)
    if (!stoppingSince) say(welcome(config.baseUrl, bootstrapPath))
  } catch (error) {
    await stop()
    throw error
  }
}

// After a hang-up there is no terminal to write to; draining goes on without it.
process.stdout.on('error', () => undefined)
if (process.argv.includes('--help')) say(help)
else
  await main(process.env).catch((error: unknown) => {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
