import t from 'tap'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'

const request = { url: 'https://example.com/' }

const addChannel = async ({ call }: TestApp, address: string, more: object = {}): Promise<number> =>
  (await call('POST', '/v1/alert-channels', { body: { type: 'EMAIL', config: { address }, ...more } })).body
    .id

const subscriptions = (body: {
  alertChannelSubscriptions: Array<{ alertChannelId: number; activated: boolean }>
}) => body.alertChannelSubscriptions.map(({ alertChannelId, activated }) => [alertChannelId, activated])

for (const engine of engineNames) {
  t.test(
    `autoAssignAlerts: a new check or group subscribes to all channels, unless told otherwise (${engine})`,
    async (t) => {
      const app = await testApp(t, { engine })
      const { call } = app
      const first = await addChannel(app, 'a@example.com')
      const second = await addChannel(app, 'b@example.com', { autoSubscribe: true })
      const create = async (query: string, more: object = {}) =>
        (await call('POST', `/v1/checks/url${query}`, { body: { name: 'x', request, ...more } })).body
      const all = await create('')
      t.strictSame(subscriptions(all), [
        [first, true],
        [second, true],
      ])
      t.strictSame(all.alertChannels.email, [{ address: 'a@example.com' }, { address: 'b@example.com' }])
      t.strictSame(
        subscriptions(await create('?autoAssignAlerts=false')),
        [[second, true]],
        'autoSubscribe stays',
      )
      const chosen = await create('?autoAssignAlerts=false', {
        alertChannelSubscriptions: [{ alertChannelId: second, activated: false }, { alertChannelId: first }],
      })
      t.strictSame(
        subscriptions(chosen),
        [
          [first, true],
          [second, false],
        ],
        'what is sent wins',
      )
      t.strictSame(
        chosen.alertChannels.email,
        [{ address: 'a@example.com' }],
        'an inactive one is not alerted',
      )
      t.strictSame(
        subscriptions(
          await create('', { alertChannelSubscriptions: [{ alertChannelId: first, activated: false }] }),
        ),
        [
          [first, false],
          [second, true],
        ],
      )
      const group = async (query: string) =>
        (await call('POST', `/v2/check-groups${query}`, { body: { name: 'g' } })).body
      t.strictSame(subscriptions(await group('')), [
        [first, true],
        [second, true],
      ])
      t.strictSame(subscriptions(await group('?autoAssignAlerts=false')), [])
    },
  )

  t.test(
    `subscriptions are replaced when they are sent, and stay when they are not (${engine})`,
    async (t) => {
      const app = await testApp(t, { engine })
      const { call } = app
      const first = await addChannel(app, 'a@example.com')
      const second = await addChannel(app, 'b@example.com')
      for (const [path, list, body] of [
        ['/v1/checks/url', '/v1/checks', { name: 'x', request }],
        ['/v2/check-groups', '/v1/check-groups', { name: 'x' }],
      ] as const) {
        const { id } = (await call('POST', path, { body })).body
        const put = async (changes: object) =>
          subscriptions((await call('PATCH', `${path}/${id}`, { body: { name: 'x', ...changes } })).body)
        t.strictSame(await put({ muted: true }), [
          [first, true],
          [second, true],
        ])
        t.strictSame(await put({ alertChannelSubscriptions: [{ alertChannelId: second }] }), [[second, true]])
        t.strictSame(subscriptions((await call('GET', list)).body[0]), [[second, true]])
        t.strictSame(await put({ alertChannelSubscriptions: [] }), [])
      }
    },
  )
}

t.test('triggerIncident names a service of the account; null switches it off', async (t) => {
  const app = await testApp(t)
  const { call } = app
  const service = (await call('POST', '/v1/status-pages/services', { body: { name: 'Shop' } })).body
  const triggerIncident = {
    serviceId: service.id,
    name: 'Shop is down',
    description: 'd',
    notifySubscribers: false,
  }
  const created = await call('POST', '/v1/checks/url', { body: { name: 'x', request, triggerIncident } })
  t.equal(created.status, 201, created.text)
  t.match(created.body, { triggerIncident })
  const path = `/v1/checks/url/${created.body.id}`
  t.equal((await call('PUT', path, { body: { triggerIncident: null } })).body.triggerIncident, null)
  const { apiKey: key } = await app.addKey()
  const foreign = await call('POST', '/v1/checks/url', { key, body: { name: 'x', request, triggerIncident } })
  t.match(foreign.body.attributes.violations, [{ path: 'triggerIncident.serviceId', rule: 'exists' }])
})
