// Runs on both engines in test:all: its statements run in no other file.
import { execFileSync } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import t from 'tap'
import { openKey } from '../../../../../control-plane/monitoring/definitions/client-certificates/client-certificate.ts'
import { testApp } from '../../../../support/app.ts'
import { createAuthority } from '../../../../support/certificates.ts'
import { engineNames } from '../../../../support/databases.ts'

const authority = createAuthority()
const { cert, key } = authority.issue({ altName: 'DNS:client.example.com' })
const other = authority.issue({ altName: 'DNS:other.example.com' })
const passphrase = 'correct horse battery'
const encrypted = createPrivateKey(key)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase })
  .toString()
const rsa = execFileSync('openssl', ['genrsa', '2048'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString()

for (const engine of engineNames) {
  t.test(`a certificate is created, read, listed and deleted, its key never shown (${engine})`, async (t) => {
    const { app, call, logged } = await testApp(t, { engine })
    const body = { host: '*.example.com', cert, ca: authority.pem, key: encrypted, passphrase }
    const created = await call('POST', '/v1/client-certificates', { body })
    t.equal(created.status, 201, created.text)
    t.strictSame(created.body, {
      id: created.body.id,
      host: '*.example.com',
      cert,
      ca: authority.pem,
      created_at: '2026-01-01T00:00:00.000Z',
    })
    const path = `/v1/client-certificates/${created.body.id}`
    t.strictSame((await call('GET', path)).body, created.body)
    t.strictSame((await call('GET', '/v1/client-certificates')).body, [created.body])

    const rows = await app.db.select((k) => k.selectFrom('client_certificates').selectAll())
    const keyLines = encrypted.split('\n').filter((line) => line.length > 20 && !line.startsWith('---'))
    for (const canary of [passphrase, keyLines[0]!])
      for (const place of [rows, logged]) t.notOk(JSON.stringify(place).includes(canary), 'sealed at rest')
    t.strictSame(openKey(app.cipher, created.body.id, rows[0]!.sealed_key!), { key: encrypted, passphrase })

    t.equal((await call('DELETE', path)).status, 204)
    t.equal((await call('GET', path)).status, 404)
    t.equal((await call('DELETE', path)).status, 404)
  })

  t.test(`another account's certificate is not there (${engine})`, async (t) => {
    const { call, addKey } = await testApp(t, { engine })
    const { apiKey: foreign } = await addKey()
    const { id } = (await call('POST', '/v1/client-certificates', { body: { host: 'a.example', cert, key } }))
      .body
    for (const method of ['GET', 'DELETE'])
      t.equal((await call(method, `/v1/client-certificates/${id}`, { key: foreign })).status, 404)
    t.strictSame((await call('GET', '/v1/client-certificates', { key: foreign })).body, [])
    t.equal((await call('GET', '/v1/client-certificates/x')).status, 400)
  })
}

const host = 'example.com'
const refused: Array<{ name: string; body: Record<string, unknown>; field: string; says: RegExp }> = [
  { name: 'no certificate', body: { host, cert: 'hello' }, field: 'cert', says: /no PEM certificate/ },
  {
    name: 'a broken certificate',
    body: { host, cert: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
    field: 'cert',
    says: /not a certificate/,
  },
  { name: 'a key in the certificate', body: { host, cert: cert + key }, field: 'cert', says: /private key/ },
  { name: 'a key in the authority', body: { host, cert, ca: key }, field: 'ca', says: /private key/ },
  { name: 'no authority', body: { host, cert, ca: 'x' }, field: 'ca', says: /no PEM certificate/ },
  { name: 'no key', body: { host, cert, key: 'x' }, field: 'key', says: /no PEM private key/ },
  { name: 'a certificate as key', body: { host, cert, key: cert }, field: 'key', says: /no PEM private key/ },
  {
    name: 'a broken key',
    body: { host, cert, key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' },
    field: 'key',
    says: /cannot|can be read/,
  },
  { name: "another's key", body: { host, cert, key: other.key }, field: 'key', says: /not the private key/ },
  {
    name: 'a key of another kind',
    body: { host, cert, key: rsa },
    field: 'key',
    says: /not the private key/,
  },
  {
    name: 'a missing passphrase',
    body: { host, cert, key: encrypted },
    field: 'passphrase',
    says: /required/,
  },
  {
    name: 'a wrong passphrase',
    body: { host, cert, key: encrypted, passphrase: 'wrong' },
    field: 'passphrase',
    says: /does not open/,
  },
  {
    name: 'a passphrase without key',
    body: { host, cert, passphrase },
    field: 'passphrase',
    says: /"key" is missing/,
  },
]

t.test(
  'each part that does not open or belong is a 400 that names its field and quotes nothing',
  async (t) => {
    const { call } = await testApp(t)
    for (const { name, body, field, says } of refused) {
      const answer = await call('POST', '/v1/client-certificates', { body })
      t.equal(answer.status, 400, name)
      t.strictSame(
        answer.body.attributes.violations.map(({ path }: { path: string }) => path),
        [field],
        name,
      )
      t.match(answer.body.message, says, name)
      t.notMatch(answer.text, /PRIVATE KEY-----|correct horse/, name)
    }
    t.strictSame((await call('GET', '/v1/client-certificates')).body, [])
  },
)

t.test('a key whose opening would stop everybody else is refused at once', async (t) => {
  const costly = execFileSync(
    'openssl',
    ['pkcs8', '-topk8', '-iter', '2000001', '-passout', `pass:${passphrase}`],
    { input: key, stdio: ['pipe', 'pipe', 'ignore'] },
  ).toString()
  const { call } = await testApp(t)
  const answer = await call('POST', '/v1/client-certificates', {
    body: { host, cert, key: costly, passphrase },
  })
  t.equal(answer.status, 400)
  t.match(answer.body.message, /takes too long to open/)
})

t.test('a text of nine thousand beginnings is refused as fast as any other', async (t) => {
  const { call } = await testApp(t)
  const hostile = '-----BEGIN CERTIFICATE-----'.repeat(9000)
  const started = process.hrtime.bigint()
  t.equal((await call('POST', '/v1/client-certificates', { body: { host, cert: hostile } })).status, 400)
  t.ok(process.hrtime.bigint() - started < 2_000_000_000n)
})

t.test('the host is a domain without scheme, wildcards allowed', async (t) => {
  const { call } = await testApp(t)
  const post = async (host: string) =>
    (await call('POST', '/v1/client-certificates', { body: { host, cert, key } })).status
  for (const host of ['example.com', '*.example.com', 'api-*.example.com', 'localhost', '10.0.0.1', '*'])
    t.equal(await post(host), 201, host)
  for (const host of [
    'https://example.com',
    'example.com/x',
    'example.com:443',
    'a b',
    '',
    '.com',
    'a..b',
    '-a.com',
  ])
    t.equal(await post(host), 400, host)
})

t.test('READ_WRITE and above write certificates, everybody reads them', async (t) => {
  const { call, addKey, accountId } = await testApp(t)
  const body = { host, cert, key }
  for (const [role, status] of [
    ['READ_ONLY', 403],
    ['READ_RUN', 403],
    ['READ_WRITE', 201],
  ] as const) {
    const { apiKey } = await addKey({ accountId, role })
    t.equal((await call('POST', '/v1/client-certificates', { key: apiKey, body })).status, status, role)
    t.equal((await call('GET', '/v1/client-certificates', { key: apiKey })).status, 200)
  }
})
