/** Values that are kept by their key, and no more of them than `limit`: the one that was asked for longest ago goes. Pure. */
import { LRU } from 'tiny-lru'

type BoundedCache<Key extends string, Value> = {
  get(key: Key): Value | undefined
  /** Puts it in as the newest. */
  set(key: Key, value: Value): void
  delete(key: Key): void
  readonly size: number
}

export const boundedCache = <Key extends string, Value>(limit: number): BoundedCache<Key, Value> =>
  new LRU<Value>(limit)

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
