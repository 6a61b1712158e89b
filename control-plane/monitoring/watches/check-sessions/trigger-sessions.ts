import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { CheckSessionsTable } from '../../../platform/store/database/tables/check-sessions.ts'
import { groupsOfAccount } from '../../definitions/check-groups/queries.ts'
import { groupDoc } from '../../definitions/check-groups/schema.ts'
import { type CheckDoc, checkDoc } from '../../definitions/checks/check-doc.ts'
import { letGo } from './advance-session.ts'
import { matchesTarget, type Target } from './match-target.ts'
import { insertSession, triggerableChecks } from './queries.ts'

type Trigger = { accountId: string; target: Target; refreshCache: boolean }

export const defaultConcurrency = 3

/**
 * One session for each active check that the target means, with a run in each of its locations. Of the checks of a group
 * `concurrency` run at once, in their `groupOrder`; the others follow as those end. Empty when nothing matches.
 */
export const triggerSessions = async (
  app: App & HasWakeups,
  { accountId, target, refreshCache }: Trigger,
): Promise<CheckSessionsTable[]> => {
  const now = app.clock.now()
  const triggerId = app.newId()
  const groups = new Map(
    (await app.db.all(groupsOfAccount, { accountId })).map(({ id, doc }) => [id, groupDoc.read(doc)]),
  )
  const meant = (await app.db.all(triggerableChecks, { accountId }))
    .map((check) => ({ ...check, doc: checkDoc.read(check.doc) }))
    .filter(({ id, doc, group_id }) => {
      const groupTags = group_id === null ? [] : (groups.get(group_id)?.tags ?? [])
      return matchesTarget({ id, tags: [...doc.tags, ...groupTags] }, target)
    })
    .sort((a, b) => orderOf(a.doc) - orderOf(b.doc))
  const sessions = meant.map(
    (check, position): CheckSessionsTable => ({
      id: app.newId(),
      account_id: accountId,
      check_id: check.id,
      check_type: check.type,
      name: check.name,
      status: 'STARTED',
      run_source: 'TRIGGER_API',
      trigger_id: triggerId,
      group_id: check.group_id,
      position,
      locations: check.locations,
      runtime_id: check.runtime_id,
      refresh_cache: refreshCache,
      is_test: false,
      variables: null,
      created_at: now,
      started_at: now,
      stopped_at: null,
    }),
  )
  const first = firstOfEachGroup(
    sessions,
    (groupId) => groups.get(groupId)?.concurrency ?? defaultConcurrency,
  )
  const wake = await app.db.transaction(async (trx) => {
    const locations: string[] = []
    for (const session of sessions) await trx.run(insertSession, session)
    for (const session of first) locations.push(...(await letGo(trx, session, { now, newId: app.newId })))
    return locations
  })
  for (const location of new Set(wake)) app.wakeups.wake(location)
  return sessions
}

/** Checks without a place in the order come last, as they were created. */
export const orderOf = ({ groupOrder }: CheckDoc): number => groupOrder ?? Number.MAX_SAFE_INTEGER

export const firstOfEachGroup = (
  sessions: CheckSessionsTable[],
  concurrencyOf: (groupId: number) => number,
): CheckSessionsTable[] => {
  const started = new Map<number, number>()
  return sessions.filter(({ group_id }) => {
    if (group_id === null) return true
    const running = started.get(group_id) ?? 0
    if (running >= concurrencyOf(group_id)) return false
    started.set(group_id, running + 1)
    return true
  })
}
