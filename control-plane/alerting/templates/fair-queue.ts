/** A queue that serves its keys round robin, so that one key's many items delay only each other. Pure. */
type FairQueue<Item> = {
  add(key: string, item: Item): void
  next(): Item | undefined
  waiting(key: string): number
  isEmpty(): boolean
}

export const createFairQueue = <Item>(): FairQueue<Item> => {
  const byKey = new Map<string, Item[]>()
  return {
    add: (key, item) => {
      const items = byKey.get(key)
      if (items) items.push(item)
      else byKey.set(key, [item])
    },
    next: () => {
      const [first] = byKey
      if (first === undefined) return undefined
      const [key, items] = first
      const item = items.shift()
      byKey.delete(key)
      if (items.length > 0) byKey.set(key, items)
      return item
    },
    waiting: (key) => byKey.get(key)?.length ?? 0,
    isEmpty: () => byKey.size === 0,
  }
}
