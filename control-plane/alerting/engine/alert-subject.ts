import type { CheckType } from '../../../protocol/check-type.ts'
import type { TriggerIncident } from '../../communication/incidents/open-or-resolve.ts'
import type { Severity } from '../messages/alert-types.ts'
import type { Gathering } from '../notifications/gathering.ts'
import type { AlertRules } from './advance.ts'
import type { SettingsOrigin, StoredAlertSettings } from './alert-rules.ts'
import type { GroupHealthRule } from './group-verdict.ts'
import type { FailureShare } from './round-verdict.ts'

/** A check as alerting sees it: its rules after group and account have had their say, and what notifications name. */
export type AlertSubject = {
  id: string
  accountId: string
  type: CheckType
  name: string
  groupId: number | null
  groupName: string | null
  description: string | null
  /** The check's and its group's. */
  tags: string[]
  /** A check that does not run alerts as little as a muted one. */
  rules: Omit<AlertRules, 'silences'>
  settings: StoredAlertSettings
  origin: SettingsOrigin
  severity: Severity
  /** Who muted it, and who stopped it; null for nobody. */
  mutedBy: 'check' | 'group' | null
  stoppedBy: 'check' | 'group' | null
  /** How many locations run one due time together; 1: each run counts by itself. */
  expected: number
  share: FailureShare
  triggerIncident: TriggerIncident | null
  /** Its group has a health of its own, and says who tells of failures. */
  groupTells: GroupHealthRule['tells'] | null
  /** How long its failure waits at most for a run of what it depends on. */
  dependencyWaitMs: number
  /** With whom it is told together. */
  gathering: Gathering
}
