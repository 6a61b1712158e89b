import { Type } from 'typebox'
import { exampleType } from '../../../protocol/check-type.ts'
import type { App } from '../../platform/app/app.ts'
import { longRead } from '../../platform/long-reads/long-read.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AlertNotificationsTable } from '../../platform/store/database/tables/alert-channels.ts'
import { offsetOf, pageParameters, pageReply } from '../../platform/web/http/answers/offset-page.ts'
import { recentWindow, recentWindowParameters } from '../../platform/web/http/request/recent-window.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { alertEvent } from '../messages/alert-event.ts'
import { maxTries } from './next-try.ts'
import { notificationDoc } from './notification-doc.ts'
import { findNotification, requeueNotification } from './outbox-queries.ts'
import { listNotifications } from './queries.ts'
import { notificationsWakeup } from './queue-notifications.ts'
import { AlertNotification } from './schema.ts'

const maxMs = 24 * 60 * 60 * 1000

/** Of a message about a group as a whole. */
const groupOf = ({ check_type, check_id }: AlertNotificationsTable): number | null =>
  check_type === null && check_id.startsWith('group:') ? Number(check_id.slice('group:'.length)) : null

const present = (row: AlertNotificationsTable): AlertNotification => ({
  toldInstead: null,
  insteadOf: null,
  ...notificationDoc.read(row.doc),
  id: row.id,
  checkId: row.check_type === null ? null : row.check_id,
  locationId: row.check_type === null && groupOf(row) === null ? row.check_id : null,
  groupId: groupOf(row),
  checkName: alertEvent.read(row.event).checkName,
  checkAlertId: row.check_alert_id,
  checkResultId: row.check_result_id === '' ? null : row.check_result_id,
  type: row.type as AlertNotification['type'],
  status: row.status as AlertNotification['status'],
  timestamp: toIsoOrNull(row.sent_at),
  tries: row.tries,
  mostTries: maxTries,
  nextTryAt: toIsoOrNull(row.due_at),
  waitsUntil: (row.held !== null || row.gather !== null) && row.claims === 0 ? toIsoOrNull(row.due_at) : null,
  toldWith: row.gather,
  bundleId: row.bundle_id,
  alertChannelId: row.channel_id,
  checkType: row.check_type as AlertNotification['checkType'],
})

const example = {
  id: '0b4c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  locationId: null,
  groupId: null,
  checkName: 'Shop',
  checkAlertId: '3f1e8f0b-8f0b-4c55-9a3e-2a3d1d2f4b11',
  checkResultId: '8f0b3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  type: 'EMAIL',
  status: 'SUCCESS',
  alertConfig: { address: 'on-call@example.com' },
  notificationResult: '250 OK',
  timestamp: '2026-01-01T00:00:10.000Z',
  tries: 1,
  mostTries: 5,
  nextTryAt: null,
  waitsUntil: null,
  toldWith: null,
  bundleId: null,
  toldInstead: null,
  insteadOf: null,
  alertChannelId: 7,
  checkType: exampleType,
}

const list = route({
  method: 'GET',
  path: '/v1/alert-notifications',
  access: 'READ_ONLY',
  tag: 'Alert notifications',
  summary: 'Messages to alert channels',
  description: 'Newest first. `from` and `to` are at most 24 hours apart; the last 24 hours when left out.',
  query: Type.Object(
    {
      ...pageParameters,
      ...recentWindowParameters,
      alertChannelId: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
      hasFailures: Type.Optional(
        Type.Boolean({
          description:
            'true: only what was tried and has not arrived, also while it is tried again; false: only the others',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  rateLimit: { requests: 5, seconds: 10 },
  status: 200,
  response: Type.Array(AlertNotification),
  example: { query: { limit: 10, hasFailures: true }, response: [example] },
  handle: async ({ query, principal: { accountId }, signal }, app) => {
    const { limit, page, from: _from, to: _to, ...filters } = query
    const window = recentWindow(query, { now: app.clock.now(), maxMs })
    const filter = { accountId, ...filters, ...window }
    const { rows, total } = await longRead(app, { accountId, signal }, (reading) =>
      listNotifications({ db: app.db, reading }, filter, { limit, offset: offsetOf({ limit, page }) }),
    )
    const url = `${app.config.baseUrl}/v1/alert-notifications`
    return pageReply({ items: rows.map(present), total, url, query })
  },
})

const resend = route({
  method: 'POST',
  path: '/v1/alert-notifications/:id/resend',
  access: 'READ_WRITE',
  tag: 'Alert notifications',
  summary: 'Send a notification again that could not be delivered',
  description:
    'It is sent as what it was, to the channel as it is now, with all its tries and under the same id.',
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  status: 202,
  otherStatuses: { 409: 'It was delivered, or is still being sent' },
  response: AlertNotification,
  example: { params: { id: example.id }, response: { ...example, status: 'IN_PROGRESS' } },
  handle: async ({ params: { id }, principal: { accountId } }, app: App & HasWakeups) => {
    const now = app.clock.now()
    const row = await app.db.transaction((trx) => requeue(trx, { id, accountId, now }))
    app.wakeups.wake(notificationsWakeup)
    return present(row)
  },
})

/** @throws ApiError 404, 409 */
const requeue = async (
  trx: Db,
  { id, accountId, now }: { id: string; accountId: string; now: number },
): Promise<AlertNotificationsTable> => {
  const row = await trx.get(findNotification, { id, accountId })
  if (!row) throw notFound()
  if (row.status !== 'FAILURE' || row.event === '')
    throw new ApiError(409, 'Only a notification that could not be delivered can be sent again')
  const { channel_id: channelId, check_id: checkId } = row
  if ((await trx.run(requeueNotification, { id, accountId, channelId, checkId, now })) === 0)
    throw new ApiError(409, 'The notification is being sent')
  return { ...row, status: 'IN_PROGRESS' }
}

export { list as listAlertNotifications }

export const alertNotificationRoutes: Route<App & HasWakeups>[] = [list, resend]
