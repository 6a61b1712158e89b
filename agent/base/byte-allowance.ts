/**
 * Bounds how much memory all of those together hold who want more than a little of it. The others wait, in the order of their
 * coming.
 */
export type ByteAllowance = {
  /** Resolves when they are free, with null when the signal aborts first. More than all there is counts as all of it. */
  take(bytes: number, signal: AbortSignal): Promise<Release | null>
}

/** Gives back what was taken, once. */
export type Release = () => void

type Waiting = { bytes: number; enter(release: Release): void }

type AllowanceState = { free: number; waiting: Set<Waiting> }

export const createByteAllowance = (total: number): ByteAllowance => {
  const state: AllowanceState = { free: total, waiting: new Set() }
  return {
    take: async (bytes, signal) => {
      const most = Math.min(bytes, total)
      if (signal.aborted) return null
      return state.waiting.size > 0 || most > state.free ? wait(state, most, signal) : hold(state, most)
    },
  }
}

const hold = (state: AllowanceState, bytes: number): Release => {
  state.free -= bytes
  let isHeld = true
  return () => {
    if (isHeld) state.free += bytes
    isHeld = false
    letIn(state)
  }
}

/** First come, first served: otherwise small requests could delay a large one for ever. */
const letIn = (state: AllowanceState): void => {
  for (const one of state.waiting) {
    if (one.bytes > state.free) return
    state.waiting.delete(one)
    one.enter(hold(state, one.bytes))
  }
}

const wait = (state: AllowanceState, bytes: number, signal: AbortSignal): Promise<Release | null> =>
  new Promise((resolve) => {
    const settle = (release: Release | null): void => {
      signal.removeEventListener('abort', giveUp)
      resolve(release)
    }
    const giveUp = (): void => {
      state.waiting.delete(one)
      settle(null)
      letIn(state)
    }
    const one: Waiting = { bytes, enter: settle }
    state.waiting.add(one)
    signal.addEventListener('abort', giveUp)
  })
