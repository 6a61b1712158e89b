import { Type } from 'typebox'
import { noteAccountChange } from '../../../access/changes/note-change.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { ClientCertificatesTable } from '../../../platform/store/database/tables/configuration.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { invalid, notFound } from '../../../platform/words/errors.ts'
import { recordNames } from '../../../platform/words/shapes/ignored-names.ts'
import { toIso } from '../../../platform/words/shapes/instants.ts'
import { pemViolations } from './check-pem.ts'
import { sealKey } from './client-certificate.ts'
import { exampleCertificate, exampleNewCertificate } from './example.ts'
import { deleteCertificate, findCertificate, insertCertificate, listCertificates } from './queries.ts'
import { ClientCertificate, NewClientCertificate } from './schema.ts'

const tag = 'Client certificates'
const CertificateId = Type.Object({ id: Type.String({ format: 'uuid' }) })
const params = { id: exampleCertificate.id }

const present = (row: ClientCertificatesTable): ClientCertificate => ({
  id: row.id,
  host: row.host,
  cert: row.cert,
  ca: row.ca,
  created_at: toIso(row.created_at),
})

const list = route({
  method: 'GET',
  path: '/v1/client-certificates',
  access: 'READ_ONLY',
  tag,
  summary: 'All client certificates, oldest first',
  status: 200,
  response: Type.Array(ClientCertificate),
  example: { response: [exampleCertificate] },
  handle: async ({ principal: { accountId } }, app) =>
    (await app.db.all(listCertificates, { accountId })).map(present),
})

const create = route({
  method: 'POST',
  path: '/v1/client-certificates',
  access: 'READ_WRITE',
  tag,
  summary: 'Store a client certificate for a host',
  description:
    'The key must be that of the certificate, and the passphrase must open it. Both are encrypted at rest and never ' +
    'returned. Of several certificates that match a host, a full host beats wildcards, then the newest wins.',
  body: NewClientCertificate,
  ignores: recordNames,
  status: 201,
  response: ClientCertificate,
  example: { body: exampleNewCertificate, response: exampleCertificate },
  handle: async ({ body, principal }, app: App & HasCipher) => {
    const violations = pemViolations(body)
    if (violations.length > 0) throw invalid(violations)
    const id = app.newId()
    const { host, cert, ca = null, key = null, passphrase = null } = body
    const row = {
      id,
      account_id: principal.accountId,
      host,
      cert,
      ca,
      sealed_key: key === null ? null : sealKey(app.cipher, id, { key, passphrase }),
      created_at: app.clock.now(),
    }
    await app.db.transaction(async (trx) => {
      await trx.run(insertCertificate, row)
      await noteAccountChange(trx, { accountId: row.account_id, now: row.created_at })
    })
    return present(row)
  },
})

const read = route({
  method: 'GET',
  path: '/v1/client-certificates/:id',
  access: 'READ_ONLY',
  tag,
  summary: 'One client certificate',
  params: CertificateId,
  status: 200,
  response: ClientCertificate,
  example: { params, response: exampleCertificate },
  handle: async ({ params, principal }, app) => {
    const row = await app.db.get(findCertificate, { id: params.id, accountId: principal.accountId })
    if (!row) throw notFound()
    return present(row)
  },
})

const remove = route({
  method: 'DELETE',
  path: '/v1/client-certificates/:id',
  access: 'READ_WRITE',
  tag,
  summary: 'Delete a client certificate',
  params: CertificateId,
  status: 204,
  example: { params },
  handle: async ({ params, principal }, app: App & HasCipher) => {
    const one = { id: params.id, accountId: principal.accountId }
    const now = app.clock.now()
    await app.db.transaction(async (trx) => {
      if ((await trx.run(deleteCertificate, one)) === 0) throw notFound()
      await noteAccountChange(trx, { accountId: one.accountId, now })
    })
  },
})

export { list as listClientCertificates }

export const clientCertificateRoutes: Route<App & HasCipher>[] = [list, create, read, remove]
