/**
 * Whose reads may be answered by a replica: those of a request that said so. Handlers and queries know nothing of it; the store
 * that they are given looks here (replicated.ts).
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export type ReadScope = {
  /** Monotonic: what was written until then has to be seen. */
  readonly notBefore: number
  /** It has written: what it reads from now on is its own. */
  hasWritten: boolean
  /** It was answered, and later work is not part of it. */
  isOver: boolean
  /** How old what a replica has answered is at most; null: the primary has answered everything. */
  lagMs: number | null
}

const storage = new AsyncLocalStorage<ReadScope>()

export const readingWith = <T>(scope: ReadScope, work: () => Promise<T>): Promise<T> =>
  storage.run(scope, work)

export const currentReads = (): ReadScope | undefined => {
  const scope = storage.getStore()
  return scope === undefined || scope.isOver ? undefined : scope
}
