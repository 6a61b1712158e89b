/**
 * Client certificates: what checks present to a host. Added and removed, never
 * changed. Key and passphrase are sealed at rest, and no answer has a field for them.
 */
import { type Static, Type } from 'typebox'
import { nullable } from '../../../platform/words/shapes/nullable.ts'

const maxPemLength = 256 * 1024
const Pem = Type.String({ minLength: 1, maxLength: maxPemLength })

const Host = Type.String({
  minLength: 1,
  maxLength: 253,
  // A letter, digit or star at both ends of every label; no scheme, port or path.
  pattern:
    '^[A-Za-z0-9*]([A-Za-z0-9*_-]{0,61}[A-Za-z0-9*])?(\\.[A-Za-z0-9*]([A-Za-z0-9*_-]{0,61}[A-Za-z0-9*])?)*$',
  description: 'Domain without scheme; `*` stands for any characters, as in `*.example.com`',
})

export const NewClientCertificate = Type.Object(
  {
    host: Host,
    cert: { ...Pem, description: 'PEM with line breaks kept; the certificate, then its intermediates' },
    ca: Type.Optional(
      nullable(Pem, { default: null, description: 'PEM of the authorities the host is checked with' }),
    ),
    key: Type.Optional(nullable(Pem, { default: null, description: 'PEM of the private key' })),
    passphrase: Type.Optional(
      nullable(Type.String({ maxLength: 1024 }), { default: null, description: 'Opens an encrypted key' }),
    ),
  },
  { additionalProperties: false, title: 'NewClientCertificate' },
)
export type NewClientCertificate = Static<typeof NewClientCertificate>

export const ClientCertificate = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    host: Host,
    cert: Type.String(),
    ca: nullable(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'ClientCertificate' },
)
export type ClientCertificate = Static<typeof ClientCertificate>
