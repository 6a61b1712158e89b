// Runs on both engines in test:all: pages of checks are read by their place.
/** Credentials that stand where everybody can read them are found, without being told. */
import t from 'tap'
import { findSecrets } from '../../../../control-plane/insight/reporting/find-secrets.ts'
import { testApp } from '../../../support/app.ts'
import { cpuTimeMs } from '../../../support/cpu-time.ts'
import { engineNames } from '../../../support/databases.ts'
import { storeCheck } from '../../../support/stored-results.ts'

/** Put together, so that nobody who scans this file finds them. */
const githubToken = `ghp_${'a1B2'.repeat(9)}`
const stripeKey = `sk_live_${'Zz9'.repeat(8)}`

for (const engine of engineNames)
  t.test(`a scan finds credentials in checks, groups, snippets and variables (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { call } = plane
    const write = async (path: string, body: object) => {
      const answer = await call('POST', path, { body })
      t.equal(answer.status, 201, path)
      return answer.body
    }
    for (let n = 0; n < 45; n++) await storeCheck(plane, { name: `quiet ${n}` })
    const header = (key: string, value: string, locked: boolean) => ({ key, value, locked })
    const check = await write('/v1/checks/api', {
      name: 'api',
      request: {
        method: 'GET',
        url: 'https://example.com/',
        headers: [
          header('X-A', 'nothing', false),
          header('X-Token', githubToken, false),
          header('X-B', stripeKey, true),
        ],
      },
    })
    const group = await write('/v2/check-groups', {
      name: 'group',
      environmentVariables: [{ key: 'STRIPE', value: stripeKey }],
    })
    const snippet = await write('/v1/snippets', { name: 'login', script: `const key = '${stripeKey}'` })
    await write('/v1/variables', { key: 'OPEN', value: githubToken })
    await write('/v1/variables', { key: 'HIDDEN', value: githubToken, secret: true })
    await write('/v1/variables', { key: 'LOCKED', value: githubToken, locked: true })

    const { body, text } = await call('GET', '/v1/secret-scans')
    t.match(body, [
      {
        ...{ entityType: 'CHECK', entityId: check.id, entityName: 'api', checkType: 'API' },
        ...{ fieldPath: 'request.headers[1].value', fieldKey: 'X-Token', valuePreview: 'gh…B2' },
      },
      {
        ...{ entityType: 'CHECK_GROUP', entityId: String(group.id), checkType: null },
        ...{ fieldPath: 'environmentVariables[0].value', fieldKey: 'STRIPE' },
      },
      { entityType: 'SNIPPET', entityId: String(snippet.id), entityName: 'login', fieldPath: 'script' },
      { entityType: 'ENVIRONMENT_VARIABLE', entityId: 'OPEN', fieldKey: 'OPEN', fieldPath: 'value' },
    ])
    t.equal(body.length, 4, 'nothing that is locked or secret')
    for (const secret of [githubToken, stripeKey])
      t.notOk(text.includes(secret.slice(0, 12)), 'the values are not told')
    const other = await plane.addKey()
    t.strictSame(
      (await call('GET', '/v1/secret-scans', { key: other.apiKey })).body,
      [],
      'of another account',
    )
    const { apiKey } = await plane.addKey({ accountId: plane.accountId, role: 'READ_ONLY' })
    t.equal((await call('GET', '/v1/secret-scans', { key: apiKey })).status, 403, 'it takes who may write')
  })

t.test('what is a credential and what is none', async (t) => {
  for (const [text, isFound] of [
    [`AKIA${'A'.repeat(16)}`, true],
    [`AKIA${'A'.repeat(17)}`, false],
    [`token=${githubToken};`, true],
    ['-----BEGIN RSA PRIVATE KEY-----\nMII', true],
    ['-----BEGIN CERTIFICATE-----\nMII', false],
    ['postgres://shop:hunter22@db/shop', true],
    ['https://{{USER}}:{{PASSWORD}}@example.com/', false],
    [`https://user:${'$'}{password}@example.com/`, false],
    ['https://example.com:8080/a@b', false],
    [`Bearer ${'x'.repeat(20)}`, true],
    ['Bearer {{TOKEN}}', false],
    ['', false],
  ] as const)
    t.equal(findSecrets({ text }).length, isFound ? 1 : 0, text)
  t.strictSame(findSecrets({ a: [{ key: 'k', sealed: githubToken }, null, 5, true] }), [])
})

t.test('a long text takes no longer than its length', async (t) => {
  const before = cpuTimeMs()
  for (const part of ['a', 'eyJ', 'a://b:', '-----BEGIN ', 'xox', 'bearer '])
    t.strictSame(findSecrets(part.repeat(300_000 / part.length)), [], part)
  t.ok(cpuTimeMs() - before < 10_000, 'seconds at most')
})
