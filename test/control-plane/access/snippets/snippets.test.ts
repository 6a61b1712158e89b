import t from 'tap'
import { insertCheck } from '../../../../control-plane/monitoring/definitions/checks/queries.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

for (const engine of engineNames) {
  t.test(`a snippet lives: created, read, listed, replaced, deleted (${engine})`, async (t) => {
    const { call, advance } = await testApp(t, { engine })
    const created = await call('POST', '/v1/snippets', { body: { name: 'login', script: 'a()' } })
    t.equal(created.status, 201)
    t.equal(typeof created.body.id, 'number', 'ids of snippets are numbers')
    t.strictSame(created.body, {
      id: created.body.id,
      name: 'login',
      script: 'a()',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: null,
    })
    const path = `/v1/snippets/${created.body.id}`
    t.strictSame((await call('GET', path)).body, created.body)
    advance(1000)
    const updated = await call('PUT', path, { body: { name: 'sign-in', script: 'b()' } })
    t.equal(updated.status, 200)
    t.match(updated.body, { name: 'sign-in', script: 'b()', updated_at: '2026-01-01T00:00:01.000Z' })
    const list = await call('GET', '/v1/snippets')
    t.strictSame(list.body, [updated.body])
    t.equal(list.headers.get('content-range'), '0-0/1')
    t.equal((await call('DELETE', path)).status, 204)
    for (const method of ['GET', 'DELETE']) t.equal((await call(method, path)).status, 404)
    t.equal((await call('PUT', path, { body: { name: 'x', script: '' } })).status, 404)
  })

  t.test(`of two clients that change one version of a snippet one notices (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const created = await call('POST', '/v1/snippets', { body: { name: 'a', script: '' } })
    const headers = { 'if-match': created.headers.get('etag')! }
    const answers = await Promise.all(
      ['b', 'c'].map((name) =>
        call('PUT', `/v1/snippets/${created.body.id}`, { headers, body: { name, script: '' } }),
      ),
    )
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 412])
  })

  t.test(`another account's snippet is not there (${engine})`, async (t) => {
    const { call, addKey } = await testApp(t, { engine })
    const { apiKey: key } = await addKey()
    const { id } = (await call('POST', '/v1/snippets', { body: { name: 'a', script: '' } })).body
    const path = `/v1/snippets/${id}`
    t.equal((await call('GET', path, { key })).status, 404)
    t.equal((await call('PUT', path, { key, body: { name: 'x', script: '' } })).status, 404)
    t.equal((await call('DELETE', path, { key })).status, 404)
    t.strictSame((await call('GET', '/v1/snippets', { key })).body, [])
    t.equal((await call('GET', path)).body.name, 'a')
  })

  t.test(`a snippet that a check uses is kept, and the answer names the check (${engine})`, async (t) => {
    const { app, call, accountId } = await testApp(t, { engine })
    const { id } = (await call('POST', '/v1/snippets', { body: { name: 'a', script: '' } })).body
    const checkId = app.newId()
    const check = {
      id: checkId,
      account_id: accountId,
      type: 'API',
      name: 'x',
      activated: false,
      group_id: null,
    }
    const doc = JSON.stringify({ setupSnippetId: null, tearDownSnippetId: id })
    await app.db.run(insertCheck, { ...check, created_at: 1, doc })
    const refused = await call('DELETE', `/v1/snippets/${id}`)
    t.equal(refused.status, 409)
    t.strictSame(refused.body.attributes, { checkIds: [checkId], groupIds: [] })
    t.equal((await call('GET', `/v1/snippets/${id}`)).status, 200, 'it is still there')
  })
}

t.test('snippets come in pages of limit and page, with content-range and link', async (t) => {
  const { call } = await testApp(t)
  for (const name of ['a', 'b', 'c']) await call('POST', '/v1/snippets', { body: { name, script: '' } })
  const page = await call('GET', '/v1/snippets?limit=2&page=2')
  t.strictSame(
    page.body.map((snippet: { name: string }) => snippet.name),
    ['c'],
  )
  t.equal(page.headers.get('content-range'), '2-2/3')
  t.match(page.headers.get('link'), /rel="last"/)
  for (const wrong of ['limit=0', 'limit=101', 'page=0', 'other=1'])
    t.equal((await call('GET', `/v1/snippets?${wrong}`)).status, 400, wrong)
})

t.test('creating and replacing a snippet need both fields and know no others', async (t) => {
  const { call } = await testApp(t)
  const { id } = (await call('POST', '/v1/snippets', { body: { name: 'a', script: '' } })).body
  const wrong = [
    { name: 'a' },
    { script: 'x' },
    {},
    { name: 'a', script: 'x', key: 5 },
    { name: '../a', script: '' },
    { name: '', script: '' },
  ]
  for (const body of wrong) {
    t.equal((await call('POST', '/v1/snippets', { body })).status, 400, JSON.stringify(body))
    t.equal((await call('PUT', `/v1/snippets/${id}`, { body })).status, 400, JSON.stringify(body))
  }
  t.equal((await call('GET', '/v1/snippets/abc')).status, 400, 'an id that is no number')
})

t.test('READ_WRITE and above write snippets, everybody reads them', async (t) => {
  const { call, addKey, accountId } = await testApp(t)
  for (const [role, status] of [
    ['READ_ONLY', 403],
    ['READ_RUN', 403],
    ['READ_WRITE', 201],
    ['ADMIN', 201],
  ] as const) {
    const { apiKey: key } = await addKey({ accountId, role })
    t.equal(
      (await call('POST', '/v1/snippets', { key, body: { name: 'a', script: '' } })).status,
      status,
      role,
    )
    t.equal((await call('GET', '/v1/snippets', { key })).status, 200)
  }
})

t.test('a snippet that no agent could parse is saved, with its line and a sentence', async (t) => {
  const plane = await testApp(t)
  const save = (script: string) => plane.call('POST', '/v1/snippets', { body: { name: 'sign-in', script } })
  const made = await save('const a = 1\nconst b = (1 2)\n')
  t.equal(made.status, 201, made.text)
  t.match(made.body.warnings, [{ message: /^The snippet cannot be parsed, line 2: \S/ }])
  t.match(made.headers.get('watchpost-warning'), 'line 2')
  const path = `/v1/snippets/${made.body.id}`
  t.notOk('warnings' in (await plane.call('GET', path)).body)
  t.match((await plane.call('PUT', path, { body: made.body })).body.warnings, [{ message: /line 2/ }])
  for (const script of [
    'if (!request) return\nawait fetch("https://example.com/")',
    "import { a } from 'a'\nexport enum Size { Small }\nexport const b: number = a",
    'module.exports = { signIn: async (page) => page.goto("/") }',
  ])
    t.notOk('warnings' in (await save(script)).body, script)
})
