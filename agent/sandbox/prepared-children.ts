/**
 * Children that were started ahead of their scripts and wait for a task, so that a run does not wait for Node. Each is used
 * once. They are kept for the kinds of scripts that ran last, and end when none of their kind has come for a while.
 *
 * Invariants: no more wait than may; none waits for longer, or holds more memory, than its bounds; one that has died is replaced
 * and never handed out.
 */
import type { TimerClock } from '../../protocol/clock.ts'
import type { ScriptChild, Shape } from './start-child.ts'
import {
  boundsOfScripts,
  boundWaiting,
  dispose,
  hasEnded,
  keepAlive,
  type PreparedBounds,
} from './waiting-child.ts'

export type PreparedChildren<S extends object = Shape> = {
  take(shape: S): Promise<ScriptChild>
  /** Ends those that wait, and prepares no more. */
  close(): Promise<void>
}

type PreparedOptions<S extends object = Shape> = {
  start(shape: S): Promise<ScriptChild>
  /** How many may wait. */
  max: number
  clock: Pick<TimerClock, 'at'>
  bounds?: PreparedBounds
  /** Why one could not be prepared: the next script of its kind will say it, if it is still so. */
  onError(error: Error): void
}

type Waiting = { child: ScriptChild; key: string; cancel(): void }

type State<S extends object> = Required<PreparedOptions<S>> & {
  waiting: Set<Waiting>
  busy: Set<Promise<void>>
  /** Of each kind that has come lately, what stops the timer that forgets it. */
  kinds: Map<string, () => void>
  /** Of those that will be prepared, what calls it off. */
  soon: Set<() => void>
  closed: boolean
}

export const createPreparedChildren = <S extends object = Shape>(
  options: PreparedOptions<S>,
): PreparedChildren<S> => {
  const state: State<S> = {
    bounds: boundsOfScripts,
    ...options,
    waiting: new Set(),
    busy: new Set(),
    kinds: new Map(),
    soon: new Set(),
    closed: false,
  }
  return {
    take: async (shape) => {
      const key = keyOf(shape)
      const child = takeWaiting(state, key) ?? (await state.start(shape))
      if (state.max === 0 || state.closed) return child
      remember(state, key)
      return prepareNext(state, shape, child)
    },
    close: async () => {
      state.closed = true
      for (const cancel of state.soon) cancel()
      state.soon.clear()
      for (const key of [...state.kinds.keys()]) forget(state, key)
      await Promise.all(state.busy)
    },
  }
}

const inBackground = <S extends object>({ busy, onError }: State<S>, work: Promise<void>): void => {
  const one = work.catch(onError).finally(() => busy.delete(one))
  busy.add(one)
}

const drop = <S extends object>(state: State<S>, one: Waiting): void => {
  if (!state.waiting.delete(one)) return
  one.cancel()
  inBackground(state, dispose(one.child))
}

const forget = <S extends object>(state: State<S>, key: string): void => {
  state.kinds.get(key)?.()
  state.kinds.delete(key)
  for (const one of state.waiting) if (one.key === key) drop(state, one)
}

const remember = <S extends object>(state: State<S>, key: string): void => {
  const { kinds, clock, bounds } = state
  kinds.get(key)?.()
  kinds.set(
    key,
    clock.at(bounds.idleMs, () => forget(state, key)),
  )
}

const prepare = async <S extends object>(state: State<S>, shape: S): Promise<void> => {
  const { kinds, waiting, start, clock, bounds, max, onError } = state
  const key = keyOf(shape)
  if (state.closed || !kinds.has(key)) return
  const child = await start(shape)
  if (state.closed || hasEnded(child)) return dispose(child)
  keepAlive(child.process, false)
  const replace = (): void => {
    drop(state, one)
    inBackground(state, prepare(state, shape))
  }
  const onGone = (): void => {
    drop(state, one)
    onError(new Error('one that waited has ended by itself'))
  }
  const one: Waiting = { child, key, cancel: boundWaiting(child, { clock, bounds, replace, onGone }) }
  waiting.add(one)
  for (const oldest of waiting) if (waiting.size > max) drop(state, oldest)
}

const takeWaiting = <S extends object>(state: State<S>, key: string): ScriptChild | null => {
  const one = [...state.waiting].find((other) => other.key === key)
  if (one === undefined) return null
  if (hasEnded(one.child)) {
    drop(state, one)
    return takeWaiting(state, key)
  }
  state.waiting.delete(one)
  one.cancel()
  keepAlive(one.child.process, true)
  return one.child
}

/** Once: at the end of the run of `child`, or after a while. */
const prepareNext = <S extends object>(state: State<S>, shape: S, child: ScriptChild): ScriptChild => {
  const { clock, bounds, soon } = state
  const act = (): void => {
    if (!soon.delete(cancel)) return
    cancel()
    inBackground(state, prepare(state, shape))
  }
  const cancel = clock.at(bounds.prepareAfterMs, act)
  soon.add(cancel)
  if (bounds.prepareAfterMs === 0) act()
  return { ...child, end: () => child.end().finally(act) }
}

const keyOf = (shape: object): string => JSON.stringify(Object.entries(shape).toSorted())
