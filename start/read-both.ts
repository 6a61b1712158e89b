import * as agent from '../agent/program/config.ts'
import { ConfigError } from '../control-plane/platform/settings/reading.ts'
import type * as controlPlane from '../control-plane/read-config.ts'
import { StartError } from './show.ts'

/** The settings of both programs, or one error that lists the problems of both, each once. */
export function readBoth(
  readControlPlane: () => controlPlane.WholeConfig,
  readAgent: () => agent.Config,
): [controlPlane.WholeConfig, agent.Config] {
  const problems = new Set<string>()
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      const refused = error instanceof agent.ConfigError || error instanceof ConfigError
      if (!refused) throw error
      for (const problem of error.problems) problems.add(problem)
      return undefined
    }
  }
  const [given, agentGiven] = [attempt(readControlPlane), attempt(readAgent)]
  if (given && agentGiven) return [given, agentGiven]
  throw new StartError(
    `The configuration has problems:\n${[...problems].map((problem) => `  ${problem}`).join('\n')}`,
  )
}
