/**
 * Bounds how much of something is in use at once: runs, threads, questions, bytes. Whoever finds no room waits, and nobody
 * overtakes who would fit in the end: small requests cannot delay a large one for ever. Owners may have a bound of their own,
 * so that one of them leaves room for the others; who waits for that alone is overtaken.
 */
export type Semaphore = {
  /**
   * Resolves when there is room, with null when the signal aborts first or too many wait. More units than there are count as
   * all of them.
   */
  acquire(wanted?: Wanted): Promise<Release | null>
  /** At once, or not at all. */
  tryAcquire(units: number): Release | null
}

/** Gives back what was acquired, once. */
export type Release = () => void

type Wanted = { units?: number; owner?: string; signal?: AbortSignal | undefined }

type Bounds = {
  total: number
  ofOneOwner?: number
  /** How many of one owner may wait. */
  waitingOfOneOwner?: number
}

type Waiting = { units: number; owner: string; settle(release: Release | null): void }

type SemaphoreState = Required<Bounds> & { free: number; held: Map<string, number>; waiting: Set<Waiting> }

const unbounded = Number.POSITIVE_INFINITY

export const createSemaphore = (bounds: Bounds): Semaphore => {
  const state: SemaphoreState = {
    ofOneOwner: unbounded,
    waitingOfOneOwner: unbounded,
    ...bounds,
    free: bounds.total,
    held: new Map(),
    waiting: new Set(),
  }
  return {
    acquire: async ({ units = 1, owner = '', signal } = {}) => {
      if (signal?.aborted === true) return null
      const share = { units: Math.min(units, state.total), owner }
      if (mayEnter(state, share)) return take(state, share)
      if (waitingOf(state, owner) >= state.waitingOfOneOwner) return null
      return wait(state, share, signal)
    },
    tryAcquire: (units) => {
      const share = { units, owner: '' }
      return mayEnter(state, share) ? take(state, share) : null
    },
  }
}

/** Work that fails gives back what it had, too. */
export const withPermit = async <T>(semaphore: Semaphore, work: () => Promise<T>): Promise<T> => {
  const release = await semaphore.acquire()
  try {
    return await work()
  } finally {
    release?.()
  }
}

type Share = Pick<Waiting, 'units' | 'owner'>

const heldBy = ({ held }: SemaphoreState, owner: string): number => held.get(owner) ?? 0

const isOwnerFull = (state: SemaphoreState, { units, owner }: Share): boolean =>
  heldBy(state, owner) + units > state.ofOneOwner

/** Those who wait for their own owner alone are overtaken. */
const mayEnter = (state: SemaphoreState, share: Share): boolean => {
  if (share.units > state.free || isOwnerFull(state, share)) return false
  for (const one of state.waiting) if (!isOwnerFull(state, one)) return false
  return true
}

const take = (state: SemaphoreState, { units, owner }: Share): Release => {
  state.free -= units
  state.held.set(owner, heldBy(state, owner) + units)
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    state.free += units
    const left = heldBy(state, owner) - units
    if (left > 0) state.held.set(owner, left)
    else state.held.delete(owner)
    letIn(state)
  }
}

const letIn = (state: SemaphoreState): void => {
  for (const one of state.waiting) {
    if (isOwnerFull(state, one)) continue
    if (one.units > state.free) return
    one.settle(take(state, one))
  }
}

const wait = (
  state: SemaphoreState,
  share: Share,
  signal: AbortSignal | undefined,
): Promise<Release | null> =>
  new Promise((resolve) => {
    const giveUp = (): void => {
      one.settle(null)
      letIn(state)
    }
    const one: Waiting = {
      ...share,
      settle: (release) => {
        state.waiting.delete(one)
        signal?.removeEventListener('abort', giveUp)
        resolve(release)
      },
    }
    state.waiting.add(one)
    signal?.addEventListener('abort', giveUp)
  })

const waitingOf = ({ waiting, waitingOfOneOwner }: SemaphoreState, owner: string): number =>
  waitingOfOneOwner === unbounded ? 0 : [...waiting].filter((other) => other.owner === owner).length
