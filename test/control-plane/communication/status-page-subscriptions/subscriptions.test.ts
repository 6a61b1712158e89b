// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const email = (address: string) => ({ type: 'EMAIL', config: { address } })

for (const engine of engineNames)
  t.test(`subscriptions are added in bulk, listed and ended (${engine})`, async (t) => {
    const { call, advance, addKey, app } = await testApp(t, { engine })
    const page = await call('POST', '/v1/status-pages', { body: { name: 'a', url: 'a', cards: [] } })
    const all = `/v1/status-pages/${page.body.id}/subscriptions`
    const first = await call('POST', `${all}/bulk`, {
      body: { subscriptions: [email('Ada@example.com'), email('ada@example.com'), email('bob@example.com')] },
    })
    t.equal(first.status, 201, first.text)
    t.strictSame(first.body, { created: 2, skipped: 1, status: 'PENDING' })
    advance(1)
    const second = await call('POST', `${all}/bulk`, {
      body: { subscriptions: [email('bob@example.com'), email('eve@example.com')], autoVerify: true },
    })
    t.strictSame(second.body, { created: 1, skipped: 1, status: 'VERIFIED' })
    const list = (await call('GET', all)).body
    t.strictSame(
      list.map(({ type, address, status }: Record<string, string>) => `${type} ${address} ${status}`).sort(),
      ['EMAIL Ada@example.com PENDING', 'EMAIL bob@example.com PENDING', 'EMAIL eve@example.com VERIFIED'],
      'one that is skipped stays as it is',
    )
    const { apiKey: key } = await addKey()
    const one = `${all}/${list[0].id}`
    t.equal((await call('GET', all, { key })).status, 404)
    t.equal((await call('DELETE', one, { key })).status, 404)
    t.equal(
      (await call('POST', `${all}/bulk`, { key, body: { subscriptions: [email('x@example.com')] } })).status,
      404,
    )
    t.equal((await call('DELETE', one)).status, 204)
    t.equal((await call('DELETE', one)).status, 404)
    t.equal((await call('GET', all)).body.length, 2)
    await call('DELETE', `/v1/status-pages/${page.body.id}`)
    t.equal((await call('GET', all)).status, 404)
    const rows = await app.db.select((k) => k.selectFrom('status_page_subscriptions').selectAll())
    t.strictSame(rows, [], 'they go with their page')
  })

t.test('1 to 100 valid e-mail addresses at once', async (t) => {
  const { call } = await testApp(t)
  const page = await call('POST', '/v1/status-pages', { body: { name: 'a', url: 'a', cards: [] } })
  const bulk = `/v1/status-pages/${page.body.id}/subscriptions/bulk`
  const many = (count: number) => Array.from({ length: count }, (_, index) => email(`a${index}@example.com`))
  for (const subscriptions of [
    [],
    many(101),
    [email('no address')],
    [email(`${'x'.repeat(250)}@example.com`)],
    [{ type: 'SMS', config: { address: 'a@example.com' } }],
    [{ type: 'EMAIL' }],
  ])
    t.equal((await call('POST', bulk, { body: { subscriptions } })).status, 400)
  t.equal((await call('POST', bulk, { body: { subscriptions: many(100) } })).body.created, 100)
})
