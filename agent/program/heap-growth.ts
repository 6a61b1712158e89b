/**
 * Lets V8's heap grow while the agent has all it can do, and keeps it small again when it has not. A small heap is collected
 * seven times a second in an agent that is never idle, which costs a third of its checks (docs/decisions/speed.md, P11); one that
 * waits most of the time loses nothing by it.
 */
import type { TimerClock } from '../../protocol/clock.ts'

/** By how much old objects may grow until they are collected, unless the agent is busy for long. */
export const smallHeapGrowthPercent = 12

/** `free`: to twice of what is in use. As V8 decides by itself, up to four times, no check costs less, and the agent takes 60 MB more. */
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

/** V8 reads this one each time that it plans the next collection: it may change while a program runs. */
const flags: Record<HeapGrowth, string> = {
  small: `--heap-growing-percent=${smallHeapGrowthPercent}`,
  free: '--heap-growing-percent=100',
}

type HeapGrowthOptions = {
  clock: TimerClock
  /** How busy the event loop was since the last call, 0 to 1. */
  busy(): number
  /** `setFlagsFromString` of node:v8. */
  setFlag(flag: string): void
}

/** Looks each second from now on, for as long as the program lives. Only where Node was started with a small heap. */
export const watchHeapGrowth = (
  options: HeapGrowthOptions,
  state: GrowthState = { growth: 'small', against: 0 },
): void => {
  const { clock, busy, setFlag } = options
  clock.at(1000, () => {
    const next = nextGrowth(state, busy())
    if (next.growth !== state.growth) setFlag(flags[next.growth])
    watchHeapGrowth(options, next)
  })
}
