import type { App } from '../../platform/app/app.ts'
import { notFound } from '../../platform/web/http/errors.ts'
import { sendNotification } from '../engine/send-notification.ts'
import { findChannel } from './queries.ts'
import type { ChannelTest } from './schema.ts'
import { type TestAlertType, testEvent } from './test-event.ts'

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
