/** Values that are kept by their key, and no more of them than `limit`: the one that was put in first goes. Pure. */
export type BoundedCache<Key, Value> = {
  get(key: Key): Value | undefined
  /** Puts it in as the newest. */
  set(key: Key, value: Value): void
  delete(key: Key): void
  size(): number
}

export const boundedCache = <Key, Value>(limit: number): BoundedCache<Key, Value> => {
  const kept = new Map<Key, Value>()
  // Goes on where it stood: from the start it would pass over all that went before.
  const oldestFirst = kept.keys()
  return {
    get: (key) => kept.get(key),
    set: (key, value) => {
      kept.delete(key)
      if (kept.size >= limit) kept.delete(oldestFirst.next().value as Key)
      kept.set(key, value)
    },
    delete: (key) => {
      kept.delete(key)
    },
    size: () => kept.size,
  }
}

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
