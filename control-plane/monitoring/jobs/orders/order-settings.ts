/** How long agents go on by themselves while they cannot reach a control plane. */
import type { Reader, Variable } from '../../../platform/settings/reading.ts'

/** `holdMs`: orders end so long after the last answer; 0: there are none. `secondOwnerAfterMs`: null: nobody stands in. */
export type StandingOrderSettings = { holdMs: number; secondOwnerAfterMs: number | null }

export type HasStandingOrders = { config: { standingOrders: StandingOrderSettings } }

export const standingOrderVariables: readonly Variable[] = [
  {
    name: 'STANDING_ORDERS_HOURS',
    default: '24',
    meaning:
      'hours for which agents go on running checks by themselves while they cannot reach the control plane; 0: they do not',
  },
  {
    name: 'STANDING_ORDERS_SECOND_OWNER_SECONDS',
    default: '15',
    meaning:
      'seconds after a due time at which a second agent of the location runs it as well meanwhile, in case the first is gone; 0: none does',
  },
]

const hourMs = 3_600_000

export const readStandingOrders = ({ matching }: Reader): StandingOrderSettings => {
  const hours = matching('STANDING_ORDERS_HOURS', /^\d{1,3}$/, 'a number of hours from 0 to 999')
  const seconds = matching(
    'STANDING_ORDERS_SECOND_OWNER_SECONDS',
    /^\d{1,4}$/,
    'a number of seconds from 0 to 9999',
  )
  const afterMs = Number(seconds ?? 15) * 1000
  return Object.freeze({
    holdMs: Number(hours ?? 24) * hourMs,
    secondOwnerAfterMs: afterMs === 0 ? null : afterMs,
  })
}
