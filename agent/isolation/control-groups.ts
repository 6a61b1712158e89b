/**
 * Control groups of runs: the kernel gives the processes of a run no more memory together than it may have, and ends them all where
 * they want more. Nothing but this file touches the tree of groups.
 */
import { mkdir, mkdtemp, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TimerClock } from '../../protocol/clock.ts'
import {
  agentGroup,
  type GroupLimits,
  groupPrefix,
  handOn,
  hasControllers,
  hasKilled,
  hasOthers,
  parentGroup,
  settingsOf,
} from './control-group-rules.ts'

export type ControlGroup = {
  /** Its folder: the launcher moves itself there. */
  path: string
  /** Whether it was ended because it wanted more memory than it may have. */
  ranOutOfMemory(): Promise<boolean>
  /** Ends what is left of it, and removes it. */
  close(): Promise<void>
}

export type ControlGroups = { open(limits: GroupLimits): Promise<ControlGroup> }

type Tools = { pid: number; clock: Pick<TimerClock, 'sleep'> }

const lookEveryMs = 10
const maxLooks = 200
/** There is none, nobody may write there, or it is not ours to divide: most agents. */
const notHere = ['ENOENT', 'EROFS', 'EACCES', 'EPERM']

/** Null where this agent was given no groups of its own. Rejects, with a sentence, where it was and they cannot be used. */
export const openControlGroups = async (tools: Tools): Promise<ControlGroups | null> => {
  try {
    const parent = parentGroup(
      await readFile('/proc/self/cgroup', 'utf8'),
      await readFile('/proc/self/mountinfo', 'utf8'),
    )
    if (parent === null || !hasControllers(await readFile(join(parent, 'cgroup.controllers'), 'utf8')))
      return null
    await divide(parent, tools)
    await removeLeft(parent, tools)
    return { open: (limits) => openGroup(parent, limits, tools) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== undefined && notHere.includes(code)) return null
    throw new Error(`no control groups of runs: ${message}`, { cause: error })
  }
}

/** The agent moves into a group of its own, so that those of runs may stand beside it. */
const divide = async (parent: string, { pid }: Tools): Promise<void> => {
  const own = join(parent, agentGroup)
  await mkdir(own, { recursive: true })
  for (const group of [parent, own])
    if (hasOthers(await readFile(join(group, 'cgroup.procs'), 'utf8'), pid))
      throw new Error("other processes share the agent's control group, so that it cannot be divided")
  try {
    await set(join(own, 'cgroup.procs'), String(pid))
    await set(join(parent, 'cgroup.subtree_control'), handOn)
  } catch (error) {
    await set(join(parent, 'cgroup.procs'), String(pid))
    await rmdir(own)
    throw error
  }
}

/** Never makes a file: what is not there this kernel does not have. */
const set = (path: string, value: string): Promise<void> => writeFile(path, value, { flag: 'r+' })

/** Those of an agent that was killed: this one is alone in the group in which all of them lie. */
const removeLeft = async (parent: string, tools: Tools): Promise<void> => {
  const left = (await readdir(parent)).filter((name) => name.startsWith(groupPrefix))
  for (const name of left) await remove(join(parent, name), tools)
}

const openGroup = async (parent: string, limits: GroupLimits, tools: Tools): Promise<ControlGroup> => {
  const path = await mkdtemp(join(parent, groupPrefix))
  try {
    for (const [name, value] of settingsOf(limits)) await writeSetting(join(path, name), value)
  } catch (error) {
    await rmdir(path)
    throw error
  }
  let closing: Promise<void> | null = null
  return {
    path,
    ranOutOfMemory: async () => hasKilled(await unlessGone(readFile(join(path, 'memory.events'), 'utf8'))),
    close: () => {
      closing ??= remove(path, tools)
      return closing
    },
  }
}

/** A kernel that does not count swapped memory has no file for it, and swaps none of these either where there is no swap. */
const writeSetting = async (path: string, value: string): Promise<void> => {
  try {
    await set(path, value)
  } catch (error) {
    if (!path.endsWith('.swap.max') || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Its processes take a moment to be gone. */
const remove = async (path: string, { clock }: Tools): Promise<void> => {
  // Before Linux 5.14 there is no such file, and the end of the process group has to do.
  await unlessGone(set(join(path, 'cgroup.kill'), '1').then(() => ''))
  for (let look = 1; ; look += 1)
    try {
      await rmdir(path)
      return
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return
      if (code !== 'EBUSY' || look === maxLooks) throw error
      await clock.sleep(lookEveryMs)
    }
}

const unlessGone = (work: Promise<string>): Promise<string> =>
  work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENODEV') return ''
    throw error
  })
