/** Alerting with everything real but the clock: channels made through the API, events queued, the outbox emptied. */
import type { AlertEvent } from '../../control-plane/alerting/messages/alert-event.ts'
import { dispatchTick } from '../../control-plane/alerting/notifications/dispatch.ts'
import { queueNotifications } from '../../control-plane/alerting/notifications/queue-notifications.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'
import type { TestApp } from './app.ts'

/** Receivers of tests are on the loopback. */
export const loopbackEnv = { EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8' }

export const alertEvent = (more: Partial<AlertEvent> = {}): AlertEvent => ({
  alertType: 'ALERT_FAILURE',
  accountId: '9b1f3a52-0c1e-4b65-9b62-2f3c5d1e7a01',
  checkAlertId: '3f1e8f0b-8f0b-4c55-9a3e-2a3d1d2f4b11',
  checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  checkName: 'Home page',
  checkType: 'API',
  checkDescription: 'What customers see first',
  groupId: null,
  groupName: 'Shop',
  tags: ['env:prod', 'team=web', 'shop'],
  checkResultId: '8f0b3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  errorMessage: 'Expected the status to equal 200, but it was 503',
  responseTime: 214,
  apiStatus: { code: 503, text: 'Service Unavailable' },
  runLocation: 'eu-west-1',
  startedAt: Date.UTC(2026, 0, 1),
  at: Date.UTC(2026, 0, 1, 0, 0, 1),
  reminder: 0,
  comesBack: false,
  failingSince: Date.UTC(2026, 0, 1),
  streak: 1,
  response: null,
  severity: 'NORMAL',
  flapping: null,
  toldLate: false,
  dependents: 0,
  insteadOf: null,
  ssl: null,
  location: null,
  group: null,
  ...more,
})

export const addChannel = async (
  { call }: Pick<TestApp, 'call'>,
  type: string,
  config: object,
): Promise<number> => {
  const { status, body, text } = await call('POST', '/v1/alert-channels', { body: { type, config } })
  if (status !== 201) throw new Error(`The channel was not made: ${text}`)
  return body.id
}

export const queueEvent = (app: WholeApp, event: AlertEvent, to: number[]): Promise<number> =>
  app.db.transaction((trx) =>
    queueNotifications(trx, [{ event, to }], { now: app.clock.now(), newId: app.newId }),
  )

/** One tick of the dispatcher: until nothing is due and nothing on its way. */
export const dispatch = (app: WholeApp): Promise<void> => dispatchTick(app, new AbortController().signal)

export type StoredNotification = {
  id: string
  status: string
  tries: number
  due_at: number | null
  result: string
}

/** In the order they were queued in. */
export const storedNotifications = async (app: WholeApp): Promise<StoredNotification[]> => {
  const rows = await app.db.select((k) =>
    k.selectFrom('alert_notifications').selectAll().orderBy('created_at').orderBy('sequence').orderBy('id'),
  )
  return rows.map(({ id, status, tries, due_at, doc }) => ({
    id,
    status,
    tries,
    due_at,
    result: JSON.parse(doc).notificationResult,
  }))
}
