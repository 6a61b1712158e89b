/** What is said when a window is written that does nothing. Writing it is allowed: checks may get its tags later. */
import type { Db } from '../../platform/store/database/db.ts'
import type { MaintenanceWindowsTable } from '../../platform/store/database/tables/maintenance-windows.ts'
import { taggedChecks, taggedGroups } from './tagged.ts'
import { windowDoc } from './window-doc.ts'

type Warning = { message: string }

export const windowWarnings = async (
  db: Db,
  row: MaintenanceWindowsTable,
  now: number,
): Promise<Warning[]> => {
  const { tags, pauseAllChecks, silenceAllAlerts, silenceAlertsTags, statusPageVisibility } = windowDoc.read(
    row.doc,
  )
  const actsOnAll = pauseAllChecks || silenceAllAlerts
  const known = actsOnAll ? new Set() : await tagsInUse(db, row.account_id, [...tags, ...silenceAlertsTags])
  const actsOnSome = [...tags, ...silenceAlertsTags].some((tag) => known.has(tag))
  const unused = [...new Set([...tags, ...silenceAlertsTags])].filter((tag) => !known.has(tag))
  return [
    ...(row.over_at !== null && row.over_at <= now
      ? ['Its last occurrence is over: it does not take place any more.']
      : []),
    ...(actsOnAll || actsOnSome || statusPageVisibility.enabled
      ? []
      : ['It pauses no check, keeps back no alert, and no status page shows it.']),
    ...(actsOnAll || unused.length === 0
      ? []
      : [`No check and no group has the tag ${unused.map((tag) => `"${tag}"`).join(', ')}.`]),
  ].map((message) => ({ message }))
}

const tagsInUse = async (db: Db, accountId: string, tags: readonly string[]): Promise<Set<string>> => {
  if (tags.length === 0) return new Set()
  const those = { accountId, tags }
  const rows = await db.select((k) =>
    taggedChecks(k, those).select('tag').union(taggedGroups(k, those).select('tag')),
  )
  return new Set(rows.map(({ tag }) => tag))
}
