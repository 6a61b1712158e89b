import type { CheckType } from '../../../protocol/check-type.ts'
import type { AlertType } from './alert-types.ts'

/** What a notification tells, free of any channel's words. */
export type AlertEvent = {
  alertType: AlertType
  accountId: string
  checkAlertId: string
  checkId: string
  checkName: string
  checkType: CheckType
  checkDescription: string | null
  groupId: number | null
  groupName: string | null
  tags: string[]
  checkResultId: string | null
  errorMessage: string | null
  responseTime: number | null
  apiStatus: { code: number; text: string } | null
  runLocation: string | null
  /** Of the run. */
  startedAt: number
  /** Of the transition. */
  at: number
  /** 0: the first alert. */
  reminder: number
  ssl: { domain: string; daysRemaining: number } | null
}
