import type { Sections } from '../rule.ts'

export const clientCertificate: Sections = {
  'Client certificate': [
    'host: a domain without scheme, required',
    'host: wildcards such as a leading `*.`',
    'cert: PEM with its line breaks kept, required',
    'ca: PEM or null',
    'key: PEM of a private key',
    'passphrase: text or null',
    'passphrase: stored encrypted at rest',
    'response: host, cert, id, ca and created_at',
    'response: the key and passphrase are not returned',
  ],
}
