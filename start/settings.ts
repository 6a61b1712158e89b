import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { agentVariables } from '../agent/program/agent-variables.ts'
import { controlPlaneVariables } from '../control-plane/read-config.ts'
import { type Listening, listeningError } from '../protocol/listening-error.ts'
import { namesOfVariables } from '../protocol/misspelt-variables.ts'
import { StartError } from './show.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The port, or a free one for 0. Refuses a port that somebody else listens on. */
export async function claimPort({ port: wanted, host, ...settings }: Listening): Promise<number> {
  const server = createServer()
  // Not only `localhost`: another program on all addresses would answer in our place.
  const listening = once(server, 'listening')
  server.listen({ port: wanted, host, exclusive: true })
  await listening.catch((error: NodeJS.ErrnoException) => {
    const variable = settings.portSetting
    if (error.code === 'EADDRINUSE')
      throw new StartError(
        `port ${wanted} is in use: stop what listens there, or choose another with ${variable} (${variable}=${randomInt(20_000, 30_000)} npm start).`,
      )
    throw new StartError(listeningError(error, { port: wanted, host, ...settings }))
  })
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : wanted
}

const agentNames = new Set(namesOfVariables(agentVariables))
const controlPlaneNames = new Set(
  namesOfVariables(controlPlaneVariables).filter((name) => !agentNames.has(name)),
)
/** Of which libraries of the control plane read more than its own list names. */
const controlPlaneFamilies = /^(AWS|OTEL)_/

/** The agent's environment: the caller's without the control plane's settings and secrets, and `own`. */
export function agentEnvironment(env: Environment, own: Environment): Environment {
  const inherited = Object.entries(env).filter(
    ([name]) => !controlPlaneNames.has(name) && !controlPlaneFamilies.test(name) && name !== 'API_KEY_FILE',
  )
  return { AGENT_HEALTH_HOST: '127.0.0.1', ...Object.fromEntries(inherited), ...own }
}
