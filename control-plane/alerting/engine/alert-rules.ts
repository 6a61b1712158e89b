/** Which alert settings apply to a check, and whose they are: account, group or check. Pure. */
import type { GatheringSettings } from '../notifications/gathering.ts'
import type { AlertRules } from './advance.ts'
import type { FlappingRule } from './flapping.ts'
import type { FailureShare } from './round-verdict.ts'

/** As stored: with every default filled in by the schema, or from before a field existed. */
export type StoredAlertSettings = {
  escalationType?: string
  runBasedEscalation?: { failedRunThreshold?: number }
  timeBasedEscalation?: { minutesFailingThreshold?: number }
  reminders?: { amount?: number; interval?: number }
  parallelRunFailureThreshold?: { enabled?: boolean; percentage?: number }
  flapping?: { enabled?: boolean; high?: number; low?: number }
}

/** The account's hold for all of its checks in part. */
export type AccountAlertSettings = StoredAlertSettings &
  GatheringSettings & { dependencyWaitSeconds?: number }

export type SettingsOrigin = 'account' | 'group' | 'check'

type CheckPart = { alertSettings: object | null; useGlobalAlertSettings: boolean }
type GroupPart = { alertSettings: object | null; useGlobalAlertSettings: boolean | null }

/** The group's when it sets one of the two, else the check's; either may say that the account's apply. */
export const alertSettingsOf = (
  check: CheckPart,
  group: GroupPart | null,
  account: StoredAlertSettings,
): { settings: StoredAlertSettings; origin: SettingsOrigin } => {
  if (group?.useGlobalAlertSettings === true) return { settings: account, origin: 'account' }
  if (group !== null && group.alertSettings !== null)
    return { settings: group.alertSettings, origin: 'group' }
  if (check.useGlobalAlertSettings !== false) return { settings: account, origin: 'account' }
  return { settings: check.alertSettings ?? {}, origin: 'check' }
}

const minuteMs = 60_000

export const escalationOf = (settings: StoredAlertSettings): AlertRules['escalation'] =>
  settings.escalationType === 'TIME_BASED'
    ? { afterMs: (settings.timeBasedEscalation?.minutesFailingThreshold ?? 5) * minuteMs }
    : { runs: settings.runBasedEscalation?.failedRunThreshold ?? 1 }

export const remindersOf = ({ reminders }: StoredAlertSettings): AlertRules['reminders'] => ({
  amount: reminders?.amount ?? 0,
  intervalMs: (reminders?.interval ?? 5) * minuteMs,
})

/** The part of the locations that must fail; for parallel runs only. */
export const failureShareOf = ({
  parallelRunFailureThreshold: threshold,
}: StoredAlertSettings): FailureShare => (threshold?.enabled ? (threshold.percentage ?? 10) : null)

/** Only where it is asked for: clients that do not know it send their settings without it, and what they are told stays the same. */
export const flappingOf = ({ flapping }: StoredAlertSettings): FlappingRule | null =>
  flapping?.enabled ? { high: flapping.high ?? 30, low: flapping.low ?? 25 } : null
