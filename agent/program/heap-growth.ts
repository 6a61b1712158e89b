/**
 * Lets V8's heap grow while the agent has all it can do, and keeps it small again when it has not. A small heap is collected
 * seven times a second in an agent that is never idle, which costs a third of its checks (docs/decisions/speed.md, P11); one that
 * waits most of the time loses nothing by it.
 */
import type { TimerClock } from '../../protocol/clock.ts'

/** By how much old objects may grow until they are collected, unless the agent is busy for long. */
export const smallHeapGrowthPercent = 12

/** `free`: by as many bytes whatever is in use, so that what an agent keeps (standing orders of many checks) does not grow by as much again. */
type HeapGrowth = 'small' | 'free'

export type GrowthState = {
  growth: HeapGrowth
  /** For how many looks in a row something else would have been better. */
  against: number
}

/** Looks are a second apart; the first runs of ten thousand checks together take less. */
const looksUntilFree = 20
const looksUntilSmall = 30
const busyShare = 0.9
const calmShare = 0.7

/** What the heap should do after one more look at how busy the event loop was, 0 to 1. */
export const nextGrowth = ({ growth, against }: GrowthState, busy: number): GrowthState => {
  const isAgainst = growth === 'small' ? busy >= busyShare : busy < calmShare
  if (!isAgainst) return { growth, against: 0 }
  const enough = growth === 'small' ? looksUntilFree : looksUntilSmall
  if (against + 1 < enough) return { growth, against: against + 1 }
  return { growth: growth === 'small' ? 'free' : 'small', against: 0 }
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
  /** What is in use of V8's heap. */
  heapBytes(): number
  /** `setFlagsFromString` of node:v8. */
  setFlag(flag: string): void
}

/** Looks each second from now on, for as long as the program lives. Only where Node was started with a small heap. */
export const watchHeapGrowth = (
  options: HeapGrowthOptions,
  state: GrowthState = { growth: 'small', against: 0 },
): void => {
  const { clock, busy, heapBytes, setFlag } = options
  clock.at(1000, () => {
    const next = nextGrowth(state, busy())
    // V8 reads this one each time that it plans the next collection: it may change while a program runs.
    if (next.growth === 'free' || next.growth !== state.growth)
      setFlag(`--heap-growing-percent=${percentOf(next.growth, heapBytes())}`)
    watchHeapGrowth(options, next)
  })
}
