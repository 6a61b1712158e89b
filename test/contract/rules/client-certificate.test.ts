import { createPrivateKey } from 'node:crypto'
import { createAuthority } from '../../support/certificates.ts'
import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import { createOne, type FieldRule, field, type Resource, required } from '../../support/field-rules.ts'
import { hasShape } from '../../support/shapes.ts'

const authority = createAuthority()
const { cert, key } = authority.issue({ altName: 'DNS:client.example.com' })
const passphrase = 'correct horse battery'
const cipher = 'aes-256-cbc'
const sealed = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher, passphrase }).toString()

const certificate: Resource = {
  create: '/v1/client-certificates',
  minimum: () => ({ host: 'example.com', cert }),
}
const on = (path: string, rule: FieldRule): RuleTest => field(certificate, path, rule)

testRules('Client certificate', {
  'host: a domain without scheme, required': each(
    required(certificate, 'host'),
    on('host', {
      valid: ['example.com'],
      invalid: [
        [1, 'type'],
        ['https://example.com', 'pattern'],
      ],
    }),
  ),
  'host: wildcards such as a leading `*.`': on('host', { valid: ['*.example.com'] }),
  'cert: PEM with its line breaks kept, required': each(
    required(certificate, 'cert'),
    on('cert', { valid: [cert], invalid: [[1, 'type']] }),
    async (t, plane) => {
      const body = { host: 'example.com', cert: 'hello' }
      t.equal((await plane.call('POST', certificate.create, { body })).status, 400, 'no PEM')
    },
  ),
  'ca: PEM or null': on('ca', { valid: [authority.pem, null], invalid: [[1, 'type']] }),
  'key: PEM of a private key': async (t, plane) => {
    await createOne(t, plane, certificate, { key })
    await on('key', { invalid: [[1, 'type']] })(t, plane)
    const body = { host: 'example.com', cert, key: 'hello' }
    t.equal((await plane.call('POST', certificate.create, { body })).status, 400, 'no PEM')
  },
  'passphrase: text or null': async (t, plane) => {
    await createOne(t, plane, certificate, { key: sealed, passphrase })
    await createOne(t, plane, certificate, { key, passphrase: null })
    await on('passphrase', { invalid: [[1, 'type']] })(t, plane)
  },
  'passphrase: stored encrypted at rest': async (t, plane) => {
    await createOne(t, plane, certificate, { key: sealed, passphrase })
    const rows = await plane.app.db.select((k) => k.selectFrom('client_certificates').selectAll())
    t.notOk(JSON.stringify(rows).includes(passphrase))
  },
  'response: host, cert, id, ca and created_at': async (t, plane) =>
    hasShape(t, await createOne(t, plane, certificate), {
      host: 'text',
      cert: 'text',
      id: 'text',
      ca: 'text?',
      created_at: 'instant',
    }),
  'response: the key and passphrase are not returned': async (t, plane) => {
    const body = { host: 'example.com', cert, key: sealed, passphrase }
    const created = await plane.call('POST', certificate.create, { body })
    const read = await plane.call('GET', `${certificate.create}/${created.body.id}`)
    for (const answer of [created, read]) t.notMatch(answer.text, /PRIVATE KEY|correct horse/)
    t.strictSame(Object.keys(created.body).sort(), ['ca', 'cert', 'created_at', 'host', 'id'])
  },
})
