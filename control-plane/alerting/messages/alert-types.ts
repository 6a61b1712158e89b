/** What a transition of a check's state is called. */
export const alertTypes = [
  'NO_ALERT',
  'ALERT_DEGRADED',
  'ALERT_FAILURE',
  'ALERT_DEGRADED_REMAIN',
  'ALERT_DEGRADED_RECOVERY',
  'ALERT_DEGRADED_FAILURE',
  'ALERT_FAILURE_REMAIN',
  'ALERT_FAILURE_DEGRADED',
  'ALERT_RECOVERY',
  'ALERT_SSL',
] as const
export type AlertType = (typeof alertTypes)[number]

/** How much a failure of a check matters: what is critical never waits for a channel's hours. */
export const severities = ['LOW', 'NORMAL', 'CRITICAL'] as const
export type Severity = (typeof severities)[number]

/** How far a message to a channel has come. */
export const notificationStatuses = [
  'IN_PROGRESS',
  'SUCCESS',
  'FAILURE',
  'RATE_LIMITED',
  'WITHDRAWN',
] as const
export type NotificationStatus = (typeof notificationStatuses)[number]
