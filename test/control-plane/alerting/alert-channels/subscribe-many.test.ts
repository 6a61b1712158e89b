// Runs on both engines: many rows are one statement on PostgreSQL and one each on SQLite.
import t from 'tap'
import { countChecks } from '../../../../control-plane/monitoring/definitions/checks/list-queries.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

for (const engine of engineNames)
  t.test(`many checks subscribe at once, by name, tag, group or all (${engine})`, async (t) => {
    const { app, accountId, call, addKey } = await testApp(t, { engine })
    const quiet = '?autoAssignAlerts=false'
    const addCheck = async (body: object): Promise<string> => {
      const request = { url: 'https://example.com/' }
      return (await call('POST', `/v1/checks/url${quiet}`, { body: { request, ...body } })).body.id
    }
    const group = (await call('POST', `/v2/check-groups${quiet}`, { body: { name: 'Shop', tags: ['eu'] } }))
      .body
    const inGroup = await addCheck({ name: 'Basket', groupId: group.id })
    const tagged = await addCheck({ name: 'Search', tags: ['prod'] })
    const named = await addCheck({ name: '100% Checkout_1' })
    const other = await addCheck({ name: 'Checkout' })
    const add = async (query = '') => {
      const body = { type: 'EMAIL', config: { address: 'a@example.com' } }
      return (await call('POST', `/v1/alert-channels${query}`, { body })).body
    }
    const subscribe = async (body: object) => {
      const { id } = await add()
      const answer = await call('POST', `/v1/alert-channels/${id}/subscriptions`, { body })
      const channel = (await call('GET', `/v1/alert-channels/${id}`)).body
      const ids = channel.subscriptions.map(({ checkId }: { checkId: string }) => checkId)
      t.equal(answer.body.subscribed, ids.length)
      return new Set(ids)
    }
    const untold = () => countChecks(app.db, { accountId, isUntold: true })
    t.equal(await untold(), 4, 'nobody would be told of any')
    t.strictSame(
      await subscribe({ search: '100% checkout_' }),
      new Set([named]),
      'signs of patterns are text',
    )
    t.equal(await untold(), 3)
    t.strictSame(await subscribe({ tags: ['prod'] }), new Set([tagged]))
    t.strictSame(await subscribe({ tags: ['eu'] }), new Set([inGroup]), 'the tag of its group')
    t.strictSame(await subscribe({ groupIds: [group.id] }), new Set([inGroup]))
    t.strictSame(await subscribe({ tags: ['prod'], search: 'basket' }), new Set([tagged, inGroup]))
    t.strictSame(await subscribe({ tags: ['no such'] }), new Set())
    t.strictSame(await subscribe({ all: true }), new Set([inGroup, tagged, named, other]))
    t.equal(await untold(), 0)

    const { id } = await add()
    const path = `/v1/alert-channels/${id}/subscriptions`
    await call('PUT', path, { body: { checkId: other, activated: false } })
    await call('POST', path, { body: { all: true } })
    const { subscriptions } = (await call('GET', `/v1/alert-channels/${id}`)).body
    t.equal(subscriptions.length, 4, 'none twice')
    t.ok(subscriptions.every(({ activated }: { activated: boolean }) => activated))
    t.equal(new Set(subscriptions.map((each: { id: number }) => each.id)).size, 4, 'each has its number')
    t.equal((await add()).subscriptions.length, 0, 'programs say what they want')
    t.equal((await add('?subscribeExistingChecks=true')).subscriptions.length, 4)

    t.match(await call('POST', path, { body: {} }), { status: 400, body: { message: /which checks/ } })
    t.equal((await call('POST', '/v1/alert-channels/999/subscriptions', { body: { all: true } })).status, 404)
    const { apiKey: reader } = await addKey({ accountId, role: 'READ_ONLY' })
    t.equal((await call('POST', path, { key: reader, body: { all: true } })).status, 403)
  })

t.test('a subscription that is switched off tells nobody, whatever the group says', async (t) => {
  const { app, accountId, call } = await testApp(t)
  const group = (await call('POST', '/v2/check-groups?autoAssignAlerts=false', { body: { name: 'Shop' } }))
    .body
  const body = { name: 'Basket', request: { url: 'https://example.com/' }, groupId: group.id }
  const check = (await call('POST', '/v1/checks/url?autoAssignAlerts=false', { body })).body
  const channel = await call('POST', '/v1/alert-channels', {
    body: { type: 'EMAIL', config: { address: 'a@example.com' } },
  })
  const path = `/v1/alert-channels/${channel.body.id}/subscriptions`
  const untold = () => countChecks(app.db, { accountId, isUntold: true })
  t.equal(await untold(), 1)
  await call('PUT', path, { body: { groupId: group.id, activated: true } })
  t.equal(await untold(), 0, 'told through its group')
  await call('PUT', path, { body: { checkId: check.id, activated: false } })
  t.equal(await untold(), 1, 'its own subscription decides')
  await call('PUT', path, { body: { checkId: check.id, activated: true } })
  t.equal(await untold(), 0)
})

for (const engine of engineNames)
  t.test(`subscribing all at once, twice, while checks come and go (${engine})`, async (t) => {
    const { app, call } = await testApp(t, { engine })
    const addCheck = async (name: string): Promise<string> => {
      const body = { name, request: { url: 'https://example.com/' } }
      return (await call('POST', '/v1/checks/url?autoAssignAlerts=false', { body })).body.id
    }
    const names = Array.from({ length: 40 }, (_, at) => `check ${at}`)
    const checks = await Promise.all(names.map(addCheck))
    const leaving = checks.slice(0, 10)
    const config = { address: 'a@example.com' }
    const channels = await Promise.all(
      ['one', 'two'].map(async () => {
        const body = { type: 'EMAIL', config }
        return (await call('POST', '/v1/alert-channels', { body })).body.id
      }),
    )
    const answers = await Promise.all([
      ...[...channels, ...channels].map((id) =>
        call('POST', `/v1/alert-channels/${id}/subscriptions`, { body: { all: true } }),
      ),
      ...leaving.map((id) => call('DELETE', `/v1/checks/${id}`)),
      ...names.slice(0, 10).map((name) => addCheck(`new ${name}`).then(() => ({ status: 200 }))),
    ])
    t.strictSame(
      answers.filter(({ status }) => status >= 300),
      [],
      'nobody is refused',
    )
    const rows = await app.db.select((k) =>
      k.selectFrom('channel_subscriptions').select(['id', 'channel_id', 'subject']),
    )
    t.equal(new Set(rows.map(({ id }) => id)).size, rows.length, 'each has a number of its own')
    for (const channel of channels) {
      const subjects = rows.filter(({ channel_id }) => channel_id === channel).map(({ subject }) => subject)
      t.equal(new Set(subjects).size, subjects.length, 'nobody subscribes twice')
      for (const id of checks.slice(10)) t.ok(subjects.includes(`check:${id}`), 'who was there and stayed')
      for (const id of leaving)
        t.notOk(subjects.includes(`check:${id}`), 'who left took the subscription along')
    }
  })
