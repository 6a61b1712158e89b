import { activeIntervals } from '../../communication/maintenance-windows/active-windows.ts'
import { windowsOfAccount } from '../../communication/maintenance-windows/window-plans.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { Silence } from './advance.ts'

type SilenceQuestion = { accountId: string; tags: readonly string[]; within: Silence }

/** When maintenance keeps back the alerts of a check with these tags (its own and its group's), within `within`. */
export const silencesOf = async (db: Db, { accountId, tags, within }: SilenceQuestion): Promise<Silence[]> =>
  (await windowsOfAccount(db, accountId, within.from))
    .filter((plan) => plan.silenceAllAlerts || plan.silenceAlertsTags.some((tag) => tags.includes(tag)))
    .flatMap((plan) => activeIntervals(plan, within))
