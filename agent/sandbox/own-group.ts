import type { ControlGroup } from '../isolation/control-groups.ts'
import type { Profile } from '../isolation/profiles.ts'
import type { SandboxOptions } from './sandbox-options.ts'

type Wanted = { isolated: boolean; profile: Profile; memoryMb: number }

/** Of one run's processes; null: there is none, and the agent measures what they use. */
export const openOwnGroup = async (
  { isolated, ...child }: Wanted,
  { isolation, log }: Pick<SandboxOptions, 'isolation' | 'log'>,
): Promise<ControlGroup | null> => {
  try {
    return isolated ? await isolation.openGroup(child) : null
  } catch (error) {
    // The run goes on, with its memory measured, and its result says so.
    log.debug(`a run has no control group of its own: ${(error as Error).message}`)
    return null
  }
}
