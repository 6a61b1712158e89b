import type { Reader, Variable } from '../../../platform/settings/reading.ts'

/** `awaitedForMs`: after an outage, agents that went on by themselves are waited for so long at most. */
export type HasOrdersGrace = { config: { awaitedForMs: number } }

export const graceVariables: readonly Variable[] = [
  {
    name: 'STANDING_ORDERS_GRACE',
    default: '600',
    meaning:
      'seconds after an outage for which agents that went on by themselves are waited for, at most, before due times without a result are recorded as missed',
  },
]

export const readGrace = ({ matching }: Reader): number =>
  Number(matching('STANDING_ORDERS_GRACE', /^\d{1,5}$/, 'a number of seconds from 0 to 99999') ?? 600) * 1000
