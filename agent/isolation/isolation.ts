/**
 * Isolation of user code that the kernel holds, whatever that code does to the program in which it runs: Landlock for
 * files, TCP and other processes (`landlock.ts`), a filter of system calls (`seccomp-rules.ts`), a user of its own where the
 * agent is root, and one process group that a single signal ends. `enter-isolation.ts` builds them, `probe.ts` says which stand.
 */
import type { ChildProcess } from 'node:child_process'
import type { TimerClock } from '../../protocol/clock.ts'
import { type ControlGroup, type ControlGroups, openControlGroups } from './control-groups.ts'
import { type Kernel, openKernel } from './kernel.ts'
import { type Launch, type LaunchTools, launch } from './launch.ts'
import type { Owner } from './launch-plan.ts'
import { type IsolationLayer, isolationLayers } from './missing-isolation.ts'
import { claimUids, createOwners, type Owners } from './owners.ts'
import { type Probed, probe } from './probe.ts'
import { type Profile, processesOf } from './profiles.ts'
import type { Program } from './program.ts'
import { reapGroup } from './reap.ts'
import { systemFiles } from './system-files.ts'
import { openVolume, type Volume, type VolumeSize } from './volumes.ts'

/** The layers that this machine has. `problem`: why it is not all of them, where there is more to say than their names. */
type IsolationStatus = { layers: readonly IsolationLayer[]; problem: string | null }

export type Isolation = {
  /** Tries them the first time that it is called. */
  status(): Promise<IsolationStatus>
  /** What is known without waiting; null: nothing yet. */
  known(): IsolationStatus | null
  /** A user for a child where children have their own, until `giveBack`. Once `status` has answered. */
  takeOwner(): Owner | null
  giveBack(owner: Owner | null): void
  /** A file system of a child's own in a folder of its own; null: this agent has none of the kind. Once `status` has answered. */
  openVolume(size: VolumeSize, child: { owner: Owner | null; folder: string }): Promise<Volume | null>
  /** A control group of a child's own; null: this agent has none. Once `status` has answered. */
  openGroup(child: { profile: Profile; memoryMb: number }): Promise<ControlGroup | null>
  launch(child: Launch): ChildProcess
  /** Nothing is left of a process group that was killed. */
  reap(group: number): Promise<void>
}

type IsolationOptions = {
  execPath: string
  clock: Pick<TimerClock, 'at' | 'sleep'>
  program(): Promise<Program>
}

type Ready = {
  kernel: Kernel
  tools: LaunchTools
  probed: Probed
  owners: Owners
  groups: ControlGroups | null
}

export const createIsolation = ({ execPath, clock, program }: IsolationOptions): Isolation => {
  let asking: Promise<IsolationStatus> | null = null
  let known: IsolationStatus | null = null
  let ready: Ready | null = null
  const need = (): Ready => {
    if (ready === null) throw new Error('the isolation is used before anybody has asked for its status')
    return ready
  }
  const tryAll = async (): Promise<IsolationStatus> => {
    const kernel = await openKernel()
    const isSubreaper = kernel.becomeSubreaper()
    // First: it has to be alone in its control group, and its children are in the same one.
    const { groups, noGroups } = await groupsOf({ pid: kernel.pid, clock })
    const tools = { execPath, self: kernel.pid, kernel, systemFiles: systemFiles(execPath) }
    const owners = createOwners(await claimUids())
    const owner = owners.take()
    const probed = await probe({ program: await program(), clock, owner, groups, tools })
    owners.giveBack(owner)
    ready = {
      kernel,
      owners,
      probed,
      groups: probed.groups ? groups : null,
      tools: { ...tools, filters: probed.filters },
    }
    const layers: IsolationLayer[] = [...probed.layers, ...(isSubreaper ? (['subreaper'] as const) : [])]
    const problems = [noGroups, probed.problem].filter((one) => one !== null)
    return { layers, problem: problems.length === 0 ? null : problems.join('; ') }
  }
  const status = async (): Promise<IsolationStatus> => {
    asking ??= tryAll().catch(({ message }: Error) => ({ layers: [], problem: message }))
    known = await asking
    return known
  }
  return {
    status,
    known: () => known,
    takeOwner: () => (need().probed.owners ? need().owners.take() : null),
    giveBack: (owner) => {
      if (owner !== null) need().owners.giveBack(owner)
    },
    openVolume: async (size, child) => {
      const { probed, kernel } = need()
      return probed.volumes.includes(size.on) ? openVolume(size, { ...child, mounts: kernel.mounts }) : null
    },
    openGroup: async ({ profile, memoryMb }) =>
      (await need().groups?.open({ memoryMb, processes: processesOf(profile) })) ?? null,
    launch: (child) => launch(child, need().tools),
    reap: async (group) => {
      if (ready !== null) await reapGroup(group, { self: ready.kernel.pid, kernel: ready.kernel, clock })
    },
  }
}

type Groups = { groups: ControlGroups | null; noGroups: string | null }

const groupsOf = (tools: Parameters<typeof openControlGroups>[0]): Promise<Groups> =>
  openControlGroups(tools).then(
    (groups) => ({ groups, noGroups: null }),
    ({ message }: Error) => ({ groups: null, noGroups: message }),
  )

/** For an agent whose children run without any. */
export const noIsolation = (problem: string): Isolation => {
  const status: IsolationStatus = { layers: [], problem }
  const refuse = (): never => {
    throw new Error(problem)
  }
  return {
    status: async () => status,
    known: () => status,
    takeOwner: () => null,
    giveBack: () => undefined,
    openVolume: async () => null,
    openGroup: async () => null,
    launch: refuse,
    reap: async () => undefined,
  }
}

/** One line for the log. */
export const describeIsolation = ({ layers, problem }: IsolationStatus): string => {
  const missing = isolationLayers.filter((name) => !layers.includes(name))
  const held = layers.length === 0 ? 'none' : layers.join(', ')
  const rest = missing.length === 0 ? '' : `; missing: ${missing.join(', ')}`
  return `isolation of user code: ${held}${rest}${problem === null ? '' : ` (${problem})`}`
}
