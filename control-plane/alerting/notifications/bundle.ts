/** A message that names many, on its way: its leader is claimed, tried and settled like any other, and what it leads goes along. */
import type { App } from '../../platform/app/app.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AlertNotificationsTable } from '../../platform/store/database/tables/alert-channels.ts'
import { type AlertEvent, alertEvent } from '../messages/alert-event.ts'
import { claimGathered, leadBundle, membersOfBundle, settleMembers, stillFailing } from './bundle-queries.ts'
import type { DeliveryOutcome } from './outbox-queries.ts'

type Row = AlertNotificationsTable

/** `events`: of the leader and of those that go along, in the order in which they happened to each check. `stillFailing`: of what was told of under the same, how many are not well; known where all of these are. */
export type Bundle = { gather: string; events: readonly AlertEvent[]; stillFailing: number }

/** Null: it is told alone, for ever. What waits to be told with it is fixed when it is tried for the first time. */
export const bundleOf = async (
  app: App,
  leader: Row,
  { now, until }: { now: number; until: number },
): Promise<Bundle | null> => {
  const { id, channel_id: channelId, gather, bundle_id: bundleId } = leader
  if (gather === null) return null
  const rows =
    bundleId === null
      ? await app.db.transaction((trx) => gatherAround(trx, { leader: id, channelId, gather, now, until }))
      : await app.db.all(membersOfBundle, { leader: id })
  const inOrder = [leader, ...rows].sort((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : 1))
  const events = inOrder.map(({ event }) => alertEvent.read(event))
  const failing = await app.db.get(stillFailing, { channelId, gather })
  return { gather, events, stillFailing: failing?.total ?? 0 }
}

type Around = { leader: string; channelId: number; gather: string; now: number; until: number }

const gatherAround = async (trx: Db, around: Around): Promise<Row[]> => {
  await trx.run(leadBundle, { leader: around.leader })
  return trx.all(claimGathered, around)
}

/** After the leader was settled, in the same transaction. */
export const settleBundle = async (trx: Db, leader: Row, outcome: DeliveryOutcome): Promise<void> => {
  if (leader.gather === null) return
  const { status, tries, dueAt, sentAt, doc } = outcome
  await trx.run(settleMembers, { leader: leader.id, status, tries, dueAt, sentAt, doc })
}

/** One of each that waits to be told together: the others go with it. Pure. */
export const leadersOf = <T extends { channel_id: number; gather: string | null }>(
  candidates: readonly T[],
): T[] => {
  const seen = new Set<string>()
  return candidates.filter(({ channel_id, gather }) => {
    if (gather === null) return true
    const key = `${channel_id} ${gather}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
