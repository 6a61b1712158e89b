/**
 * Which agent of a location runs a slot while none of them is told: rendezvous hashing over those that were alive when the control plane
 * last spoke. Every agent ranks by itself, and all of them alike as long as they were told the same. Pure.
 */
import { createHash } from 'node:crypto'

type Owners = {
  me: string
  agents: readonly string[]
  /** Null: there is no second owner. */
  secondOwnerAfterMs: number | null
}

/** How long after its due time this agent runs the slot; null: it does not. */
export const delayOfSlot = (owners: Owners, checkId: string, dueAt: number): number | null => {
  const { me, agents, secondOwnerAfterMs } = owners
  // One that is not in the list has come since: what is run twice is accepted once.
  const others = agents.filter((agent) => agent !== me)
  if (others.length === 0) return 0
  const own = weightOf(me, checkId, dueAt)
  const before = others.filter((agent) => isBefore(weightOf(agent, checkId, dueAt), own)).length
  if (before === 0) return 0
  return before === 1 ? secondOwnerAfterMs : null
}

const weightOf = (agent: string, checkId: string, dueAt: number): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([agent, checkId, dueAt]))
    .digest()

const isBefore = (a: Buffer, b: Buffer): boolean => Buffer.compare(a, b) > 0
