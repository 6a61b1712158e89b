import { readFile } from 'node:fs/promises'
import type { TimerClock } from '../../protocol/clock.ts'

const lookEveryMs = 50
const pageBytes = 4096
const maxProcesses = 50

/** Calls `onTooMuch` once a process and its descendants hold more than `maxBytes`. The returned function stops it. */
export const watchMemory = (
  { pid, maxBytes, clock }: { pid: number; maxBytes: number; clock: TimerClock },
  onTooMuch: () => void,
): (() => void) => {
  let over = false
  let cancel = (): void => undefined
  const look = async (): Promise<void> => {
    const bytes = await residentBytes(pid)
    if (over) return
    if (bytes > maxBytes) onTooMuch()
    else cancel = clock.at(lookEveryMs, look)
  }
  cancel = clock.at(lookEveryMs, look)
  return () => {
    over = true
    cancel()
  }
}

/** proc(5): the second number of `statm` is the resident pages. Without /proc nothing is known, and nothing is held. */
export const residentBytes = async (root: number): Promise<number> => {
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
  return bytes
}

/** A process that has just ended has no files any more. */
const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
