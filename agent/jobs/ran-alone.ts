/**
 * What this agent has run by itself and the control plane has not heard of: a job of such a slot, which it is given once the control plane is
 * back, is held until the late report has taken its place, and not run.
 */
import type { Job } from '../../protocol/job.ts'
import { slotKey } from '../orders/late-batches.ts'
import type { OrderEntry } from '../orders/order-book.ts'
import type { AgentCore } from './agent-state.ts'

/** Runs are named by the ids of their first attempts, which are those of their slots. */
export type RanAlone = {
  begun(entry: OrderEntry, id: string): void
  /** Its first attempt has ended. */
  finished(id: string): void
  /** Nobody will tell of it any more, or the control plane has heard of it. */
  forget(id: string): void
  /** Slots that an earlier process has run (`slotKey`). */
  skip(slots: ReadonlySet<string>): void
  byEarlier(slot: Pick<Job, 'checkId' | 'dueAt'>): boolean
  has(job: Job): boolean
}

export const createRanAlone = ({ held }: Pick<AgentCore, 'held'>): RanAlone => {
  /** One of each check: nothing but its latest slot is ever handed out. */
  const untold = new Set<string>()
  let earlier: ReadonlySet<string> = new Set()
  return {
    begun: (entry, id) => {
      untold.delete(entry.ranAlone)
      entry.ranAlone = id
      untold.add(id)
    },
    finished: (id) => {
      const offered = held.get(id)
      if (offered?.isRunAlone) offered.state = 'reporting'
    },
    forget: (id) => {
      untold.delete(id)
      if (held.get(id)?.isRunAlone) held.delete(id)
    },
    skip: (slots) => {
      earlier = slots
    },
    byEarlier: (slot) => earlier.has(slotKey(slot)),
    has: (job) => untold.has(job.id) || earlier.has(slotKey(job)),
  }
}
