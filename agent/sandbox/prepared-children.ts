/**
 * Children that were started ahead of their scripts and wait for a task, so that a run does not wait for Node. Each is used
 * once. They are kept for the kinds of scripts that ran last, and end when none of their kind has come for a while.
 */
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { TimerClock } from '../../protocol/clock.ts'
import type { ScriptChild, Shape } from './start-child.ts'

export type PreparedChildren<S extends object = Shape> = {
  take(shape: S): Promise<ScriptChild>
  /** Ends those that wait, and prepares no more. */
  close(): Promise<void>
}

export type PreparedOptions<S extends object = Shape> = {
  start(shape: S): Promise<ScriptChild>
  /** How many may wait: each holds some 40 MB. */
  most: number
  clock: Pick<TimerClock, 'at'>
  /** Why one could not be prepared: the next script of its kind will say it, if it is still so. */
  onProblem(error: Error): void
}

const idleMs = 5 * 60_000

type Waiting = { child: ScriptChild; key: string; cancel(): void }

export const createPreparedChildren = <S extends object = Shape>({
  start,
  most,
  clock,
  onProblem,
}: PreparedOptions<S>): PreparedChildren<S> => {
  const waiting = new Set<Waiting>()
  const busy = new Set<Promise<void>>()
  let closed = false

  const inBackground = (work: Promise<void>): void => {
    const one = work.catch(onProblem).finally(() => busy.delete(one))
    busy.add(one)
  }

  const drop = (one: Waiting): void => {
    waiting.delete(one)
    one.cancel()
    inBackground(dispose(one.child))
  }

  const prepare = async (shape: S): Promise<void> => {
    const child = await start(shape)
    if (closed) return dispose(child)
    keepAlive(child.process, false)
    const one: Waiting = { child, key: keyOf(shape), cancel: clock.at(idleMs, () => drop(one)) }
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

  return {
    take: async (shape) => {
      const child = takeWaiting(keyOf(shape)) ?? (await start(shape))
      if (most > 0 && !closed) inBackground(prepare(shape))
      return child
    },
    close: async () => {
      closed = true
      for (const one of waiting) drop(one)
      await Promise.all(busy)
    },
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
