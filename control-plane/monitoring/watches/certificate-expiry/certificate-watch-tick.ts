/**
 * The loop that looks at the certificates of `sslCheckDomain`: hourly, a few at a time. URL and API checks see their
 * certificates themselves (runs/intake.ts). A domain that cannot be looked at is noted and no outage of the check.
 */

import { notificationsWakeup } from '../../../alerting/notifications/queue-notifications.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import {
  CertificateError,
  type HasCertificates,
} from '../../../platform/services/outgoing/certificate-reader.ts'
import type { CertificateLooksTable } from '../../../platform/store/database/tables/incident-automation.ts'
import { alertExpiry, daysUntil } from './alert-expiry.ts'
import { claimWatch, dueWatches, recordWatch, setSslDays } from './queries.ts'

const everyMs = 3_600_000
const batchSize = 100
const atOnce = 10

export const certificateWatchTick = async (app: App & HasWakeups & HasCertificates): Promise<void> => {
  for (;;) {
    const due = await app.db.all(dueWatches, { now: app.clock.now(), limit: batchSize })
    const queue = due.values()
    const workers = Array.from({ length: atOnce }, async () => {
      for (const row of queue) await look(app, row)
    })
    await Promise.all(workers)
    if (due.length < batchSize) return
  }
}

const look = async (app: App & HasWakeups & HasCertificates, row: CertificateLooksTable): Promise<void> => {
  const { check_id: checkId, account_id: accountId, domain } = row
  const nextAt = app.clock.now() + everyMs
  if ((await app.db.run(claimWatch, { checkId, lookAt: row.look_at, nextAt })) !== 1) return
  const seen = await expiryOf(app, domain)
  const now = app.clock.now()
  const making = { now, newId: app.newId }
  const alerted = await app.db.transaction(async (trx) => {
    if ((await trx.run(recordWatch, { checkId, domain, now, ...seen })) === 0) return false
    if (seen.expires_at === null) return false
    const daysRemaining = daysUntil(seen.expires_at, now)
    await trx.run(setSslDays, { checkId, days: daysRemaining })
    return alertExpiry(trx, { accountId, checkId, domain, daysRemaining, checkResultId: null }, making)
  })
  if (alerted) app.wakeups.wake(notificationsWakeup)
}

const expiryOf = async (
  app: App & HasCertificates,
  domain: string,
): Promise<Pick<CertificateLooksTable, 'expires_at' | 'error'>> => {
  try {
    return { expires_at: await app.certificates.expiresAt(domain), error: null }
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error
    return { expires_at: null, error: error.message }
  }
}
