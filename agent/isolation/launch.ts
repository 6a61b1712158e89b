import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { Kernel } from './kernel.ts'
import { landlockRules, type PathRule } from './landlock.ts'
import { type LaunchPlan, type Owner, planVariable } from './launch-plan.ts'
import { limitsOf, type Profile } from './profiles.ts'
import { seccompFilter } from './seccomp.ts'
import { rulesOf } from './seccomp-rules.ts'

export type Launch = {
  /** What kind of program it is, and so how much it may use. */
  profile: Profile
  /** Its program has to hold the launcher's files (`launcherFiles`). */
  folder: string
  /** The folder that it may write into. */
  writable: string
  /** The file system that stands there (`Volume.lend`); it is closed. Null: a folder as any other. */
  volume?: number | null
  /** The folder of its control group; null: it stays in the agent's. */
  group?: string | null
  /** Files and folders beside its own and those of the system, and what it may do with each. */
  readable: readonly PathRule[]
  /** The only TCP port that it may connect to; null: none. */
  egressProxyPort: number | null
  owner: Owner | null
  /** From its folder on, whose name they do not say: command lines are for everybody to read. */
  args: readonly string[]
  env: Record<string, string>
}

export type LaunchTools = {
  execPath: string
  self: number
  kernel: Pick<Kernel, 'architecture' | 'koffi' | 'landlockVersion'>
  systemFiles: readonly PathRule[]
  /** Whether the kernel takes a filter of system calls. */
  filters: boolean
}

/** The file of the launcher in a child's folder. */
const launcher = 'enter-isolation.mjs'

const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] satisfies StdioOptions

/**
 * Starts a child in isolation, as the leader of a process group of its own. Where one of them cannot be built the child
 * says so on descriptor 3 (`LaunchFailure`) and runs nothing.
 */
export const launch = (child: Launch, tools: LaunchTools): ChildProcess => {
  const { folder, volume = null, env } = child
  try {
    return spawn(tools.execPath, ['--no-warnings', launcher], {
      cwd: folder,
      // Everybody can read the command line of a process, but only its user the environment.
      env: { ...environment(child), ...env, [planVariable]: JSON.stringify(planOf(child, tools)) },
      detached: true,
      stdio: volume === null ? stdio : [...stdio, volume],
    })
  } finally {
    if (volume !== null) closeSync(volume)
  }
}

/** The configuration of OpenSSL is not among the files that a child may read, and without it Node does not start. */
const environment = ({ writable }: Launch): Record<string, string> => ({
  TZ: 'UTC',
  HOME: writable,
  TMPDIR: writable,
  OPENSSL_CONF: '/dev/null',
})

const planOf = (
  { profile, folder, writable, volume = null, group = null, readable, egressProxyPort, owner, args }: Launch,
  { execPath, self, kernel, systemFiles, filters }: LaunchTools,
): LaunchPlan => {
  const own = [
    { path: folder, file: false, may: 'read' },
    { path: writable, file: false, may: 'write' },
  ] as const
  const rules = landlockRules(
    { paths: [...systemFiles, ...own, ...readable], port: egressProxyPort },
    kernel.landlockVersion,
  )
  return {
    koffi: kernel.koffi,
    architecture: kernel.architecture,
    parentPid: self,
    group,
    limits: limitsOf(profile, owner !== null),
    owner,
    volume: volume === null ? null : writable,
    landlock: rules && {
      ruleset: rules.ruleset.toString('base64'),
      paths: rules.paths,
      port: rules.port?.toString('base64') ?? null,
    },
    filter: filters
      ? seccompFilter(
          rulesOf({ chromiumSandbox: profile === 'browser-sandbox' }),
          kernel.architecture,
        ).toString('base64')
      : null,
    program: execPath,
    args,
  }
}
