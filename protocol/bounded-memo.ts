/** Values that are kept by their key, and no more of them than `limit`: the one that was put in first goes. Pure. */
type BoundedCache<Key, Value> = {
  get(key: Key): Value | undefined
  /** Puts it in as the newest. */
  set(key: Key, value: Value): void
  delete(key: Key): void
  size(): number
}

export const boundedCache = <Key, Value>(limit: number): BoundedCache<Key, Value> => {
  const kept = new Map<Key, Value>()
  let oldestFirst: MapIterator<Key> | null = null
  let changes = 0
  const noteChange = (): void => {
    changes = (changes + 1) % changesOfIterator
    if (changes === 0) oldestFirst = null
  }
  const oldest = (): Key => {
    oldestFirst ??= kept.keys()
    return oldestFirst.next().value as Key
  }
  return {
    get: (key) => kept.get(key),
    set: (key, value) => {
      kept.delete(key)
      if (kept.size >= limit) kept.delete(oldest())
      kept.set(key, value)
      noteChange()
    },
    delete: (key) => {
      kept.delete(key)
      noteChange()
    },
    size: () => kept.size,
  }
}

/**
 * An iterator goes on where it stood, which a new one finds only behind all that went before. But as long as it stands there, V8
 * keeps every table that the map has outgrown since, with all that was in it: so it is not kept for long.
 */
const changesOfIterator = 1000

type MemoOptions<Value> = {
  limit: number
  /** What is too large to be kept is made anew each time. */
  keeps?(value: Value): boolean
}

/** A pure function of a text that keeps its answers: what is asked again and again is worked out once. */
export const boundedMemo = <Value>(
  make: (text: string) => Value,
  { limit, keeps = () => true }: MemoOptions<Value>,
): ((text: string) => Value) => {
  const known = boundedCache<string, Value>(limit)
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const made = make(text)
    if (keeps(made)) known.set(text, made)
    return made
  }
}
