/** How long each kind of row is kept: `RETENTION_…_DAYS`, one variable for each. docs/retention.md explains it. */
import type { Reader, Variable } from '../settings/reading.ts'

export type RetentionSetting = { name: string; days: number; meaning: string }

/** By kind, the milliseconds after which its rows end. */
export type Retention<K extends string = string> = Readonly<Record<K, number>>

export type HasRetention<K extends string = string> = { config: { retention: Retention<K> } }

const dayMs = 86_400_000

export const variableOf = ({ name }: RetentionSetting): string => `RETENTION_${name}_DAYS`

export const retentionVariables = (settings: Readonly<Record<string, RetentionSetting>>): Variable[] =>
  Object.values(settings).map((setting) => ({
    name: variableOf(setting),
    default: String(setting.days),
    meaning: `days to keep: ${setting.meaning}`,
  }))

export const readRetention = <K extends string>(
  { matching }: Pick<Reader, 'matching'>,
  settings: Readonly<Record<K, RetentionSetting>>,
): Retention<K> => {
  const days = Object.entries<RetentionSetting>(settings).map(([kind, setting]) => {
    const value = matching(variableOf(setting), /^([1-9]\d{0,3}|10000)$/, 'a number of days from 1 to 10000')
    return [kind, Number(value ?? setting.days) * dayMs]
  })
  return Object.freeze(Object.fromEntries(days))
}

/** For how long rows of a kind are kept. */
export const retentionOf = ({ config }: HasRetention, kind: string): number => {
  const ms = config.retention[kind]
  if (ms === undefined) throw new Error(`No setting says how long ${kind} are kept`)
  return ms
}
