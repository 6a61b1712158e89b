/**
 * Whether the machine has room for one more test file: many wait for clocks, disks and other programs. Processors are asked as
 * they are, so that on a machine that is busy, also with something else, nothing more begins.
 */
import { cpus } from 'node:os'
import { setTimeout } from 'node:timers/promises'

/** Of all processors together. A file begins with a second of work for one of them. */
const enoughIdle = 0.2
const askMs = 2000
/** Browsers with their pages, servers of PostgreSQL with their buffers. */
const enoughBytes = 2 * 1024 ** 3

export type Machine = { idleMs: number; processors: number; atMs: number; freeBytes: number }

export function readMachine(): Machine {
  const all = cpus()
  const idleMs = all.reduce((sum, { times }) => sum + times.idle, 0)
  return { idleMs, processors: all.length, atMs: performance.now(), freeBytes: process.availableMemory() }
}

/** Of all processors. Waiting for a disk is no idleness: Linux counts it by itself. */
export const idleShare = (before: Machine, now: Machine): number =>
  (now.idleMs - before.idleMs) / ((now.atMs - before.atMs) * now.processors)

export const hasRoom = (before: Machine, now: Machine): boolean =>
  now.freeBytes >= enoughBytes && idleShare(before, now) >= enoughIdle

type Wait = () => Promise<void>

async function untilIdle(isOver: () => boolean, wait: Wait): Promise<void> {
  for (let before = readMachine(); !isOver(); ) {
    await wait()
    const now = readMachine()
    if (hasRoom(before, now)) return
    before = now
  }
}

/** Turns for many, one after the other: each begins when the machine was idle beside all that began before it. */
export function idleTurns(isOver: () => boolean, wait: Wait = () => setTimeout(askMs)): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => untilIdle(isOver, wait))
    return last
  }
}
