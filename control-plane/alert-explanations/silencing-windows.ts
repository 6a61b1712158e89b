import type { Db } from '../database/db.ts'
import { toIso } from '../instant.ts'
import { activeIntervals } from '../maintenance-windows/active-windows.ts'
import { openWindows } from '../maintenance-windows/queries.ts'
import { planOf, touchedOf, untouched } from '../maintenance-windows/window-plans.ts'
import type { AlertExplanation } from './schema.ts'

type Check = { accountId: string; tags: readonly string[] }

const dayMs = 86_400_000

/** The maintenance windows that keep the check's alerts back at `now`. */
export const silencingWindows = async (
  db: Db,
  { accountId, tags }: Check,
  now: number,
): Promise<AlertExplanation['silencedBy']> => {
  const found: AlertExplanation['silencedBy'] = []
  for (const row of await db.all(openWindows, { accountIds: JSON.stringify([accountId]), now })) {
    const plan = planOf(row, row.over_at === null ? await touchedOf(db, row.id) : untouched)
    if (!plan.silenceAllAlerts && !plan.silenceAlertsTags.some((tag) => tags.includes(tag))) continue
    const within = { from: now, to: now + dayMs }
    const current = activeIntervals(plan, within).find(({ from, to }) => from <= now && now < to)
    if (current === undefined) continue
    found.push({ id: row.id, name: row.name, until: current.to < within.to ? toIso(current.to) : null })
  }
  return found
}
