import { boundedCache } from './bounded-memo.ts'

/** Something that waits on behalf of `key`, and the bytes that it holds in memory meanwhile. */
type Waiting = { key: string; bytes?: number }

/**
 * The key that has used least of late is served next, those that have used the same in rotation: many items of one key delay only
 * each other. When the queue is full, the key that has used most is rejected first.
 */
export type FairQueue<T extends Waiting> = {
  /** Puts it in. What comes back has no room: others, or itself. */
  add(one: T): T[]
  /** Takes out the next, of the keys that may. */
  next(may?: (key: string) => boolean): T | null
  remove(one: T): void
  size(): number
  /** How many of a key wait. */
  waiting(key: string): number
  /** What `key` has used, such as CPU time. */
  charge(key: string, cost: number): void
}

/** Without bounds, unless told otherwise. */
type Limits = { max?: number; maxBytes?: number; monotonic?(): number }

/** What was used counts half after this. */
const halfLifeMs = 60_000
const rememberedKeys = 10_000

type Queue<T> = Required<Limits> & {
  /** In the order in which keys are served. */
  lines: Map<string, T[]>
  used: ReturnType<typeof boundedCache<string, { cost: number; at: number }>>
  count: number
  bytes: number
}

const unbounded = Number.POSITIVE_INFINITY

export const createFairQueue = <T extends Waiting>(limits: Limits = {}): FairQueue<T> => {
  const queue: Queue<T> = {
    max: unbounded,
    maxBytes: unbounded,
    monotonic: () => 0,
    ...limits,
    lines: new Map(),
    used: boundedCache(rememberedKeys),
    count: 0,
    bytes: 0,
  }
  return {
    add: (one) => add(queue, one),
    next: (may = () => true) => next(queue, may),
    remove: (one) => remove(queue, one),
    size: () => queue.count,
    waiting: (key) => queue.lines.get(key)?.length ?? 0,
    charge: (key, cost) => queue.used.set(key, { cost: usedOf(queue, key) + cost, at: queue.monotonic() }),
  }
}

const usedOf = <T>({ used, monotonic }: Queue<T>, key: string): number => {
  const known = used.size === 0 ? undefined : used.get(key)
  return known === undefined ? 0 : known.cost * 0.5 ** ((monotonic() - known.at) / halfLifeMs)
}

const add = <T extends Waiting>(queue: Queue<T>, one: T): T[] => {
  const line = queue.lines.get(one.key)
  if (line === undefined) queue.lines.set(one.key, [one])
  else line.push(one)
  queue.count += 1
  queue.bytes += one.bytes ?? 0
  const without: T[] = []
  while (queue.count > queue.max || queue.bytes > queue.maxBytes) {
    const last = worst(queue)
    remove(queue, last)
    without.push(last)
  }
  return without
}

/** Of the key that has used most, and of those that have used the same the largest. */
const worst = <T extends Waiting>(queue: Queue<T>): T =>
  [...queue.lines.values()].flat().reduce((a, b) => {
    const difference = usedOf(queue, b.key) - usedOf(queue, a.key)
    return difference > 0 || (difference === 0 && (b.bytes ?? 0) >= (a.bytes ?? 0)) ? b : a
  })

const next = <T extends Waiting>(queue: Queue<T>, may: (key: string) => boolean): T | null => {
  const { lines } = queue
  const key = nextKey(queue, may)
  const line = key === null ? undefined : lines.get(key)
  const one = line?.[0]
  if (key === null || line === undefined || one === undefined) return null
  remove(queue, one)
  // Its key is the last one now.
  if (lines.delete(key)) lines.set(key, line)
  return one
}

const nextKey = <T>(queue: Queue<T>, may: (key: string) => boolean): string | null => {
  let best: string | null = null
  let least = unbounded
  for (const key of queue.lines.keys()) {
    const usage = usedOf(queue, key)
    if (usage >= least || !may(key)) continue
    best = key
    least = usage
    if (usage === 0) break
  }
  return best
}

const remove = <T extends Waiting>(queue: Queue<T>, one: T): void => {
  const line = queue.lines.get(one.key) ?? []
  const at = line.indexOf(one)
  if (at === -1) return
  line.splice(at, 1)
  queue.count -= 1
  queue.bytes -= one.bytes ?? 0
  if (line.length === 0) queue.lines.delete(one.key)
}
