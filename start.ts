/**
 * `npm start`: a control plane and one agent for its private location `local`, in one terminal.
 *
 * The two stay separate programs, started as they are in production: this file only hands them their settings,
 * prints their log lines for people, starts one again when it dies, and stops them in the right order: the agent
 * drains first, because it needs the control plane to take its last results.
 */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as agent from './agent/program/config.ts'
import { smallProcessArguments, smallProcessEnvironment } from './agent/program/small-process.ts'
import { onPort } from './control-plane/platform/settings/config.ts'
import * as controlPlane from './control-plane/read-config.ts'
import { controlPlaneArguments, controlPlaneEnvironment } from './control-plane/small-process.ts'
import { readBoth } from './start/read-both.ts'
import { agentEnvironment, claimPort } from './start/settings.ts'
import { announce, formatLogLine, StartError, say, signInLinkIn, welcome } from './start/show.ts'
import { type Program, type SupervisedProgram, supervise } from './start/supervise.ts'

type Environment = Readonly<Record<string, string | undefined>>
/** `${DATA_DIR}/bootstrap.json`, written by the control plane before it listens. */
type Bootstrap = { accountId: string; apiKey: string; agentKey: string }

/** One Ctrl-C arrives from the terminal and once more from npm: signals this close together are one. */
const sameKeypressMs = 500
const controlPlaneStopTimeoutMs = 15_000

/** Engines name a container's host after the container. */
const container = process.argv.includes('--in-container') ? hostname() : null

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

/** What both programs are started with, decided before either of them is. */
type Plan = {
  env: Environment
  /** The control plane's, with its final port. */
  config: controlPlane.WholeConfig
  healthPort: number
  drainTimeoutMs: number
  bootstrapPath: string
}

const readText = (path: string): string => readFileSync(path, 'utf8')

async function makePlan(env: Environment): Promise<Plan> {
  const placeholder = { CONTROL_PLANE_URL: 'http://localhost', API_KEY: `pl_${'0'.repeat(32)}` }
  const [wanted, agentConfig] = readBoth(
    () => controlPlane.readConfig(env),
    () => agent.readConfig(agentEnvironment(env, placeholder), readText),
  )
  const { port: wantedPort, host } = wanted
  const port = await claimPort({ portSetting: 'PORT', hostSetting: 'HOST', port: wantedPort, host })
  const { healthHost, drainTimeoutMs } = agentConfig
  const healthPort = await claimPort({
    portSetting: 'AGENT_HEALTH_PORT',
    hostSetting: 'AGENT_HEALTH_HOST',
    port: agentConfig.healthPort,
    host: healthHost ?? '127.0.0.1',
  })
  const config = onPort(wanted, port)
  return { env, config, healthPort, drainTimeoutMs, bootstrapPath: join(config.dataDir, 'bootstrap.json') }
}

/** Where the control plane is reached from this machine. */
function localUrlOf({ host, port }: controlPlane.WholeConfig): string {
  const localHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${localHost.includes(':') ? `[${localHost}]` : localHost}:${port}`
}

const controlPlaneProgram = ({ env, config }: Plan): Program => ({
  name: 'control-plane',
  entry: 'control-plane/main.ts',
  nodeArguments: controlPlaneArguments,
  env: () => ({ ...codeCache, ...controlPlaneEnvironment, ...env, PORT: String(config.port) }),
  readinessUrl: `${localUrlOf(config)}/-/readiness`,
  stopTimeoutMs: controlPlaneStopTimeoutMs,
})

const agentProgram = ({ env, config, healthPort, drainTimeoutMs, bootstrapPath }: Plan): Program => ({
  name: 'agent',
  entry: 'agent/main.ts',
  nodeArguments: smallProcessArguments,
  env: () => {
    const { agentKey }: Bootstrap = JSON.parse(readText(bootstrapPath))
    return agentEnvironment(
      { ...codeCache, ...smallProcessEnvironment, ...env },
      {
        CONTROL_PLANE_URL: localUrlOf(config),
        API_KEY: agentKey,
        AGENT_HEALTH_PORT: String(healthPort),
        SPOOL_DIR: env['SPOOL_DIR'] || join(config.dataDir, 'agent-spool'),
      },
    )
  },
  readinessUrl: `http://127.0.0.1:${healthPort}/-/readiness`,
  // Its own limit for draining, and a little for the rest.
  stopTimeoutMs: drainTimeoutMs + 5000,
})

/** The programs that run, in the order of their start. `stoppingSince` is 0 while they are wanted. */
type Terminal = { running: SupervisedProgram[]; stoppingSince: number; signInLink: string | null }

async function launch(terminal: Terminal, program: Program, baseUrl: string): Promise<void> {
  const child = supervise(program, (line) => {
    terminal.signInLink ??= signInLinkIn(line)
    say(formatLogLine(program.name.padEnd(13), line))
    const more = announce(line, baseUrl)
    if (more) say(more)
  })
  terminal.running.push(child)
  await child.ready
}

async function stop({ running }: Terminal): Promise<void> {
  for (const child of running.toReversed()) await child.stop()
}

function onSignal(terminal: Terminal, signal: NodeJS.Signals): void {
  if (terminal.stoppingSince === 0) {
    terminal.stoppingSince = performance.now()
    say(`${signal}: stopping the agent, then the control plane.`)
    stop(terminal).then(() => process.exit(0))
  } else if (performance.now() - terminal.stoppingSince > sameKeypressMs) {
    for (const child of terminal.running) child.kill()
    process.exit(130)
  }
}

async function main(env: Environment): Promise<void> {
  const plan = await makePlan(env)
  const { baseUrl } = plan.config
  const terminal: Terminal = { running: [], stoppingSince: 0, signInLink: null }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => onSignal(terminal, signal))
  try {
    await launch(terminal, controlPlaneProgram(plan), baseUrl)
    if (!terminal.stoppingSince) await launch(terminal, agentProgram(plan), baseUrl)
    const { signInLink } = terminal
    if (!terminal.stoppingSince) say(welcome(baseUrl, plan.bootstrapPath, { container, signInLink }))
  } catch (error) {
    await stop(terminal)
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
