import { activeIntervals } from '../../communication/maintenance-windows/active-windows.ts'
import { openWindows } from '../../communication/maintenance-windows/queries.ts'
import { planOf, touchedOf, untouched } from '../../communication/maintenance-windows/window-plans.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import type { AlertExplanation } from './schema.ts'

type Check = { accountId: string; tags: readonly string[] }

const dayMs = 86_400_000

type InForce = Pick<AlertExplanation, 'silencedBy' | 'pausedBy'>

/** The maintenance windows that at `now` keep the check's alerts back, and those that keep it from running. */
export const windowsInForce = async (db: Db, { accountId, tags }: Check, now: number): Promise<InForce> => {
  const found: InForce = { silencedBy: [], pausedBy: [] }
  const meansIt = (tag: string): boolean => tags.includes(tag)
  for (const row of await db.all(openWindows, { accountIds: [accountId], now })) {
    const plan = planOf(row, row.over_at === null ? await touchedOf(db, row.id) : untouched)
    const silences = plan.silenceAllAlerts || plan.silenceAlertsTags.some(meansIt)
    const pauses = plan.pauseAllChecks || plan.tags.some(meansIt)
    if (!silences && !pauses) continue
    const within = { from: now, to: now + dayMs }
    const current = activeIntervals(plan, within).find(({ from, to }) => from <= now && now < to)
    if (current === undefined) continue
    const until = current.to < within.to ? toIso(current.to) : null
    if (silences) found.silencedBy.push({ id: row.id, name: row.name, until })
    if (pauses) found.pausedBy.push({ id: row.id, name: row.name, until })
  }
  return found
}
