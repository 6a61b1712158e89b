/** Whether nobody would be told of what runs in a location: all its checks are muted, or silenced by maintenance windows. */
import { silencesIn } from '../../../alerting/engine/advance-in-silence.ts'
import { windowsOfAccount } from '../../../communication/maintenance-windows/window-plans.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { checksInLocation } from '../../locations/problem-queries.ts'
import { alertSubjects } from '../alert-states/read-alert-subject.ts'

const atOnce = 200
/** Where so many are silent, the others are taken to be, too. */
const mostLookedAt = 1000

type Location = { id: string; accountId: string }

export const isUnheard = async (
  db: Db,
  { id: locationId, accountId }: Location,
  now: number,
): Promise<boolean> => {
  const windows = await windowsOfAccount(db, accountId, now)
  const within = { from: now, to: now + 1 }
  let after = ''
  for (let looked = 0; looked < mostLookedAt; looked += atOnce) {
    const rows = await db.all(checksInLocation, { locationId, after, limit: atOnce })
    const subjects = await alertSubjects(
      db,
      rows.map(({ check_id }) => check_id),
    )
    for (const { rules, tags } of subjects.values())
      if (!rules.muted && silencesIn(windows, tags, within).length === 0) return false
    if (rows.length < atOnce) return true
    after = rows.at(-1)?.check_id ?? ''
  }
  return true
}
