/** All SQL about domains whose certificates are looked at, and when they were alerted about. */
import { query } from '../../../platform/store/database/query.ts'
import type {
  CertificateAlertsTable,
  CertificateLooksTable,
} from '../../../platform/store/database/tables/incident-automation.ts'

export const findCertificateAlert = query(
  'find-certificate-alert',
  (k, p: { checkId: string; domain: string }) =>
    k
      .selectFrom('certificate_alerts')
      .select('alerted_at')
      .where('check_id', '=', p.checkId)
      .where('domain', '=', p.domain),
)

/** Of these checks, what was alerted about after `since`. */
export const certificateAlertsOf = query(
  'certificate-alerts-of',
  (k, p: { checkIds: readonly string[]; since: number }, engine) =>
    k
      .selectFrom('certificate_alerts')
      .select(['check_id', 'domain'])
      .where('check_id', 'in', engine.textList(p.checkIds))
      .where('alerted_at', '>', p.since),
)

/** Changes nothing when the alert before was later than `before`. */
export const claimCertificateAlert = query(
  'claim-certificate-alert',
  (k, p: CertificateAlertsTable & { before: number }) =>
    k
      .insertInto('certificate_alerts')
      .values({ check_id: p.check_id, domain: p.domain, alerted_at: p.alerted_at })
      .onConflict((conflict) =>
        conflict
          .columns(['check_id', 'domain'])
          .doUpdateSet({ alerted_at: p.alerted_at })
          .where('certificate_alerts.alerted_at', '<=', p.before),
      ),
)

type WatchRow = { checkId: string; accountId: string; domain: string; now: number }

/** Another domain is looked at anew; the same one when it is its time. */
export const upsertWatch = query('upsert-certificate-look', (k, p: WatchRow) =>
  k
    .insertInto('certificate_looks')
    .values({
      check_id: p.checkId,
      account_id: p.accountId,
      domain: p.domain,
      look_at: p.now,
      looked_at: null,
      expires_at: null,
      error: null,
    })
    .onConflict((conflict) =>
      conflict
        .column('check_id')
        .doUpdateSet({ domain: p.domain, look_at: p.now, looked_at: null, expires_at: null, error: null })
        .where('certificate_looks.domain', '<>', p.domain),
    ),
)

export const deleteWatch = query('delete-certificate-look', (k, p: { checkId: string }) =>
  k.deleteFrom('certificate_looks').where('check_id', '=', p.checkId),
)

export const deleteCertificateAlerts = query('delete-certificate-alerts', (k, p: { checkId: string }) =>
  k.deleteFrom('certificate_alerts').where('check_id', '=', p.checkId),
)

export const findWatch = query('find-certificate-look', (k, p: { checkId: string }) =>
  k.selectFrom('certificate_looks').select('expires_at').where('check_id', '=', p.checkId),
)

export const dueWatches = query('due-certificate-looks', (k, p: { now: number; limit: number }) =>
  k
    .selectFrom('certificate_looks')
    .selectAll()
    .where('look_at', '<=', p.now)
    .orderBy('look_at')
    .limit(p.limit),
)

/** Of several control planes one looks. */
export const claimWatch = query(
  'claim-certificate-look',
  (k, p: { checkId: string; lookAt: number; nextAt: number }) =>
    k
      .updateTable('certificate_looks')
      .set({ look_at: p.nextAt })
      .where('check_id', '=', p.checkId)
      .where('look_at', '=', p.lookAt),
)

type CertificateReading = Pick<CertificateLooksTable, 'expires_at' | 'error'> & {
  checkId: string
  domain: string
  now: number
}

/** Changes nothing when the check names another domain by now. */
export const recordWatch = query('record-certificate-look', (k, p: CertificateReading) =>
  k
    .updateTable('certificate_looks')
    .set({ looked_at: p.now, expires_at: p.expires_at, error: p.error })
    .where('check_id', '=', p.checkId)
    .where('domain', '=', p.domain),
)

/** Where the check has a status: of the certificate that was looked at last. */
export const setSslDays = query('set-ssl-days-remaining', (k, p: { checkId: string; days: number }) =>
  k.updateTable('check_statuses').set({ ssl_days_remaining: p.days }).where('check_id', '=', p.checkId),
)
