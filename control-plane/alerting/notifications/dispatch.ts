/**
 * The loop that empties the outbox: it claims notifications, sends them, and writes down what became of each.
 *
 * A *claim* is a compare-and-set with an end, renewed while the sending lasts: of several control planes one sends, and
 * what a killed one had claimed is sent again, under the same id. Of a check and channel only the earliest waiting
 * notification is ever on its way. DeliveryConcurrency keep a slow receiver from holding up anybody else.
 *
 * A tick works until nothing is on its way any more, and takes up what comes in meanwhile.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import { type HasWakeups, sleepUnlessWoken } from '../../platform/services/clock/wakeups.ts'
import type { HasMail } from '../../platform/services/mail/mail.ts'
import type { HasOutgoing } from '../../platform/services/outgoing/outgoing.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { AlertNotificationsTable } from '../../platform/store/database/tables/alert-channels.ts'
import type { HasLocales } from '../../platform/web/html/locales.ts'
import type { ChannelTypeName } from '../channels/channel-type.ts'
import { channels } from '../channels/index.ts'
import type { HasProviders } from '../channels/providers.ts'
import { alertEvent } from '../messages/alert-event.ts'
import type { HasAnalyses, HasGroupVariables } from '../templates/asked-of-others.ts'
import { type Bundle, bundleOf, leadersOf, settleBundle } from './bundle.ts'
import { deleteMembers } from './bundle-queries.ts'
import { createContexts } from './channel-context.ts'
import { settleDeadLetter } from './dead-letters.ts'
import { createDeliveryConcurrency, type DeliveryConcurrency } from './delivery-concurrency.ts'
import { fallbackFor, tellInstead } from './fall-back.ts'
import { type Next, nextTry } from './next-try.ts'
import { type NotificationDoc, notificationDoc } from './notification-doc.ts'
import { notificationMetrics, type Outcome, watchOutbox } from './notification-metrics.ts'
import {
  claimNotifications,
  type DeliveryOutcome,
  postponeChannel,
  renewClaims,
  settleNotification,
  waitingNotifications,
} from './outbox-queries.ts'
import { notificationsWakeup } from './queue-notifications.ts'
import { type SendOutcome, sendNotification } from './send-notification.ts'

const claimMs = 5_000
const renewEveryMs = 1_000
const lookAgainMs = 1000
const candidatesAtOnce = 200

type Row = AlertNotificationsTable
type Claimed = { row: Row; bundle: Bundle | null }

export const dispatchTick = async (
  app: App &
    HasWakeups &
    HasMetrics &
    HasCipher &
    HasLocales &
    HasAnalyses &
    HasProviders &
    HasGroupVariables &
    HasRandomBytes &
    HasMail &
    HasOutgoing,
  signal: AbortSignal,
): Promise<void> => {
  watchOutbox(app)
  const lanes = createDeliveryConcurrency()
  const onTheirWay = new Map<string, Promise<void>>()
  let renewedAt = app.clock.now()
  for (;;) {
    const wakeup = app.wakeups.listen(notificationsWakeup)
    if (!signal.aborted) {
      const rows = await claimWaiting(app, lanes)
      const contextOf = createContexts(app)
      for (const { row, bundle } of rows)
        onTheirWay.set(
          row.id,
          deliver(app, { row, bundle }, contextOf).finally(() => {
            lanes.give(row)
            onTheirWay.delete(row.id)
            app.wakeups.wake(notificationsWakeup)
          }),
        )
    }
    if (onTheirWay.size === 0) return wakeup.stop()
    if (app.clock.now() - renewedAt >= renewEveryMs) {
      renewedAt = app.clock.now()
      await renew(app, [...onTheirWay.keys()])
    }
    await sleepUnlessWoken(app.clock, lookAgainMs, { signal: neverOr(signal), woken: wakeup.woken })
    wakeup.stop()
    await someTurnsOfTheLoop()
  }
}

/** One look at the store serves all that ends within a few turns of the event loop. */
const someTurnsOfTheLoop = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Once asked to stop, only what is on its way is waited for: without this the waiting would spin. */
const neverOr = (signal: AbortSignal): AbortSignal => (signal.aborted ? new AbortController().signal : signal)

/** Everything that may be sent now and has room; those that another control plane was faster with are left out. */
const claimWaiting = async (app: App, lanes: DeliveryConcurrency): Promise<Claimed[]> => {
  const claimed: Claimed[] = []
  while (!lanes.isFull()) {
    const now = app.clock.now()
    const limit = candidatesAtOnce
    const candidates = await waitingNotifications(app.db, { now, busy: lanes.busy(), limit })
    const taken = leadersOf(candidates).filter((candidate) => lanes.take(candidate))
    if (taken.length === 0) break
    const ids = taken.map(({ id }) => id)
    const rows = await app.db.all(claimNotifications, { ids, now, until: now + claimMs })
    const won = new Set(rows.map(({ id }) => id))
    for (const candidate of taken) if (!won.has(candidate.id)) lanes.give(candidate)
    // What goes along is nobody's to lead any more when it is looked again.
    for (const row of rows)
      claimed.push({ row, bundle: await bundleOf(app, row, { now, until: now + claimMs }) })
    if (rows.length === 0) break
  }
  return claimed
}

const renew = async (app: App, ids: string[]): Promise<void> => {
  const now = app.clock.now()
  await app.db.run(renewClaims, { ids, now, until: now + claimMs })
}

type ContextOf = ReturnType<typeof createContexts>

/** A failure of the store leaves the claim to end by itself; the notification is then sent again. */
const deliver = async (
  app: App &
    HasMetrics &
    HasAnalyses &
    HasProviders &
    HasCipher &
    HasLocales &
    HasGroupVariables &
    HasMail &
    HasOutgoing &
    HasRandomBytes,
  { row, bundle }: Claimed,
  contextOf: ContextOf,
): Promise<void> => {
  try {
    const doc = notificationDoc.read(row.doc)
    const sending = {
      id: row.id,
      accountId: row.account_id,
      channelId: row.channel_id,
      event: alertEvent.read(row.event),
      bundle,
      delivered: doc.delivered ?? [],
    }
    const sent = await sendNotification(app, sending, contextOf)
    await settle(app, { row, bundle, doc, sent })
  } catch (error) {
    app.log.error({ err: error, notificationId: row.id }, 'The outcome of a notification was not stored')
  }
}

const settle = async (
  app: App & HasMetrics & HasProviders,
  { row, bundle, doc, sent }: { row: Row; bundle: Bundle | null; doc: NotificationDoc; sent: SendOutcome },
): Promise<void> => {
  const now = app.clock.now()
  // Its time in the outbox begins with the hours of its channel, or when what it waited for had come.
  const waited = row.held !== null || row.gather !== null
  const startedAt = waited ? Math.max(row.created_at, row.due_at ?? 0) : row.created_at
  const next = nextTry(sent.tried, { tries: row.tries, createdAt: startedAt, now })
  const { status, tries, dueAt } = next
  const { delivered: _, ...kept } = doc
  const part = sent.delivered.length > 0 && dueAt !== null ? { delivered: [...sent.delivered] } : {}
  const outcome = {
    id: row.id,
    claims: row.claims,
    status,
    tries,
    dueAt,
    sentAt: now,
    doc: notificationDoc.write({ ...kept, ...part, notificationResult: sent.text }),
  }
  const settled = sent.tried.ok
    ? await settleSent(app, row, outcome)
    : await settleFailed(app, {
        row,
        events: bundle?.events ?? [alertEvent.read(row.event)],
        next,
        outcome,
        reason: sent.text,
        now,
      })
  // Somebody else has claimed it since: what becomes of it is theirs to say.
  if (settled === 0) return
  if (dueAt !== null && status === 'RATE_LIMITED')
    await app.db.run(postponeChannel, { channelId: row.channel_id, until: dueAt, now })
  notificationMetrics.attempts(app).inc({ type: row.type, outcome: outcomeOf(status) })
  if (status === 'SUCCESS')
    notificationMetrics.seconds(app).observe({ type: row.type }, Math.max(0, now - startedAt) / 1000)
}

const settleSent = (app: App, row: Row, outcome: DeliveryOutcome): Promise<number> =>
  row.gather === null
    ? app.db.run(settleNotification, outcome)
    : app.db.transaction(async (trx) => {
        const settled = await trx.run(settleNotification, outcome)
        if (settled > 0) await settleBundle(trx, row, outcome)
        return settled
      })

type Failed = {
  row: Row
  events: Bundle['events']
  next: Next
  outcome: DeliveryOutcome
  reason: string
  now: number
}

/** With what its channel's fallback is told instead. */
const settleFailed = (
  app: App & HasProviders,
  { row, events, next, outcome, reason, now }: Failed,
): Promise<number> =>
  app.db.transaction(async (trx) => {
    const instead = await fallbackFor(trx, row, { events, next, reason, now })
    const toldInstead = instead === null ? {} : { toldInstead: instead.channelId }
    const written = {
      ...outcome,
      doc: notificationDoc.write({ ...notificationDoc.read(outcome.doc), ...toldInstead }),
    }
    const standsForAll = next.status === 'FAILURE' && lacksProvider(app, row)
    const settled = await (standsForAll
      ? settleDeadLetter(trx, { id: row.channel_id, accountId: row.account_id }, written)
      : trx.run(settleNotification, written))
    if (settled > 0 && standsForAll) await trx.run(deleteMembers, { leader: row.id })
    else if (settled > 0) await settleBundle(trx, row, written)
    if (settled > 0 && instead !== null) await tellInstead(trx, instead, { now, newId: app.newId })
    return settled
  })

const lacksProvider = ({ config }: App & HasProviders, { type }: Row): boolean =>
  (channels[type as ChannelTypeName].missingSetting?.(config.providers) ?? null) !== null

const outcomeOf = (status: Row['status']): Outcome => {
  if (status === 'SUCCESS') return 'delivered'
  if (status === 'FAILURE') return 'dead'
  return status === 'RATE_LIMITED' ? 'paused' : 'retried'
}
