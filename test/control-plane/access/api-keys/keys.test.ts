// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { addPerson } from '../../../support/members.ts'

const own = '/v1/accounts/me/api-keys'
const services = '/v1/accounts/me/service-keys'

for (const engine of engineNames) {
  t.test(`user keys: shown once, act as their user, revoked within 5 seconds (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { call } = service
    const ada = await addPerson(service, { email: 'ada@example.com', role: 'READ_ONLY' })
    const bob = await addPerson(service, { email: 'bob@example.com', role: 'ADMIN' })
    service.advance(1000)
    const made = await call('POST', own, { key: ada.apiKey, body: { name: 'laptop' } })
    t.equal(made.status, 201, made.text)
    const { rawKey, ...shown } = made.body
    t.match(rawKey, /^wp_[\w-]{43}$/, '256 bits')
    t.strictSame(shown, {
      id: shown.id,
      name: 'laptop',
      maskedKey: `…${rawKey.slice(-4)}`,
      createdAt: '2026-01-01T00:00:01.000Z',
      lastUsedAt: null,
    })
    t.equal((await call('GET', '/v1/accounts/me', { key: rawKey })).status, 200)
    const list = await call('GET', own, { key: ada.apiKey })
    t.strictSame(
      list.body.map(({ name, lastUsedAt }: Record<string, unknown>) => [name, lastUsedAt]),
      [
        ['test', '2026-01-01T00:00:01.000Z'],
        ['laptop', '2026-01-01T00:00:01.000Z'],
      ],
      'last use is recorded',
    )
    t.notOk(list.text.includes(rawKey))
    const rows = JSON.stringify(await service.app.db.select((k) => k.selectFrom('api_keys').selectAll()))
    t.notOk(rows.includes(rawKey), 'the store has a hash')

    t.equal(
      (await call('DELETE', `${own}/${shown.id}`, { key: bob.apiKey })).status,
      404,
      'only the own ones',
    )
    t.equal((await call('POST', own, { key: ada.apiKey, body: { name: 'x', role: 'ADMIN' } })).status, 400)
    t.equal((await call('GET', own)).status, 403, 'a service key has no user')
    t.equal((await call('POST', own, { body: { name: 'x' } })).status, 403)
    t.equal((await call('DELETE', `${own}/${shown.id}`, { key: ada.apiKey })).status, 204)
    t.equal((await call('DELETE', `${own}/${shown.id}`, { key: ada.apiKey })).status, 404)
    service.advance(5000)
    t.equal((await call('GET', '/v1/accounts/me', { key: rawKey })).status, 401)
    t.equal((await call('GET', own, { key: ada.apiKey })).body.length, 1)
  })

  t.test(`service keys: a role of their own, outliving their maker (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { call, accountId } = service
    const admin = await addPerson(service, { email: 'a@example.com', role: 'ADMIN' })
    const writer = await addPerson(service, { email: 'w@example.com', role: 'READ_WRITE' })
    const create = (key: string, role: string) => call('POST', services, { key, body: { name: 'ci', role } })
    t.equal((await create(writer.apiKey, 'READ_ONLY')).status, 403)
    t.equal((await call('GET', services, { key: writer.apiKey })).status, 403)
    t.equal((await create(admin.apiKey, 'OWNER')).status, 400)
    for (const role of ['ADMIN', 'READ_WRITE', 'READ_RUN', 'READ_ONLY'])
      t.equal((await create(admin.apiKey, role)).body.role, role)
    const { id, rawKey } = (await create(admin.apiKey, 'ADMIN')).body
    const list = await call('GET', services, { key: rawKey })
    t.equal(list.body.filter(({ name }: { name: string }) => name === 'ci').length, 5)
    t.notOk(list.text.includes(rawKey))
    t.strictSame((await call('GET', `/v1/accounts/${accountId}/service-keys`)).body.length, list.body.length)

    t.equal((await call('DELETE', `/v1/accounts/me/members/${admin.userId}`)).status, 204)
    service.advance(5001)
    t.equal((await call('GET', services, { key: rawKey })).status, 200, 'the maker is gone, the key is not')
    const elsewhere = await service.addKey()
    t.equal((await call('DELETE', `${services}/${id}`, { key: elsewhere.apiKey })).status, 404)
    t.equal((await call('DELETE', `${own}/${id}`, { key: writer.apiKey })).status, 404)
    t.equal((await call('DELETE', `${services}/${id}`)).status, 204)
    service.advance(5000)
    t.equal((await call('GET', services, { key: rawKey })).status, 401)
    t.equal((await call('DELETE', `${services}/not-an-id`)).status, 400)
  })
}
