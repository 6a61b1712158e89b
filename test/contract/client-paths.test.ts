// Runs on both engines in test:all: who a key belongs to is asked nowhere else.
/** What command-line clients ask for first, in the form in which they send it: without it they begin nothing. */
import t from 'tap'
import { testApp } from '../support/app.ts'
import { engineNames } from '../support/databases.ts'
import { addPerson } from '../support/members.ts'

/** The headers that each of their requests has. */
const headersOf = (accountId: string): Record<string, string> => ({
  'x-checkly-account': accountId,
  'x-checkly-source': 'CLI',
  'x-checkly-ci-name': '',
  'x-checkly-operator': 'human',
  accept: 'application/json, text/plain, */*',
})

for (const engine of engineNames)
  t.test(`a command-line client finds its account and its user (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { call, accountId } = service
    const { userId, apiKey: key } = await addPerson(service, { email: 'ada@example.com', role: 'READ_ONLY' })
    const headers = headersOf(accountId)

    const accounts = await call('GET', '/next/accounts', { key, headers })
    t.strictSame(accounts.body, (await call('GET', '/v1/accounts', { key })).body)
    const account = await call('GET', `/next/accounts/${accountId}`, { key, headers })
    t.strictSame(account.body, (await call('GET', '/v1/accounts/me', { key })).body)
    t.match(account.body, { id: accountId, name: 'Test', planDisplayName: 'Self-hosted', addons: {} })
    t.type(account.body.features.length, 'number')

    const user = await call('GET', '/next/users/me', { key, headers })
    t.strictSame(user.body, {
      id: userId,
      name: 'ada@example.com',
      nickname: 'ada@example.com',
      email: 'ada@example.com',
    })
    const { apiKey: serviceKey } = await service.addKey({ accountId, role: 'READ_ONLY' })
    const nobody = await call('GET', '/next/users/me', { key: serviceKey, headers })
    t.equal(nobody.status, 200, 'a service key is somebody, too')
    t.match(nobody.body, { id: String, name: String, email: null })

    const other = await service.addKey()
    t.equal((await call('GET', `/next/accounts/${other.accountId}`, { key, headers })).status, 404)
    t.equal((await call('GET', '/next/accounts', { key: 'wrong', headers })).status, 401)
    const elsewhere = headersOf(other.accountId)
    t.equal((await call('GET', '/next/accounts', { key, headers: elsewhere })).status, 403)
  })
