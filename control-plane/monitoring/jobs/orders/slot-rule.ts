/** From a schedule's row to the rule by which an agent knows the due times of its location, the same that are planned. Pure. */
import type { SlotRule } from '../../../../protocol/standing-order.ts'
import type { SchedulesTable } from '../../../platform/store/database/tables/runs.ts'
import { runLocations } from '../../schedule/schedule-queries.ts'
import type { Pause } from '../../schedule/without-pauses.ts'

type PlannedSchedule = Pick<
  SchedulesTable,
  'period_ms' | 'phase_ms' | 'next_at' | 'turn' | 'parallel' | 'locations' | 'from_at'
>

/** Null: the check does not run in this location. The same as long as its plan is, wherever the schedule stands. */
export const slotRuleOf = (
  schedule: PlannedSchedule,
  location: string,
  pauses: readonly Pause[],
): SlotRule | null => {
  const { period_ms: periodMs, phase_ms: phaseMs, next_at: nextAt, from_at: turnAt, parallel } = schedule
  const locations = runLocations.read(schedule.locations)
  const position = locations.findIndex(({ id }) => id === location)
  if (position === -1) return null
  const handedOut = (nextAt - turnAt) / periodMs
  return {
    periodMs,
    phaseMs,
    from: turnAt - 1,
    parallel,
    locations: locations.length,
    position,
    turnAt,
    turn: positiveModulo(schedule.turn - handedOut, locations.length),
    pauses: pauses.map(({ from, to }) => ({ from, to })),
  }
}

const positiveModulo = (value: number, modulus: number): number => ((value % modulus) + modulus) % modulus
