/** All SQL about client certificates. `sealed_key` goes in and comes out sealed (sealed-key.ts). */
import { query } from '../../platform/database/query.ts'
import type { ClientCertificatesTable } from '../../platform/database/tables/configuration.ts'

type OneCertificate = { id: string; accountId: string }

export const findCertificate = query('find-client-certificate', (k, p: OneCertificate) =>
  k
    .selectFrom('client_certificates')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId),
)

export const listCertificates = query('list-client-certificates', (k, p: { accountId: string }) =>
  k
    .selectFrom('client_certificates')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .orderBy('created_at')
    .orderBy('id'),
)

export const insertCertificate = query('insert-client-certificate', (k, p: ClientCertificatesTable) =>
  k.insertInto('client_certificates').values({
    id: p.id,
    account_id: p.account_id,
    host: p.host,
    cert: p.cert,
    ca: p.ca,
    sealed_key: p.sealed_key,
    created_at: p.created_at,
  }),
)

export const deleteCertificate = query('delete-client-certificate', (k, p: OneCertificate) =>
  k.deleteFrom('client_certificates').where('id', '=', p.id).where('account_id', '=', p.accountId),
)
