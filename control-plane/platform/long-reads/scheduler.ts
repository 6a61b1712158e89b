import { createFairQueue } from '../../../protocol/fair-queue.ts'

/**
 * Turns of the event loop for work that can be cut into pieces: one piece in each, however many wait, and the owners in
 * rotation, so that one owner's many questions delay neither those of others nor what arrives meanwhile.
 */
type Scheduler = { next(owner: string): Promise<void> }

export const createScheduler = (): Scheduler => {
  const queue = createFairQueue<{ key: string; begin(): void }>()
  let granting = false

  const grant = (): void => {
    const next = queue.next()
    granting = next !== null
    if (next === null) return
    setImmediate(grant)
    next.begin()
  }

  return {
    next: (owner) =>
      new Promise((resolve) => {
        queue.add({ key: owner, begin: resolve })
        if (granting) return
        granting = true
        setImmediate(grant)
      }),
  }
}
