import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { TimerClock } from '../../protocol/clock.ts'
import { residentBytes } from './memory.ts'
import type { ScriptChild } from './start-child.ts'

/** What holds for children that wait for a script. */
export type PreparedBounds = {
  /** Those of a kind end when none of it has come for so long. */
  idleMs: number
  /** One that has waited for so long is replaced. */
  maxAgeMs: number
  /** As is one that holds more, with its descendants. */
  maxBytes: number
  /** The next one is started when the run that took the last one ends, or after so long: two at once slow each other down. */
  prepareAfterMs: number
}

export const boundsOfScripts: PreparedBounds = {
  idleMs: 5 * 60_000,
  maxAgeMs: 15 * 60_000,
  maxBytes: 400 * 1024 * 1024,
  prepareAfterMs: 0,
}

const lookEveryMs = 60_000
/** One that ends sooner would only be followed by others that do. */
const steadyMs = 10_000

type Bounding = {
  clock: Pick<TimerClock, 'at'>
  bounds: PreparedBounds
  replace(): void
  onGone(): void
}

/** Watches one that waits. The returned function stops it. */
export const boundWaiting = (
  child: ScriptChild,
  { clock, bounds, replace, onGone }: Bounding,
): (() => void) => {
  const leader = child.process
  let over = false
  let steady = false
  const look = async (): Promise<void> => {
    const bytes = await residentBytes(leader.pid as number)
    if (over) return
    if (bytes > bounds.maxBytes) replace()
    else cancelLook = clock.at(lookEveryMs, look)
  }
  let cancelLook = clock.at(lookEveryMs, look)
  const cancels = [
    clock.at(bounds.maxAgeMs, replace),
    clock.at(steadyMs, () => {
      steady = true
    }),
  ]
  const exited = (): void => (steady ? replace() : onGone())
  leader.once('exit', exited)
  return () => {
    over = true
    leader.off('exit', exited)
    cancelLook()
    for (const cancel of cancels) cancel()
  }
}

export const hasEnded = ({ process: { exitCode, signalCode } }: ScriptChild): boolean =>
  exitCode !== null || signalCode !== null

export const dispose = async (child: ScriptChild): Promise<void> => {
  await child.end()
  await child.remove()
}

/** One that waits keeps no agent from ending: it ends by itself when its input does. */
export const keepAlive = (child: ChildProcess, isUsed: boolean): void => {
  // Node makes pipes of sockets, which the types of a child do not say.
  for (const one of [child, ...(child.stdio as unknown as (Socket | null)[])]) {
    if (isUsed) one?.ref()
    else one?.unref()
  }
}
