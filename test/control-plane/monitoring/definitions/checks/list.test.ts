import t from 'tap'
import {
  type NewStatus,
  recordStatus,
} from '../../../../../control-plane/monitoring/watches/check-statuses/queries.ts'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'

const url = { url: 'https://example.com/' }
const names = (body: Array<{ name: string }>) => body.map(({ name }) => name)

for (const engine of engineNames)
  t.test(`the list is filtered by tag, type, name, status and address (${engine})`, async (t) => {
    const { call, app, accountId, advance, addKey } = await testApp(t, { engine })
    const group = (await call('POST', '/v2/check-groups', { body: { name: 'g', tags: ['shop', 'eu'] } })).body
    const add = async (path: string, body: object) => {
      advance(1)
      return (await call('POST', `/v1/checks/${path}`, { body })).body.id as string
    }
    const ids = {
      home: await add('url', { name: 'Home page', request: url, tags: ['eu', 'eu'] }),
      orders: await add('api', {
        name: 'Orders',
        request: { method: 'GET', url: 'https://Shop.example.com/a_b' },
        groupId: group.id,
      }),
      cart: await add('api', {
        name: 'Cart',
        request: { method: 'GET', url: 'https://example.com/axb' },
        tags: ['x'],
      }),
      db: await add('tcp', {
        name: 'Database',
        request: { hostname: 'shop.example.com', port: 1 },
        tags: ['us'],
      }),
    }
    const list = async (query: string) => names((await call('GET', `/v1/checks?${query}`)).body)
    t.strictSame(await list('tag=eu'), ['Home page', 'Orders'], 'a group’s tags are its checks’')
    t.strictSame(await list('tag=shop&tag=us'), ['Orders', 'Database'], 'any of them')
    t.strictSame(await list('tag[]=us'), ['Database'])
    t.strictSame(await list('tag=nothing'), [])
    t.strictSame(await list('apiCheckUrlFilterPattern=shop.EXAMPLE'), ['Orders'], 'API checks only')
    t.strictSame(await list('apiCheckUrlFilterPattern=a_b'), ['Orders'], '_ is not a wildcard')
    t.strictSame(await list('checkType=API&search=car'), ['Cart'])
    t.strictSame(await list('tag=eu&limit=1&page=2'), ['Orders'])
    t.equal((await call('GET', '/v1/checks?tag=eu&limit=1')).headers.get('content-range'), '0-0/2')
    t.match((await call('GET', '/v1/checks?tag=eu&limit=1')).headers.get('link'), /tag=eu/)

    const status = (checkId: string, state: NewStatus['state']): NewStatus => ({
      checkId,
      accountId,
      state,
      hasFailures: state === 'failing',
      hasErrors: false,
      isDegraded: state === 'degraded',
      longestRunMs: 1,
      shortestRunMs: 1,
      updatedAt: null,
      location: 'local',
      checkRunId: 1,
      startedAt: 1,
      sslDaysRemaining: null,
      now: 1,
    })
    await app.db.run(recordStatus, status(ids.home, 'passing'))
    await app.db.run(recordStatus, status(ids.orders, 'failing'))
    await app.db.run(recordStatus, status(ids.cart, 'degraded'))
    t.strictSame(await list('status=passing'), ['Home page'])
    t.strictSame(await list('status=failing'), ['Orders'])
    t.strictSame(await list('status=degraded'), ['Cart'])
    t.strictSame(await list('status=failing&tag=x'), [])

    await call('PUT', `/v1/checks/tcp/${ids.db}`, { body: { tags: ['eu'] } })
    await call('PUT', `/v2/check-groups/${group.id}`, { body: { name: 'g', tags: [] } })
    t.strictSame(await list('tag=eu'), ['Home page', 'Database'], 'changed tags count at once')
    t.strictSame(await list('tag=us'), [])
    const { apiKey: key } = await addKey()
    t.strictSame((await call('GET', '/v1/checks?tag=eu', { key })).body, [], 'another account has its own')
    for (const wrong of [
      'status=broken',
      'checkType=SSH',
      'limit=101',
      'other=1',
      'tag='.repeat(1) + 'x'.repeat(256),
    ])
      t.equal((await call('GET', `/v1/checks?${wrong}`)).status, 400, wrong.slice(0, 20))
  })
