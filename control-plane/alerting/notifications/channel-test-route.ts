import { Type } from 'typebox'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { findChannel } from '../alert-channels/queries.ts'
import { ChannelId, ChannelTest } from '../alert-channels/schema.ts'
import { type TestAlertType, testAlertTypes, testEvent } from '../alert-channels/test-event.ts'
import { type SendingApp, sendNotification } from './send-notification.ts'

/** One notification of a made-up check, tried once. @throws ApiError 404 */
const testChannel = async (
  app: SendingApp,
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
    bundle: null,
    delivered: [],
  })
  return { delivered: tried.ok, answer: text }
}

export const channelTestRoute: Route<SendingApp> = route({
  method: 'POST',
  path: '/v1/alert-channels/:id/test',
  access: 'READ_WRITE',
  tag: 'Alert channels',
  summary: 'Send a test notification',
  description:
    'Sends one now, of a made-up check, whatever kinds the channel is set to send, and answers what the receiver ' +
    'said. It is tried once and not listed among the notifications. At receivers that open incidents, ' +
    'a test of a recovery closes what a test of a failure has opened.',
  params: ChannelId,
  query: Type.Object(
    { alertType: Type.Optional(Type.Enum([...testAlertTypes], { default: 'ALERT_FAILURE' })) },
    { additionalProperties: false },
  ),
  rateLimit: { requests: 10, seconds: 60 },
  status: 200,
  response: ChannelTest,
  example: { params: { id: '7' }, response: { delivered: true, answer: '250 OK' } },
  handle: ({ params, query, principal: { accountId } }, app: SendingApp) =>
    testChannel(app, { id: params.id, accountId }, query.alertType),
})
