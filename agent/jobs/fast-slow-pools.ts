/**
 * Who may run at once. Every run starts in the fast pool. One that is still in flight after `slowAfterMs` waits for its
 * target and costs next to nothing: it moves to the slow pool and frees its slot, so that targets that never answer cannot
 * keep others from starting. Only when the slow pool is full as well do slow runs hold fast slots.
 */
export type FastSlowPools<T> = {
  hasRoom(): boolean
  enter(run: T, now: number): void
  leave(run: T): void
  /** Moves what has become slow, while the slow pool holds less than `most`; returns how many slots that freed. */
  sort(now: number, max: number): number
  fast(): number
  slow(): number
}

/** `fast`: slots of the fast pool. `slowAfterMs`: how long a run may take before it counts as slow. */
type PoolLimits = { fast: number; slowAfterMs: number }

export const createFastSlowPools = <T>(limits: PoolLimits): FastSlowPools<T> => {
  // Insertion order is start order, so the oldest run is the first.
  const fast = new Map<T, number>()
  const slow = new Set<T>()
  return {
    hasRoom: () => fast.size < limits.fast,
    enter: (run, now) => fast.set(run, now),
    leave: (run) => {
      if (!fast.delete(run)) slow.delete(run)
    },
    sort: (now, max) => {
      let moved = 0
      for (const [run, startedAt] of fast) {
        if (now - startedAt < limits.slowAfterMs || slow.size >= max) break
        fast.delete(run)
        slow.add(run)
        moved += 1
      }
      return moved
    },
    fast: () => fast.size,
    slow: () => slow.size,
  }
}
