import t from 'tap'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'

const values = {
  secret: 'canary-secret',
  locked: 'canary-locked',
  header: 'canary-header',
  password: 'canary-password',
}
const environmentVariables = [
  { key: 'SECRET', value: values.secret, secret: true, locked: false },
  { key: 'LOCKED', value: values.locked, locked: true, secret: false },
  { key: 'OPEN', value: 'open', locked: false, secret: false },
]
const http = {
  headers: [{ key: 'x-token', value: values.header, locked: true }],
  queryParameters: [],
  basicAuth: { username: 'u', password: values.password },
}
const request = { method: 'GET', url: 'https://example.com/', ...http }
const valuesOf = (variables: Array<{ key: string; value: string }>) =>
  Object.fromEntries(variables.map(({ key, value }) => [key, value]))

for (const engine of engineNames)
  t.test(
    `secrets of checks and groups are sealed, and shown to those who may see them (${engine})`,
    async (t) => {
      const { call, app, addKey, accountId, logged } = await testApp(t, { engine })
      const check = await call('POST', '/v1/checks/api', {
        body: { name: 'x', request, environmentVariables },
      })
      t.equal(check.status, 201, check.text)
      const group = await call('POST', '/v2/check-groups', {
        body: { name: 'g', apiCheckDefaults: http, environmentVariables },
      })
      t.equal(group.status, 201, group.text)
      const stored = JSON.stringify([
        await app.db.select((k) => k.selectFrom('checks').selectAll()),
        await app.db.select((k) => k.selectFrom('check_groups').selectAll()),
        logged,
      ])
      t.notMatch(stored, /canary/, 'neither the store nor the log holds one in clear')
      const paths = [`/v1/checks/${check.body.id}`, `/v1/check-groups/${group.body.id}`]
      const parts = async (path: string, key: string) => {
        const { body } = await call('GET', path, { key })
        const part = body.request ?? body.apiCheckDefaults
        return {
          variables: valuesOf(body.environmentVariables),
          header: part.headers[0].value,
          password: part.basicAuth.password,
        }
      }
      for (const role of ['READ_ONLY', 'READ_RUN', 'READ_WRITE', 'OWNER'] as const) {
        const { apiKey } = await addKey({ accountId, role })
        const editor = role === 'READ_WRITE' || role === 'OWNER'
        for (const path of paths)
          t.strictSame(
            await parts(path, apiKey),
            editor
              ? {
                  variables: { SECRET: '', LOCKED: values.locked, OPEN: 'open' },
                  header: values.header,
                  password: values.password,
                }
              : { variables: { SECRET: '', LOCKED: '', OPEN: 'open' }, header: '', password: '' },
            `${role} ${path}`,
          )
      }
    },
  )

t.test('what was read may be written back: a secret that comes back empty stays', async (t) => {
  const { call, app } = await testApp(t)
  const { body } = await call('POST', '/v1/checks/api', {
    body: { name: 'x', request, environmentVariables },
  })
  const path = `/v1/checks/api/${body.id}`
  const sealed = async () => {
    const [row] = await app.db.select((k) => k.selectFrom('checks').select('doc'))
    const { environmentVariables } = JSON.parse(row?.doc ?? '{}')
    return app.cipher.decrypt(environmentVariables[0].sealed, `check ${body.id}`)
  }
  const put = (changes: object) => call('PUT', path, { body: changes })
  const back = { request: body.request, environmentVariables: body.environmentVariables }
  t.equal((await put(back)).status, 200)
  t.equal(await sealed(), values.secret)
  t.match((await call('GET', `/v1/checks/${body.id}`)).body, { request: http })
  await put({ name: 'renamed' })
  t.equal(await sealed(), values.secret, 'what is not sent stays')
  await put({ environmentVariables: [{ key: 'SECRET', value: 'canary-new', secret: true }] })
  t.equal(await sealed(), 'canary-new')
  const opened = await put({ environmentVariables: [{ key: 'SECRET', value: '', secret: false }] })
  t.strictSame(
    opened.body.environmentVariables,
    [{ key: 'SECRET', value: '', locked: false, secret: false }],
    'nobody reads it by making it public',
  )
})

t.test('locked metadata of a gRPC check is sealed, and shown to those who may see it', async (t) => {
  const { call, app, addKey, accountId } = await testApp(t)
  const metadata = [
    { key: 'authorization', value: values.header, locked: true },
    { key: 'x-tenant', value: 'north', locked: false },
  ]
  const grpcConfig = { mode: 'HEALTH', metadata }
  const { status, body } = await call('POST', '/v1/checks/grpc', {
    body: { name: 'x', request: { url: 'a.example', port: 443, grpcConfig } },
  })
  t.equal(status, 201)
  const stored = JSON.stringify(await app.db.select((k) => k.selectFrom('checks').selectAll()))
  t.notMatch(stored, /canary/)
  const shown = async (role: 'READ_ONLY' | 'READ_WRITE') => {
    const { apiKey } = await addKey({ accountId, role })
    const answer = await call('GET', `/v1/checks/${body.id}`, { key: apiKey })
    return valuesOf(answer.body.request.grpcConfig.metadata)
  }
  t.strictSame(await shown('READ_WRITE'), { authorization: values.header, 'x-tenant': 'north' })
  t.strictSame(await shown('READ_ONLY'), { authorization: '', 'x-tenant': 'north' })
})
