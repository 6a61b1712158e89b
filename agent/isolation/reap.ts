import { readFile } from 'node:fs/promises'
import type { TimerClock } from '../../protocol/clock.ts'
import type { Kernel } from './kernel.ts'

const lookEveryMs = 10
const maxChecks = 100

/**
 * Waits until nothing is left of a process group that was killed, and reaps its members that became children of `self`. Each
 * by its own number: to wait for "any" child would take the ends of other processes away from Node.
 */
export const reapGroup = async (
  group: number,
  {
    self,
    kernel,
    clock,
  }: { self: number; kernel: Pick<Kernel, 'reap' | 'hasMembers'>; clock: Pick<TimerClock, 'sleep'> },
): Promise<void> => {
  for (let look = 0; look < maxChecks && kernel.hasMembers(group); look += 1) {
    for (const pid of await orphansOf(group, self)) kernel.reap(pid)
    if (kernel.hasMembers(group)) await clock.sleep(lookEveryMs)
  }
}

/** Children of `self` in the group, but its leader, whom Node reaps. */
const orphansOf = async (group: number, self: number): Promise<number[]> => {
  const children = (await read(`/proc/self/task/${self}/children`)).split(' ').map(Number)
  const groups = await Promise.all(
    children.filter((pid) => pid > 0 && pid !== group).map(async (pid) => [pid, await groupOf(pid)] as const),
  )
  return groups.flatMap(([pid, itsGroup]) => (itsGroup === group ? [pid] : []))
}

/** proc_pid_stat(5): the fifth field; the second, a name in brackets, may hold anything. */
const groupOf = async (pid: number): Promise<number> => {
  const stat = await read(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
}

/** What has just ended has no files any more. */
const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
