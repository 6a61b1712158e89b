/** What of a check and its account decides with whom it is told together. Pure. */
import type { groupings } from '../../access/accounts/alert-settings.ts'
import type { StormBrake } from './storm-rules.ts'

export type Grouping = { by: (typeof groupings)[number]; intervalSeconds: number }

/** `stormBrake` null: none. `dependency`: the first of what it depends on; null: nothing. */
export type Gathering = {
  stormBrake: StormBrake | null
  grouping: Grouping | null
  host: string
  dependency: string | null
}

type StoredBrake = { enabled?: boolean; checks?: number; percent?: number; seconds?: number }
type StoredGrouping = Partial<Grouping>

export type GatheringSettings = { stormBrake?: StoredBrake; grouping?: StoredGrouping }

/** Only where it is asked for; a new account asks for it (access/accounts/account-doc.ts). */
export const stormBrakeOf = (stormBrake: StoredBrake | undefined): StormBrake | null =>
  stormBrake?.enabled
    ? {
        checks: stormBrake.checks ?? 20,
        percent: stormBrake.percent ?? 30,
        windowMs: (stormBrake.seconds ?? 60) * 1000,
      }
    : null

/** Null: nothing is said. */
export const groupingOf = (grouping: StoredGrouping | null | undefined): Grouping | null =>
  grouping ? { by: grouping.by ?? 'NONE', intervalSeconds: grouping.intervalSeconds ?? 300 } : null

type About = { groupId: number | null; tags: readonly string[]; runLocation: string | null }

/** Whatever has the same is told together; null: it is told alone. */
export const groupKey = (
  { by }: Grouping,
  { groupId, tags, runLocation }: About,
  { dependency }: Pick<Gathering, 'dependency'>,
): string | null => {
  const value = {
    NONE: null,
    DEPENDENCY: dependency,
    GROUP: groupId,
    TAG: tags[0] ?? null,
    LOCATION: runLocation,
  }[by]
  return value === null ? null : `${by.toLowerCase()} ${value}`
}
