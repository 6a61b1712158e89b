/**
 * Lets V8's heap grow while the agent has all it can do, or while it is collected so often that runs begin late, and keeps it small again
 * when it is neither. A small heap is collected seven times a second in an agent that is never idle, which costs a third of its checks
 * (docs/decisions/speed.md, P11), and twice a second beside hostile targets, 15 ms each time (P2); one that waits most of the time loses nothing by it.
 */
import type { TimerClock } from '../../protocol/clock.ts'

/** By how much old objects may grow until they are collected, unless the agent is busy for long. */
export const smallHeapGrowthPercent = 12

/** `free`: by as many bytes whatever is in use, so that what an agent keeps (standing orders of many checks) does not grow by as much again. */
type HeapGrowth = 'small' | 'free'

export type GrowthState = {
  growth: HeapGrowth
  /** How often a second a small heap would be collected, lately. */
  collections: number
  /** For how many looks in a row something else would have been better. */
  against: number
}

export const firstGrowth: GrowthState = { growth: 'small', collections: 0, against: 0 }

/** `busy`: the event loop, 0 to 1. `collections` since the last look, each for a heap that had grown by `percent`. */
type Look = { busy: number; collections: number; percent: number }

/** Looks are a second apart; the first runs of ten thousand checks together take less. */
const looksUntilFree = 20
const looksUntilSmall = 30
const much = { busy: 0.9, collections: 0.5 }
const little = { busy: 0.7, collections: 0.25 }
/** What a look counts beside those before it. */
const weightOfLook = 0.1

/** What the heap should do after one more look. */
export const nextGrowth = (state: GrowthState, { busy, ...seen }: Look): GrowthState => {
  const { growth } = state
  const asSmall = (seen.collections * seen.percent) / smallHeapGrowthPercent
  const collections = state.collections + weightOfLook * (asSmall - state.collections)
  const isAgainst =
    growth === 'small'
      ? busy >= much.busy || collections >= much.collections
      : busy < little.busy && collections < little.collections
  const against = isAgainst ? state.against + 1 : 0
  if (against < (growth === 'small' ? looksUntilFree : looksUntilSmall))
    return { growth, collections, against }
  return { growth: growth === 'small' ? 'free' : 'small', collections, against: 0 }
}

/** As V8 decides by itself, an agent takes 60 MB more than at twice of what is in use, and no check costs less. */
const freeBytes = 32 * 1024 * 1024
const mostPercent = 100

/** By how much of `heapBytes` old objects may grow until they are collected. */
const percentOf = (growth: HeapGrowth, heapBytes: number): number => {
  if (growth === 'small') return smallHeapGrowthPercent
  const percent = Math.round((100 * freeBytes) / heapBytes)
  return Math.min(mostPercent, Math.max(smallHeapGrowthPercent, percent))
}

type HeapGrowthOptions = {
  clock: TimerClock
  /** How busy the event loop was since the last call, 0 to 1. */
  busy(): number
  /** Collections of old objects since the last call. */
  collections(): number
  /** What is in use of V8's heap. */
  heapBytes(): number
  /** `setFlagsFromString` of node:v8. */
  setFlag(flag: string): void
}

/** Looks each second from now on, for as long as the program lives. Only where Node was started with a small heap. */
export const watchHeapGrowth = (
  options: HeapGrowthOptions,
  state: GrowthState = firstGrowth,
  percent: number = smallHeapGrowthPercent,
): void => {
  const { clock, busy, collections, heapBytes, setFlag } = options
  clock.at(1000, () => {
    const next = nextGrowth(state, { busy: busy(), collections: collections(), percent })
    const nextPercent = percentOf(next.growth, heapBytes())
    // V8 reads this one each time that it plans the next collection: it may change while a program runs.
    if (nextPercent !== percent) setFlag(`--heap-growing-percent=${nextPercent}`)
    watchHeapGrowth(options, next, nextPercent)
  })
}
