import { boundedCache } from '../../protocol/bounded-memo.ts'

/** Something that waits on behalf of `key`, and the bytes that it holds in memory meanwhile. */
type Waiting = { key: string; bytes: number }

/**
 * The key that has used least time recently is served next; when the queue is full, the key that has used most is rejected first. So
 * one check's expensive work delays only that check.
 */
export type FairQueue<T extends Waiting> = {
  /** Puts it in. What comes back has no room: others, or itself. */
  add(one: T): T[]
  /** Takes out the next of those that may. */
  next(may: (one: T) => boolean): T | null
  remove(one: T): void
  /** CPU time that `key` has used. */
  charge(key: string, cpuMs: number): void
}

type Limits = { most: number; maxBytes: number; monotonic(): number }

/** What was used counts half after this. */
const halfLifeMs = 60_000
const rememberedKeys = 10_000

export const createFairQueue = <T extends Waiting>({ most, maxBytes, monotonic }: Limits): FairQueue<T> => {
  const waiting = new Set<T>()
  const used = boundedCache<string, { cpuMs: number; at: number }>(rememberedKeys)
  let bytes = 0

  const usedOf = (key: string): number => {
    const known = used.get(key)
    return known === undefined ? 0 : known.cpuMs * 0.5 ** ((monotonic() - known.at) / halfLifeMs)
  }
  const remove = (one: T): void => {
    if (waiting.delete(one)) bytes -= one.bytes
  }
  const worst = (): T =>
    [...waiting].reduce((a, b) => {
      const difference = usedOf(b.key) - usedOf(a.key)
      return difference > 0 || (difference === 0 && b.bytes >= a.bytes) ? b : a
    })

  return {
    add: (one) => {
      waiting.add(one)
      bytes += one.bytes
      const without: T[] = []
      while (waiting.size > most || bytes > maxBytes) {
        const last = worst()
        remove(last)
        without.push(last)
      }
      return without
    },
    next: (may) => {
      let best: T | null = null
      for (const one of waiting)
        if (may(one) && (best === null || usedOf(one.key) < usedOf(best.key))) best = one
      if (best !== null) remove(best)
      return best
    },
    remove,
    charge: (key, cpuMs) => used.set(key, { cpuMs: usedOf(key) + cpuMs, at: monotonic() }),
  }
}
