import type { App } from '../../platform/app.ts'
import { notFound } from '../../platform/http/errors.ts'
import type { AlertEvent } from '../engine/alert-event.ts'
import { sendNotification } from '../engine/send-notification.ts'
import { findChannel } from './queries.ts'
import type { ChannelTest } from './schema.ts'

export const testAlertTypes = ['ALERT_FAILURE', 'ALERT_DEGRADED', 'ALERT_RECOVERY', 'ALERT_SSL'] as const
type TestAlertType = (typeof testAlertTypes)[number]

/** One notification of a made-up check, tried once. @throws ApiError 404 */
export const testChannel = async (
  app: App,
  { id, accountId }: { id: number; accountId: string },
  alertType: TestAlertType = 'ALERT_FAILURE',
): Promise<ChannelTest> => {
  if (!(await app.db.get(findChannel, { id, accountId }))) throw notFound()
  const event = testEvent(alertType, { accountId, channelId: id, now: app.clock.now() })
  const { tried, text } = await sendNotification(app, {
    id: app.newId(),
    accountId,
    channelId: id,
    event,
    delivered: [],
  })
  return { delivered: tried.ok, answer: text }
}

const testChecks = '00000000-0000-4000-8000-'

/** Whether a message was about the made-up check of a test. */
export const isTestCheck = (checkId: string): boolean => checkId.startsWith(testChecks)

type Making = { accountId: string; channelId: number; now: number }

/** The check's id is the channel's own for ever, so that a test's recovery closes what a test's failure has opened. */
const testEvent = (alertType: TestAlertType, { accountId, channelId, now }: Making): AlertEvent => {
  const checkId = `${testChecks}${channelId.toString(16).padStart(12, '0')}`
  const isBad = alertType === 'ALERT_FAILURE' || alertType === 'ALERT_DEGRADED'
  return {
    alertType,
    accountId,
    checkAlertId: checkId,
    checkId,
    checkName: 'Test of an alert channel',
    checkType: 'URL',
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
    ssl: alertType === 'ALERT_SSL' ? { domain: 'example.com', daysRemaining: 12 } : null,
  }
}
