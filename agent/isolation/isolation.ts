/**
 * Walls round code of users that the kernel holds, whatever that code does to the program in which it runs: Landlock for
 * files, TCP and other processes (`landlock.ts`), a filter of system calls (`seccomp-rules.ts`), a user of its own where the
 * agent is root, and one process group that a single signal ends. `enter-walls.ts` builds them, `probe.ts` says which stand.
 */
import type { ChildProcess } from 'node:child_process'
import type { TimerClock } from '../../protocol/clock.ts'
import { type WallName, wallNames } from '../../protocol/walls.ts'
import { type Kernel, openKernel } from './kernel.ts'
import { type Launch, type LaunchTools, launch } from './launch.ts'
import type { Owner } from './launch-plan.ts'
import { claimUids, createOwners, type Owners } from './owners.ts'
import { type Probed, probe } from './probe.ts'
import type { Program } from './program.ts'
import { reapGroup } from './reap.ts'
import { systemFiles } from './system-files.ts'

/** The walls of this machine. `problem`: why it is not all of them, where there is more to say than their names. */
export type Standing = { walls: readonly WallName[]; problem: string | null }

export type Walls = {
  /** Tries them the first time that it is called. */
  standing(): Promise<Standing>
  /** What is known without waiting; null: nothing yet. */
  known(): Standing | null
  /** A user for a child where children have their own, until `giveBack`. Once `standing` has answered. */
  takeOwner(): Owner | null
  giveBack(owner: Owner | null): void
  launch(child: Launch): ChildProcess
  /** Nothing is left of a process group that was killed. */
  reap(group: number): Promise<void>
}

export type WallsOptions = {
  execPath: string
  clock: Pick<TimerClock, 'at' | 'sleep'>
  program(): Promise<Program>
}

type Ready = { kernel: Kernel; tools: LaunchTools; probed: Probed; owners: Owners }

export const createWalls = ({ execPath, clock, program }: WallsOptions): Walls => {
  let asking: Promise<Standing> | null = null
  let known: Standing | null = null
  let ready: Ready | null = null
  const need = (): Ready => {
    if (ready === null) throw new Error('walls are used before anybody has asked whether they stand')
    return ready
  }
  const tryAll = async (): Promise<Standing> => {
    const kernel = await openKernel()
    const isSubreaper = kernel.becomeSubreaper()
    const tools = { execPath, self: kernel.pid, kernel, systemFiles: systemFiles(execPath) }
    const owners = createOwners(await claimUids())
    const owner = owners.take()
    const probed = await probe({ program: await program(), clock, owner, tools })
    owners.giveBack(owner)
    ready = { kernel, owners, probed, tools: { ...tools, filters: probed.filters } }
    const walls: WallName[] = [...probed.walls, ...(isSubreaper ? (['subreaper'] as const) : [])]
    return { walls, problem: probed.problem }
  }
  const standing = async (): Promise<Standing> => {
    asking ??= tryAll().catch(({ message }: Error) => ({ walls: [], problem: message }))
    known = await asking
    return known
  }
  return {
    standing,
    known: () => known,
    takeOwner: () => (need().probed.owners ? need().owners.take() : null),
    giveBack: (owner) => {
      if (owner !== null) need().owners.giveBack(owner)
    },
    launch: (child) => launch(child, need().tools),
    reap: async (group) => {
      if (ready !== null) await reapGroup(group, { self: ready.kernel.pid, kernel: ready.kernel, clock })
    },
  }
}

/** For an agent whose children run without any. */
export const noWalls = (problem: string): Walls => {
  const standing: Standing = { walls: [], problem }
  const refuse = (): never => {
    throw new Error(problem)
  }
  return {
    standing: async () => standing,
    known: () => standing,
    takeOwner: () => null,
    giveBack: () => undefined,
    launch: refuse,
    reap: async () => undefined,
  }
}

/** One line for the log. */
export const describeWalls = ({ walls, problem }: Standing): string => {
  const missing = wallNames.filter((name) => !walls.includes(name))
  const held = walls.length === 0 ? 'none' : walls.join(', ')
  const rest = missing.length === 0 ? '' : `; missing: ${missing.join(', ')}`
  return `walls round code of users: ${held}${rest}${problem === null ? '' : ` (${problem})`}`
}
