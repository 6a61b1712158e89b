/** Things to do, the earliest first, and in the order of their coming when they are due together: a binary heap. */
export type DueQueue<T> = {
  add(dueAt: number, item: T): void
  /** When the earliest is due; null when there is none. */
  next(): number | null
  /** Takes everything that is due, in order. */
  take(now: number): T[]
  /** Takes everything. */
  clear(): T[]
  size(): number
}

type Entry<T> = { dueAt: number; sequence: number; item: T }

const isBefore = (a: Entry<unknown>, b: Entry<unknown>): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.sequence < b.sequence)

/** An empty queue. */
export const createDueQueue = <T>(): DueQueue<T> => {
  const heap: Entry<T>[] = []
  let sequence = 0
  const at = (index: number) => heap[index] as Entry<T>
  const swap = (a: number, b: number): void => {
    const held = at(a)
    heap[a] = at(b)
    heap[b] = held
  }
  const rise = (start: number): void => {
    for (let index = start; index > 0; ) {
      const parent = (index - 1) >> 1
      if (isBefore(at(parent), at(index))) return
      swap(parent, index)
      index = parent
    }
  }
  const sink = (): void => {
    for (let index = 0; ; ) {
      const left = 2 * index + 1
      const right = left + 1
      if (left >= heap.length) return
      const child = right < heap.length && isBefore(at(right), at(left)) ? right : left
      if (isBefore(at(index), at(child))) return
      swap(index, child)
      index = child
    }
  }
  const pop = (): T => {
    const { item } = at(0)
    const last = heap.pop()
    if (heap.length > 0 && last !== undefined) {
      heap[0] = last
      sink()
    }
    return item
  }
  return {
    add: (dueAt, item) => {
      sequence += 1
      heap.push({ dueAt, sequence, item })
      rise(heap.length - 1)
    },
    next: () => heap[0]?.dueAt ?? null,
    take: (now) => {
      const due: T[] = []
      while (heap.length > 0 && at(0).dueAt <= now) due.push(pop())
      return due
    },
    clear: () => heap.splice(0).map(({ item }) => item),
    size: () => heap.length,
  }
}
