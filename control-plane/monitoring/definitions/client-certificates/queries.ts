/** All SQL about client certificates. `sealed_key` goes in and comes out sealed (sealed-key.ts). */
import { documentQueries } from '../../../platform/store/database/document-queries.ts'

export const {
  find: findCertificate,
  all: listCertificates,
  insert: insertCertificate,
  remove: deleteCertificate,
} = documentQueries('client_certificates', {
  name: 'client-certificate',
  key: 'id',
  columns: { host: 'stays', cert: 'stays', ca: 'stays', sealed_key: 'stays', created_at: 'stays' },
  order: ['created_at', 'id'],
})
