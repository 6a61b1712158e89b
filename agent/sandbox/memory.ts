import { readFile } from 'node:fs/promises'
import type { TimerClock } from '../../protocol/clock.ts'

const lookEveryMs = 50
const pageBytes = 4096
const maxProcesses = 50

/** `members`: the processes, as of the last look. */
type MemoryWatch = { stop(): void; members(): readonly string[] }

/** Calls `onTooMuch`, if there is one, once a process and its descendants hold more than `maxBytes`. */
export const watchMemory = (
  { pid, maxBytes, clock }: { pid: number; maxBytes: number; clock: TimerClock },
  onTooMuch: (() => void) | null,
): MemoryWatch => {
  let over = false
  let members: readonly number[] = [pid]
  let cancel = (): void => undefined
  const look = async (): Promise<void> => {
    const tree = await treeOf(pid)
    if (over) return
    const { bytes } = tree
    members = tree.pids
    if (bytes > maxBytes && onTooMuch !== null) onTooMuch()
    else cancel = clock.at(lookEveryMs, look)
  }
  cancel = clock.at(lookEveryMs, look)
  return {
    members: () => members.map(String),
    stop: () => {
      over = true
      cancel()
    },
  }
}

export const residentBytes = async (root: number): Promise<number> => (await treeOf(root)).bytes

/** proc(5): the second number of `statm` is the resident pages. Without /proc nothing is known, and nothing is held. */
const treeOf = async (root: number): Promise<{ pids: readonly number[]; bytes: number }> => {
  const pids = [root]
  let bytes = 0
  for (let index = 0; index < pids.length && index < maxProcesses; index += 1) {
    const pid = pids[index]
    const [statm, children] = await Promise.all([
      read(`/proc/${pid}/statm`),
      read(`/proc/${pid}/task/${pid}/children`),
    ])
    bytes += Number(statm.split(' ')[1] ?? 0) * pageBytes
    pids.push(
      ...children
        .split(' ')
        .map(Number)
        .filter((child) => child > 0),
    )
  }
  return { pids, bytes }
}

/** A process that has just ended has no files any more. */
const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
