import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { addPerson } from '../../../support/members.ts'

const day = 24 * 60 * 60 * 1000
const invites = '/v1/accounts/me/invites'

for (const engine of engineNames) {
  t.test(`an invite from making to taking (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { call, accountId } = service
    const owner = await addPerson(service, { email: 'o@example.com', role: 'OWNER' })
    const key = owner.apiKey
    const made = await call('POST', invites, { key, body: { email: 'Ada@Example.com', role: 'READ_WRITE' } })
    t.equal(made.status, 201, made.text)
    t.match(made.body, {
      type: 'invite',
      email: 'ada@example.com',
      status: 'PENDING',
      inviterEmail: 'o@example.com',
    })
    t.match(made.body.token, /^wi_[\w-]{43}$/, '256 bits')
    const list = await call('GET', '/v1/accounts/me/members', { key })
    t.notMatch(list.text, made.body.token, 'the token is shown once')
    const stored = JSON.stringify(await service.app.db.select((k) => k.selectFrom('invites').selectAll()))
    t.notOk(stored.includes(made.body.token), 'and its hash is what is stored')

    for (const [body, status] of [
      [{ email: 'ada@EXAMPLE.com', role: 'ADMIN' }, 409],
      [{ email: 'o@example.com', role: 'ADMIN' }, 409],
      [{ email: 'b@example.com', role: 'OWNER' }, 400],
      [{ email: 'nobody', role: 'ADMIN' }, 400],
      [{ email: 'b@example.com' }, 400],
      [{ email: 'b@example.com', role: 'ADMIN', token: 'x' }, 400],
    ] as const)
      t.equal((await call('POST', invites, { key, body })).status, status, JSON.stringify(body))

    const accept = (body: object) => call('POST', '/v1/invites/accept', { key: null, body })
    t.equal((await accept({ token: 'wi_wrong' })).status, 404)
    t.equal((await accept({})).status, 400)
    const accepted = await accept({ token: made.body.token, name: 'Ada' })
    t.equal(accepted.status, 201, accepted.text)
    t.match(accepted.body.member, {
      type: 'member',
      accountId,
      name: 'Ada',
      email: 'ada@example.com',
      role: 'READ_WRITE',
    })
    const ada = accepted.body.apiKey.rawKey
    t.equal((await call('GET', '/v1/accounts/me', { key: ada })).body.id, accountId)
    t.equal((await accept({ token: made.body.token })).status, 404, 'a token works once')
    const people = (await call('GET', '/v1/accounts/me/members', { key })).body.members
    t.strictSame(
      people.map(({ type, email }: { type: string; email: string }) => [type, email]),
      [
        ['member', 'o@example.com'],
        ['member', 'ada@example.com'],
      ],
    )
  })

  t.test(`expiry, resend and withdrawal (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { call } = service
    const owner = await addPerson(service, { email: 'first-owner@example.com', role: 'OWNER' })
    const make = (email: string) => call('POST', invites, { body: { email, role: 'READ_ONLY' } })
    const accept = (token: string) => call('POST', '/v1/invites/accept', { key: null, body: { token } })
    const first = (await make('a@example.com')).body
    t.equal(
      first.inviterEmail,
      'first-owner@example.com',
      'a service key invites in the name of the first owner',
    )
    service.advance(30 * day)
    t.equal((await accept(first.token)).status, 410)
    const again = await call('POST', `${invites}/${first.id}/resend`)
    t.equal(again.status, 200, again.text)
    t.match(again.body, {
      id: first.id,
      status: 'PENDING',
      createdAt: first.createdAt,
      expiresAt: '2026-03-02T00:00:00.000Z',
    })
    t.equal((await accept(first.token)).status, 404, 'the token before is gone')
    service.advance(30 * day - 1)
    t.equal((await accept(again.body.token)).status, 201)

    const second = (await make('b@example.com')).body
    service.advance(30 * day)
    const renewed = await make('b@example.com')
    t.equal(renewed.status, 201, 'an expired invite makes room')
    t.not(renewed.body.id, second.id)
    t.equal((await call('DELETE', `${invites}/${renewed.body.id}`)).status, 204)
    t.equal((await call('DELETE', `${invites}/${renewed.body.id}`)).status, 404)
    t.equal((await call('POST', `${invites}/${renewed.body.id}/resend`)).status, 404)
    t.equal((await accept(renewed.body.token)).status, 404)

    const third = (await make('c@example.com')).body
    const elsewhere = await service.addKey()
    const foreign = { key: elsewhere.apiKey }
    t.equal((await call('DELETE', `${invites}/${third.id}`, foreign)).status, 404)
    t.equal((await call('POST', `${invites}/${third.id}/resend`, foreign)).status, 404)
    const reader = await addPerson(service, { email: 'r@example.com', role: 'READ_WRITE' })
    t.equal((await call('DELETE', `${invites}/${third.id}`, { key: reader.apiKey })).status, 403)
    t.ok(owner.userId)
  })

  t.test(`a token alone never opens an existing user (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { call } = service
    const evil = await service.addKey()
    const victim = await addPerson(service, { email: 'victim@example.com', role: 'OWNER' })
    const bystander = await addPerson(service, { email: 'other@example.com', role: 'OWNER' })
    const body = { email: 'victim@example.com', role: 'ADMIN' }
    const { token } = (await call('POST', invites, { key: evil.apiKey, body })).body
    t.equal((await call('POST', '/v1/invites/accept', { key: null, body: { token } })).status, 409)
    const join = (key: string) => call('POST', '/v1/invites/join', { key, body: { token } })
    t.equal((await join(evil.apiKey)).status, 403, 'a service key has no user')
    t.equal((await join(bystander.apiKey)).status, 403, 'the invite is for another e-mail')
    const joined = await join(victim.apiKey)
    t.equal(joined.status, 201, joined.text)
    t.match(joined.body, { accountId: evil.accountId, userId: victim.userId, role: 'ADMIN' })
    t.equal((await join(victim.apiKey)).status, 404)
    service.advance(5001)
    const headers = { 'x-service-account': evil.accountId }
    t.equal((await call('GET', '/v1/accounts/me', { key: victim.apiKey, headers })).body.id, evil.accountId)
  })

  t.test(`of ten who take one invite at once, one gets in (${engine})`, async (t) => {
    const { call, app } = await testApp(t, { engine })
    const { token } = (await call('POST', invites, { body: { email: 'a@example.com', role: 'ADMIN' } })).body
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call('POST', '/v1/invites/accept', { key: null, body: { token } })),
    )
    t.strictSame(answers.map(({ status }) => status).sort(), [201, ...Array(9).fill(404)])
    t.equal((await app.db.select((k) => k.selectFrom('users').select('id'))).length, 1)
  })
}
