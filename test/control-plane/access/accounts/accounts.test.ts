// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { addPerson } from '../../../support/members.ts'

const defaultAlertSettings = {
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
  dependencyWaitSeconds: 10,
}

for (const engine of engineNames)
  t.test(`an account is read and changed by its members (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { call, accountId } = service
    const read = await call('GET', '/v1/accounts/me')
    t.equal(read.status, 200, read.text)
    t.strictSame(read.body, {
      id: accountId,
      name: 'Test',
      runtimeId: '2026.04',
      plan: 'SELF_HOSTED',
      planDisplayName: 'Self-hosted',
      addons: {},
      settings: { badgesEnabled: false, automaticAnalyses: true, secretsReadable: false },
      alertSettings: defaultAlertSettings,
      features: read.body.features,
    })
    t.strictSame((await call('GET', `/v1/accounts/${accountId}`)).body, read.body, 'both paths are one')
    t.strictSame((await call('GET', `/v1/accounts/${accountId.toUpperCase()}`)).body, read.body)

    const changed = await call('PATCH', '/v1/accounts/me', {
      body: {
        name: 'Shop',
        alertSettings: { reminders: { amount: 100000 } },
        settings: { badgesEnabled: true },
      },
    })
    t.equal(changed.status, 200, changed.text)
    t.match(changed.body, { name: 'Shop', runtimeId: '2026.04' })
    t.strictSame(changed.body.settings, {
      ...{ badgesEnabled: true, automaticAnalyses: true, secretsReadable: false },
    })
    t.strictSame(changed.body.alertSettings, {
      ...defaultAlertSettings,
      reminders: { amount: 100000, interval: 5 },
    })
    const again = await call('PATCH', `/v1/accounts/${accountId}`, { body: { runtimeId: '2025.04' } })
    t.strictSame(again.body, { ...changed.body, runtimeId: '2025.04' }, 'only what is sent changes')
    t.strictSame((await call('GET', '/v1/accounts/me')).body, again.body)

    t.test('two changes at once are both kept', async (t) => {
      await Promise.all([
        call('PATCH', '/v1/accounts/me', { body: { settings: { badgesEnabled: false } } }),
        call('PATCH', '/v1/accounts/me', { body: { settings: { automaticAnalyses: false } } }),
        call('PATCH', '/v1/accounts/me', { body: { name: 'Shop 2' } }),
      ])
      t.match((await call('GET', '/v1/accounts/me')).body, {
        name: 'Shop 2',
        settings: { badgesEnabled: false, automaticAnalyses: false, secretsReadable: false },
      })
    })

    t.test('what breaks a rule is refused by name', async (t) => {
      const cases: Array<[object, string]> = [
        [{ name: '' }, 'name'],
        [{ runtimeId: '2019.01' }, 'runtimeId'],
        [{ runtimeId: null }, 'runtimeId'],
        [{ plans: 'FREE' }, 'plans'],
        [{ settings: { unknown: true } }, 'settings.unknown'],
        [
          { alertSettings: { runBasedEscalation: { failedRunThreshold: 6 } } },
          'alertSettings.runBasedEscalation',
        ],
        [{ alertSettings: { reminders: { interval: 7 } } }, 'alertSettings.reminders.interval'],
        [{ alertSettings: null }, 'alertSettings'],
      ]
      for (const [body, path] of cases) {
        const refused = await call('PATCH', '/v1/accounts/me', { body })
        t.equal(refused.status, 400, path)
        t.match(refused.body.attributes.violations[0].path, path)
      }
    })

    t.test('entitlements: no plan, no limit but those of the API', async (t) => {
      const { status, body } = await call('GET', '/v1/accounts/me/entitlements')
      t.equal(status, 200)
      t.equal(body.plan, 'SELF_HOSTED')
      const byKey = new Map(body.entitlements.map((item: { key: string }) => [item.key, item]))
      t.match(byKey.get('CHECKS'), { type: 'metered', enabled: true, quantity: undefined })
      t.match(byKey.get('STATUS_PAGES'), { type: 'flag', enabled: true, description: /subscribers/ })
      t.strictSame(body.addons, {})
      t.match(body.locations, {
        all: [{ id: 'us-east-1', name: 'N. Virginia', available: true }],
        maxPerCheck: 22,
      })
      t.match(byKey.get('API_REQUESTS_PER_MINUTE'), { quantity: 600 })
      t.ok(body.entitlements.every((item: { enabled: boolean }) => item.enabled))
      t.strictSame((await call('GET', `/v1/accounts/${accountId}/entitlements`)).body, body)
    })

    t.test('roles: everybody reads, ADMIN changes', async (t) => {
      for (const [role, status] of [
        ['READ_ONLY', 403],
        ['READ_WRITE', 403],
        ['ADMIN', 200],
      ] as const) {
        const { apiKey: key } = await service.addKey({ accountId, role })
        t.equal((await call('GET', '/v1/accounts/me', { key })).status, 200)
        t.equal((await call('PATCH', '/v1/accounts/me', { key, body: { name: 'x' } })).status, status, role)
      }
    })
  })

for (const engine of engineNames)
  t.test(`a user key opens every account of its user, with the role there (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { call, accountId } = service
    const other = await service.addKey()
    const foreign = await service.addKey()
    const { userId, apiKey: key } = await addPerson(service, { email: 'ada@example.com', role: 'READ_ONLY' })
    await addPerson(service, { email: '', userId, accountId: other.accountId, role: 'ADMIN' })
    const inOther = { key, headers: { 'X-Service-Account': other.accountId } }

    const list = await call('GET', '/v1/accounts', { key })
    t.strictSame(
      list.body.map(({ id }: { id: string }) => id).sort(),
      [accountId, other.accountId].sort(),
      'the accounts of the user',
    )
    t.equal((await call('GET', '/v1/accounts')).body.length, 1, 'a service key has one account')

    t.equal(
      (await call('GET', '/v1/accounts/me', { key })).body.id,
      accountId,
      'no header: the key’s account',
    )
    t.equal((await call('GET', '/v1/accounts/me', inOther)).body.id, other.accountId)
    t.equal((await call('GET', `/v1/accounts/${other.accountId}`, { key })).body.id, other.accountId)
    t.equal((await call('PATCH', '/v1/accounts/me', { ...inOther, body: { name: 'A' } })).status, 200)
    t.equal((await call('PATCH', '/v1/accounts/me', { key, body: { name: 'A' } })).status, 403)
    const wrongWay = { ...inOther, body: { name: 'A' } }
    t.equal(
      (await call('PATCH', `/v1/accounts/${accountId}`, wrongWay)).status,
      403,
      'the role of the path’s account',
    )

    const wrong = { 'x-service-account': foreign.accountId }
    t.equal((await call('GET', '/v1/accounts/me', { key, headers: wrong })).status, 403)
    t.equal((await call('GET', '/v1/accounts/me', { headers: wrong })).status, 403)
    const malformed = await call('GET', '/v1/accounts/me', { key, headers: { 'x-service-account': 'mine' } })
    t.equal(malformed.status, 400)
    t.equal((await call('GET', `/v1/accounts/${foreign.accountId}`, { key })).status, 404)
    t.equal((await call('GET', `/v1/accounts/${foreign.accountId}`)).status, 404)
    t.equal((await call('GET', '/v1/accounts/not-an-id')).status, 400)
  })
