/**
 * Writes down of which checks nothing has been heard for too long. Not of those that are muted or that maintenance has paused
 * within that time; those that are deactivated and heartbeats, which have a rule of their own, have no schedule.
 */
import type { App } from '../../../platform/app/app.ts'
import { effectiveSettings } from '../../definitions/check-groups/effective-settings.ts'
import { groupsOfAccount } from '../../definitions/check-groups/queries.ts'
import { groupDoc } from '../../definitions/check-groups/schema.ts'
import { checkDoc } from '../../definitions/checks/check-doc.ts'
import { checksById } from '../../definitions/checks/checks-by-id.ts'
import { kindOf } from '../../definitions/checks/types/index.ts'
import { type HasTags, pausesOfChecks } from '../../schedule/pauses-of-checks.ts'
import { markStale, scheduledStatuses } from './queries.ts'
import { allowedSilenceMs, isStale } from './stale-after.ts'

const checksPerSlice = 500

type Silent = { check_id: string; account_id: string; since: number; allowedMs: number }

export const staleTick = async (
  app: App & HasTags,
  signal?: AbortSignal,
  knownUntil = Number.POSITIVE_INFINITY,
): Promise<void> => {
  const now = Math.min(app.clock.now(), knownUntil)
  let afterId: string | undefined = ''
  while (afterId !== undefined && !signal?.aborted) {
    const rows: NonNullable<(typeof scheduledStatuses)['row']>[] = await app.db.all(scheduledStatuses, {
      afterId,
      limit: checksPerSlice,
    })
    const silent = await unexcused(
      app,
      rows.flatMap((row) => silentSince(row, now)),
      now,
    )
    if (silent.length > 0)
      await app.db.run(markStale, {
        silent: silent.map(({ check_id, since }) => ({ check_id, since })),
      })
    afterId = rows.length < checksPerSlice ? undefined : rows.at(-1)?.check_id
  }
}

const silentSince = (row: NonNullable<(typeof scheduledStatuses)['row']>, now: number): Silent[] => {
  const { check_id, account_id, last_started_at: since, longest_run: longestRunMs, stale_since } = row
  if (since === null || stale_since !== null) return []
  const said = { lastStartedAt: since, longestRunMs, fromAt: row.from_at, periodMs: row.period_ms }
  return isStale(said, now) ? [{ check_id, account_id, since, allowedMs: allowedSilenceMs(said) }] : []
}

const unexcused = async (app: App & HasTags, silent: readonly Silent[], now: number): Promise<Silent[]> => {
  if (silent.length === 0) return []
  const longestMs = Math.max(...silent.map(({ allowedMs }) => allowedMs))
  const pauses = await pausesOfChecks(app, silent, { from: now - longestMs, to: now })
  const muted = await mutedChecks(app, silent)
  return silent.filter(
    ({ check_id, allowedMs }) =>
      !muted.has(check_id) && !(pauses.get(check_id) ?? []).some(({ to }) => to > now - allowedMs),
  )
}

const mutedChecks = async ({ db }: App, silent: readonly Silent[]): Promise<ReadonlySet<string>> => {
  const muted = new Set<string>()
  for (const [accountId, some] of Map.groupBy(silent, ({ account_id }) => account_id)) {
    const groups = new Map(
      (await db.all(groupsOfAccount, { accountId })).map(({ id, doc }) => [id, groupDoc.read(doc)]),
    )
    for (const { id, type, group_id, doc } of await db.all(checksById, {
      ids: some.map(({ check_id }) => check_id),
    })) {
      const group = group_id === null ? null : (groups.get(group_id) ?? null)
      if (effectiveSettings(checkDoc.read(doc), group, kindOf(type)).muted) muted.add(id)
    }
  }
  return muted
}
