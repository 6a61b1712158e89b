import { type ChildProcess, spawn } from 'node:child_process'
import type { TimerClock } from '../../protocol/clock.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { type Leader, lowerPriority } from '../base/low-priority.ts'
import type { ControlGroup } from '../isolation/control-groups.ts'
import type { Profile } from '../isolation/profiles.ts'
import type { Program } from '../isolation/program.ts'
import { readableRule } from '../isolation/system-files.ts'
import type { VolumeSize } from '../isolation/volumes.ts'
import { endGroup } from './end-group.ts'
import { openOwnGroup } from './own-group.ts'
import { type OwnParts, openOwnParts } from './own-parts.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import { filesOfScripts, maxHeapMb, maxMemoryMb } from './task.ts'

/** What must be known of a script before its process starts. */
export type Shape = { modules: string | null; hasProxy: boolean }

/** A process that waits for its task on its standard input, with all that is its own. */
export type ScriptChild = OwnParts & {
  process: ChildProcess
  /** Null: its memory is measured. */
  group: ControlGroup | null
  /** Ends its whole process group. */
  end(): Promise<void>
  /** Takes away what is left of it; the last thing. */
  remove(): Promise<void>
}

/** getrlimit(2): no core files, and an end for a script whose agent was killed: far more CPU time than 10 s can take. */
const limited = 'ulimit -c 0; ulimit -t 60; exec "$0" "$@"'

/** `volume`: the descriptor of its file system, to be closed; `group`: the folder of its control group. */
export type Lent = { volume: number | null; group: string | null }

/** What a child is made of besides what every child has. */
type ChildPlan = {
  program(): Promise<Program>
  modules: string | null
  /** What it may write. */
  files: VolumeSize
  profile: Profile
  /** All its processes together. */
  memoryMb: number
  start(own: OwnParts, isolated: boolean, lent: Lent): ChildProcess
  /** Gives its process group less of a processor than the agent has, at its start. */
  lower(leader: Leader, clock: Pick<TimerClock, 'at'>): void
}

type ChildTools = Pick<SandboxOptions, 'isolation' | 'openEgressProxy' | 'host' | 'clock' | 'log'>

/** One that runs a script around the request of an API check. */
export const startChild = (shape: Shape, options: SandboxOptions): Promise<ScriptChild> =>
  startOwnChild(
    {
      program: options.program,
      modules: shape.modules,
      files: filesOfScripts,
      profile: 'script',
      memoryMb: maxMemoryMb,
      start: (own, isolated, lent) =>
        isolated ? startIsolated({ shape, ...own }, options, lent) : startBare({ shape, ...own }, options),
      lower: lowerPriority,
    },
    options,
  )

/** The leader of a process group of its own, with nothing of our environment and no descriptor of ours. */
export const startOwnChild = async (plan: ChildPlan, tools: ChildTools): Promise<ScriptChild> => {
  const { isolated, remove: removeParts, ...own } = await openOwnParts(plan, tools)
  const group = await openOwnGroup({ isolated, profile: plan.profile, memoryMb: memoryOf(plan) }, tools)
  const remove = async (): Promise<void> => {
    try {
      await group?.close()
    } finally {
      await removeParts()
    }
  }
  try {
    const volume = (await own.folder.volume?.lend()) ?? null
    const child = await started(
      () => plan.start(own, isolated, { volume, group: group?.path ?? null }),
      (leader) => plan.lower(leader, tools.clock),
    )
    let ending: Promise<void> | null = null
    const end = async (): Promise<void> => {
      await endGroup(child, tools)
      await tools.isolation.reap(child.pid as number)
    }
    return {
      process: child,
      group,
      ...own,
      end: () => {
        // Once: its number may belong to another process later.
        ending ??= end()
        return ending
      },
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Files in memory count as such, and have a limit of their own. */
const memoryOf = ({ memoryMb, files }: ChildPlan): number => memoryMb + (files.on === 'memory' ? files.mb : 0)

type Parts = OwnParts & { shape: Shape }

/** Node's permissions say in words what is refused; the isolation refuses what gets round them. */
const nodeArguments = ({ shape }: Parts): string[] => [
  '--no-warnings',
  `--max-old-space-size=${maxHeapMb}`,
  '--permission',
  '--allow-fs-read=./',
  ...(shape.modules === null ? [] : [`--allow-fs-read=${shape.modules}/`]),
  'main.mjs',
]

const startIsolated = (parts: Parts, { isolation }: SandboxOptions, lent: Lent): ChildProcess => {
  const { shape, folder, owner, egressProxy } = parts
  return isolation.launch({
    profile: 'script',
    folder: folder.path,
    writable: folder.writable,
    ...lent,
    readable: shape.modules === null ? [] : [readableRule(shape.modules)],
    egressProxyPort: egressProxy.port,
    owner,
    args: nodeArguments(parts),
    env: proxyEnvironment(parts),
  })
}

const startBare = (parts: Parts, { host }: SandboxOptions): ChildProcess =>
  spawn('/bin/sh', ['-c', limited, host.execPath, ...nodeArguments(parts)], {
    cwd: parts.folder.path,
    env: { TZ: 'UTC', ...proxyEnvironment(parts) },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })

const started = (start: () => ChildProcess, lower: (leader: Leader) => void): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const refuse = (error: Error): void =>
      reject(new CannotRun(`This agent cannot start a process for the script: ${error.message}`))
    try {
      const child = start()
      child.once('error', refuse)
      child.once('spawn', () => {
        child.on('error', () => undefined)
        const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
        lower({ pid: child.pid as number, isAlive })
        resolve(child)
      })
    } catch (error) {
      refuse(error as Error)
    }
  })

/** Node reads it at its start, and the program then takes it away (child/forward-plain-http.ts). */
const proxyEnvironment = ({ shape, egressProxy }: Parts): Record<string, string> =>
  shape.hasProxy ? { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${egressProxy.port}` } : {}
