/** Alerts of a made-up check: to see whether a channel's messages arrive, and whether its templates can be filled in. Pure. */
import { exampleType } from '../../../protocol/check-type.ts'
import type { AlertEvent } from '../messages/alert-event.ts'

export const testAlertTypes = ['ALERT_FAILURE', 'ALERT_DEGRADED', 'ALERT_RECOVERY', 'ALERT_SSL'] as const
export type TestAlertType = (typeof testAlertTypes)[number]

const testChecks = '00000000-0000-4000-8000-'

/** Whether a message was about the made-up check of a test. */
export const isTestCheck = (checkId: string): boolean => checkId.startsWith(testChecks)

type TestOrigin = { accountId: string; channelId: number; now: number }

/** The check's id is the channel's own for ever, so that a test's recovery closes what a test's failure has opened. */
export const testEvent = (
  alertType: TestAlertType,
  { accountId, channelId, now }: TestOrigin,
): AlertEvent => {
  const checkId = `${testChecks}${channelId.toString(16).padStart(12, '0')}`
  const isBad = alertType === 'ALERT_FAILURE' || alertType === 'ALERT_DEGRADED'
  return {
    alertType,
    accountId,
    checkAlertId: checkId,
    checkId,
    checkName: 'Test of an alert channel',
    checkType: exampleType,
    checkDescription: 'Somebody asked for this message to see whether it arrives. No check has changed.',
    groupId: null,
    groupName: null,
    tags: ['test'],
    checkResultId: null,
    errorMessage: isBad ? 'This is a test: expected the status to equal 200, but it was 503.' : null,
    responseTime: 123,
    apiStatus: null,
    runLocation: 'eu-west-1',
    startedAt: now,
    at: now,
    reminder: 0,
    comesBack: false,
    failingSince: isBad ? now - 60_000 : now - 300_000,
    streak: 2,
    response: null,
    severity: 'NORMAL',
    flapping: null,
    toldLate: false,
    dependents: 0,
    insteadOf: null,
    ssl: alertType === 'ALERT_SSL' ? { domain: 'example.com', daysRemaining: 12 } : null,
    location: null,
    group: null,
  }
}
