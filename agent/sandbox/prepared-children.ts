/**
 * Children that were started ahead of their scripts and wait for a task, so that a run does not wait for Node. Each is used
 * once. They are kept for the kinds of scripts that ran last, and end when none of their kind has come for a while.
 *
 * Invariants: no more wait than may; none waits for longer, or holds more memory, than its bounds; one that has died is replaced
 * and never handed out.
 */
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { TimerClock } from '../../protocol/clock.ts'
import { residentBytes } from './memory.ts'
import type { ScriptChild, Shape } from './start-child.ts'

export type PreparedChildren<S extends object = Shape> = {
  take(shape: S): Promise<ScriptChild>
  /** Ends those that wait, and prepares no more. */
  close(): Promise<void>
}

export type PreparedOptions<S extends object = Shape> = {
  start(shape: S): Promise<ScriptChild>
  /** How many may wait. */
  most: number
  clock: Pick<TimerClock, 'at'>
  bounds?: PreparedBounds
  /** Why one could not be prepared: the next script of its kind will say it, if it is still so. */
  onProblem(error: Error): void
}

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

type Waiting = { child: ScriptChild; key: string; cancel(): void }

export const createPreparedChildren = <S extends object = Shape>({
  start,
  most,
  clock,
  bounds = boundsOfScripts,
  onProblem,
}: PreparedOptions<S>): PreparedChildren<S> => {
  const waiting = new Set<Waiting>()
  const busy = new Set<Promise<void>>()
  /** Of each kind that has come lately, what forgets it. */
  const kinds = new Map<string, () => void>()
  const soon = new Set<() => void>()
  let closed = false

  const inBackground = (work: Promise<void>): void => {
    const one = work.catch(onProblem).finally(() => busy.delete(one))
    busy.add(one)
  }

  const drop = (one: Waiting): void => {
    if (!waiting.delete(one)) return
    one.cancel()
    inBackground(dispose(one.child))
  }

  const forget = (key: string): void => {
    kinds.get(key)?.()
    kinds.delete(key)
    for (const one of waiting) if (one.key === key) drop(one)
  }

  const remember = (key: string): void => {
    kinds.get(key)?.()
    kinds.set(
      key,
      clock.at(bounds.idleMs, () => forget(key)),
    )
  }

  const prepare = async (shape: S): Promise<void> => {
    const key = keyOf(shape)
    if (closed || !kinds.has(key)) return
    const child = await start(shape)
    if (closed || hasEnded(child)) return dispose(child)
    keepAlive(child.process, false)
    const replace = (): void => {
      drop(one)
      inBackground(prepare(shape))
    }
    const onGone = (): void => {
      drop(one)
      onProblem(new Error('one that waited has ended by itself'))
    }
    const one: Waiting = { child, key, cancel: bound(child, { clock, bounds, replace, onGone }) }
    waiting.add(one)
    for (const oldest of waiting) if (waiting.size > most) drop(oldest)
  }

  const takeWaiting = (key: string): ScriptChild | null => {
    const one = [...waiting].find((other) => other.key === key)
    if (one === undefined) return null
    if (hasEnded(one.child)) {
      drop(one)
      return takeWaiting(key)
    }
    waiting.delete(one)
    one.cancel()
    keepAlive(one.child.process, true)
    return one.child
  }

  /** Once: at the end of the run of `child`, or after a while. */
  const prepareNext = (shape: S, child: ScriptChild): ScriptChild => {
    const act = (): void => {
      if (!soon.delete(cancel)) return
      cancel()
      inBackground(prepare(shape))
    }
    const cancel = clock.at(bounds.prepareAfterMs, act)
    soon.add(cancel)
    if (bounds.prepareAfterMs === 0) act()
    return { ...child, end: () => child.end().finally(act) }
  }

  return {
    take: async (shape) => {
      const key = keyOf(shape)
      const child = takeWaiting(key) ?? (await start(shape))
      if (most === 0 || closed) return child
      remember(key)
      return prepareNext(shape, child)
    },
    close: async () => {
      closed = true
      for (const cancel of soon) cancel()
      soon.clear()
      for (const key of [...kinds.keys()]) forget(key)
      await Promise.all(busy)
    },
  }
}

type Bounding = {
  clock: Pick<TimerClock, 'at'>
  bounds: PreparedBounds
  replace(): void
  onGone(): void
}

/** Watches one that waits. The returned function stops it. */
const bound = (child: ScriptChild, { clock, bounds, replace, onGone }: Bounding): (() => void) => {
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

const keyOf = (shape: object): string => JSON.stringify(Object.entries(shape).toSorted())

const hasEnded = ({ process: { exitCode, signalCode } }: ScriptChild): boolean =>
  exitCode !== null || signalCode !== null

const dispose = async (child: ScriptChild): Promise<void> => {
  await child.end()
  await child.remove()
}

/** One that waits keeps no agent from ending: it ends by itself when its input does. */
const keepAlive = (child: ChildProcess, isUsed: boolean): void => {
  for (const one of [child, ...(child.stdio as unknown as Socket[])]) {
    if (isUsed) one.ref()
    else one.unref()
  }
}
