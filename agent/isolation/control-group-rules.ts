/** Where control groups of runs are made, and what is written to them and read from them (cgroups(7), version 2). Nothing is touched here. */
import { basename, dirname, join, relative } from 'node:path'

/** `processes`: threads count. */
export type GroupLimits = { memoryMb: number; processes: number }

/** The agent's own: no group that hands controllers on may have processes beside its groups. */
export const agentGroup = 'watchpost-agent'
/** How the names of those of runs begin. */
export const groupPrefix = 'watchpost-run-'

const neededControllers = ['memory', 'pids'] as const
export const handOn = neededControllers.map((name) => `+${name}`).join(' ')

/**
 * The folder in which groups are made, by what /proc/self says in `cgroup` and `mountinfo`: that of the group in which the agent was
 * started. Null: no version 2 is mounted here, or the group lies outside of what is.
 */
export const parentGroup = (cgroup: string, mountinfo: string): string | null => {
  const own = /^0::(\/.*)$/m.exec(cgroup)?.[1]
  // Above what this process may see it begins with two dots.
  if (own === undefined || own.startsWith('/..')) return null
  const group = basename(own) === agentGroup ? dirname(own) : own
  for (const line of mountinfo.split('\n')) {
    const [place = '', kind = ''] = line.split(' - ')
    const [, , , root = '', mountPoint = ''] = place.split(' ').map(unescaped)
    if (!kind.startsWith('cgroup2 ')) continue
    const below = relative(root, group)
    if (!below.startsWith('..')) return join(mountPoint, below)
  }
  return null
}

/** proc_pid_mountinfo(5): a space and its like are written as three digits of base eight. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

export const hasControllers = (controllers: string): boolean =>
  neededControllers.every((name) => controllers.trim().split(' ').includes(name))

/** Whether a group has processes beside the agent. Those that it cannot see are 0. */
export const hasOthers = (procs: string, pid: number): boolean =>
  procs.split('\n').some((line) => line !== '' && line !== String(pid))

/** One process that takes too much takes the others of its run with it: half a run says nothing that is true. */
export const settingsOf = ({ memoryMb, processes }: GroupLimits): readonly (readonly [string, string])[] => [
  ['memory.max', String(memoryMb * 1024 * 1024)],
  ['memory.swap.max', '0'],
  ['memory.oom.group', '1'],
  ['pids.max', String(processes)],
]

/** Of `memory.events`: whether the kernel has killed one of its processes because its limit was reached. */
export const hasKilled = (events: string): boolean => /^oom_kill [1-9]/m.test(events)
