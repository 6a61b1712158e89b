// Runs on both engines in test:all: rows are locked.
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { addPerson } from '../../../support/members.ts'

const members = '/v1/accounts/me/members'

for (const engine of engineNames) {
  t.test(
    `roles are changed by ADMIN, owners only by owners, and the last owner stays (${engine})`,
    async (t) => {
      const service = await testApp(t, { engine })
      const { call, accountId } = service
      const owner = await addPerson(service, { email: 'o@example.com', role: 'OWNER' })
      const admin = await addPerson(service, { email: 'a@example.com', role: 'ADMIN' })
      const writer = await addPerson(service, { email: 'w@example.com', role: 'READ_WRITE' })
      const patch = (key: string, userId: string, role: string) =>
        call('PATCH', `${members}/${userId}`, { key, body: { role } })
      const remove = (key: string, userId: string) => call('DELETE', `${members}/${userId}`, { key })

      service.advance(1000)
      const changed = await patch(admin.apiKey, writer.userId, 'READ_RUN')
      t.equal(changed.status, 200, changed.text)
      t.match(changed.body, {
        type: 'member',
        userId: writer.userId,
        role: 'READ_RUN',
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:01.000Z',
      })
      t.equal((await patch(writer.apiKey, admin.userId, 'READ_ONLY')).status, 403)
      t.equal((await patch(admin.apiKey, writer.userId, 'OWNER')).status, 400, 'OWNER is not given by PATCH')
      t.equal((await patch(admin.apiKey, owner.userId, 'ADMIN')).status, 403)
      t.equal((await remove(admin.apiKey, owner.userId)).status, 403)
      t.equal((await patch(owner.apiKey, owner.userId, 'ADMIN')).status, 409)
      t.equal((await remove(owner.apiKey, owner.userId)).status, 409)
      const extra = await call('PATCH', `${members}/${writer.userId}`, {
        key: admin.apiKey,
        body: { role: 'ADMIN', name: 'x' },
      })
      t.equal(extra.status, 400, 'the body is closed')
      const nobody = '00000000-0000-4000-8000-000000000000'
      t.equal((await patch(owner.apiKey, nobody, 'ADMIN')).status, 404)
      t.equal((await remove(owner.apiKey, nobody)).status, 404)
      t.equal((await patch(owner.apiKey, 'me', 'ADMIN')).status, 400)
      const elsewhere = await service.addKey()
      t.equal((await patch(elsewhere.apiKey, writer.userId, 'ADMIN')).status, 404)
      t.equal((await remove(elsewhere.apiKey, writer.userId)).status, 404)

      const transfer = (key: string, body: object) =>
        call('POST', '/v1/accounts/me/transfer-ownership', { key, body })
      t.equal((await transfer(admin.apiKey, { userId: admin.userId })).status, 403)
      t.equal((await transfer(owner.apiKey, { userId: nobody })).status, 404)
      t.equal((await transfer(owner.apiKey, { userId: owner.userId })).status, 409)
      const given = await transfer(owner.apiKey, { userId: admin.userId })
      t.equal(given.status, 200, given.text)
      t.match(given.body, { userId: admin.userId, role: 'OWNER' })
      t.equal(
        (await transfer(owner.apiKey, { userId: writer.userId })).status,
        403,
        'at once, not in 5 seconds',
      )
      service.advance(5001)
      t.equal((await patch(owner.apiKey, admin.userId, 'READ_ONLY')).status, 403, 'the giver is ADMIN now')
      const both = await transfer(admin.apiKey, { userId: owner.userId, stayOwner: true })
      t.equal(both.status, 200)
      const list = await call('GET', `${members}?role=OWNER`, { key: admin.apiKey })
      t.equal(list.body.length, 2)
      service.advance(5001)
      t.equal((await remove(owner.apiKey, admin.userId)).status, 204, 'one of two owners may go')
      t.equal((await call('GET', `/v1/accounts/${accountId}/members`, { key: owner.apiKey })).body.length, 2)
    },
  )

  t.test(`two owners who take each other’s role at once leave one (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { call } = service
    const one = await addPerson(service, { email: 'one@example.com', role: 'OWNER' })
    const two = await addPerson(service, { email: 'two@example.com', role: 'OWNER' })
    const answers = await Promise.all([
      call('PATCH', `${members}/${two.userId}`, { key: one.apiKey, body: { role: 'ADMIN' } }),
      call('DELETE', `${members}/${one.userId}`, { key: two.apiKey }),
    ])
    const [done, refused, ...more] = answers.map(({ status }) => status).sort()
    t.ok(done === 200 || done === 204, `${done}`)
    t.ok([401, 403, 409].includes(refused ?? 0), `${refused}`)
    t.strictSame(more, [])
    t.equal((await call('GET', `${members}?role=OWNER`)).body.length, 1)
  })

  t.test(
    `a removed member’s keys die within 5 seconds; what they have elsewhere lives (${engine})`,
    async (t) => {
      const service = await testApp(t, { engine })
      const { call, accountId } = service
      const other = await service.addKey()
      const ada = await addPerson(service, { email: 'ada@example.com', role: 'ADMIN' })
      const there = await addPerson(service, {
        email: '',
        userId: ada.userId,
        accountId: other.accountId,
        role: 'READ_ONLY',
      })
      const read = (key: string, account = accountId) =>
        call('GET', '/v1/accounts/me', { key, headers: { 'x-service-account': account } })
      t.equal((await read(ada.apiKey)).status, 200)
      t.equal((await read(there.apiKey)).status, 200, 'a key made there acts here too')
      t.equal((await call('DELETE', `${members}/${ada.userId}`)).status, 204)
      service.advance(5001)
      t.equal((await read(ada.apiKey)).status, 401)
      t.equal((await read(there.apiKey)).status, 403, 'not a member any more')
      t.equal((await read(there.apiKey, other.accountId)).status, 200)
      t.equal((await call('DELETE', `${members}/${ada.userId}`)).status, 404)

      const last = await call('DELETE', `/v1/accounts/${other.accountId}/members/${ada.userId}`, {
        key: other.apiKey,
      })
      t.equal(last.status, 204)
      const users = await service.app.db.select((k) => k.selectFrom('users').select('id'))
      t.strictSame(users, [], 'the user goes with the last membership')
      service.advance(5001)
      t.equal((await read(there.apiKey, other.accountId)).status, 401)
    },
  )

  t.test(`a changed role counts within 5 seconds (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const ada = await addPerson(service, { email: 'ada@example.com', role: 'READ_ONLY' })
    const rename = () => service.call('PATCH', '/v1/accounts/me', { key: ada.apiKey, body: { name: 'x' } })
    t.equal((await rename()).status, 403)
    await service.call('PATCH', `${members}/${ada.userId}`, { body: { role: 'ADMIN' } })
    service.advance(5001)
    t.equal((await rename()).status, 200)
  })
}
