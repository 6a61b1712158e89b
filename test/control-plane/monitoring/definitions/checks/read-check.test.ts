import t from 'tap'
import { checkAnswerCache } from '../../../../../control-plane/monitoring/definitions/checks/check-answer-cache.ts'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'

const request = { url: 'https://example.com/' }

for (const engine of engineNames)
  t.test(`a check that is read again shows every change at once (${engine})`, async (t) => {
    const { app, accountId, call, addKey } = await testApp(t, { engine })
    const { id } = (await call('POST', '/v1/checks/url', { body: { name: 'before', request } })).body
    const read = () => call('GET', `/v1/checks/${id}`)
    const first = await read()
    // The audit log has shown it to somebody who may only read, too.
    const remembered = checkAnswerCache(app).size()
    const again = await read()
    t.equal(again.text, first.text, 'the same answer twice')
    t.equal(checkAnswerCache(app).size(), remembered, 'it is remembered once')

    await call('PUT', `/v1/checks/url/${id}`, { body: { name: 'after' } })
    const changed = await read()
    t.equal(changed.body.name, 'after')
    t.not(changed.headers.get('etag'), first.headers.get('etag'))

    const { body: channel } = await call('POST', '/v1/alert-channels', {
      body: {
        type: 'EMAIL',
        config: { address: 'a@example.com' },
        subscriptions: [{ checkId: id, activated: true }],
      },
    })
    t.strictSame((await read()).body.alertChannels.email, [{ address: 'a@example.com' }], 'a new subscriber')
    t.strictSame((await read()).body.alertChannels.email, [{ address: 'a@example.com' }])
    await call('PUT', `/v1/alert-channels/${channel.id}`, {
      body: { type: 'EMAIL', config: { address: 'b@example.com' } },
    })
    t.strictSame(
      (await read()).body.alertChannels.email,
      [{ address: 'b@example.com' }],
      'the channel changed, the check did not',
    )
    await call('DELETE', `/v1/alert-channels/${channel.id}`)
    t.strictSame((await read()).body.alertChannels.email, [], 'the channel is gone')

    const stranger = await addKey()
    t.equal((await call('GET', `/v1/checks/${id}`, { key: stranger.apiKey })).status, 404, 'not for others')
    const reader = await addKey({ accountId, role: 'READ_ONLY' })
    t.equal((await call('GET', `/v1/checks/${id}`, { key: reader.apiKey })).status, 200)
    await call('DELETE', `/v1/checks/${id}`)
    t.equal((await read()).status, 404, 'a deleted check is gone')
    t.equal((await call('GET', `/v1/checks/${id}`, { key: reader.apiKey })).status, 404)
  })

t.test('what is hidden from a reader stays hidden after an editor has read it', async (t) => {
  const { accountId, call, addKey } = await testApp(t)
  const headers = [{ key: 'x-locked', value: 'locked-value', locked: true }]
  const { id } = (
    await call('POST', '/v1/checks/api', {
      body: { name: 'x', request: { ...request, method: 'GET', headers } },
    })
  ).body
  const reader = await addKey({ accountId, role: 'READ_ONLY' })
  for (const _ of [1, 2]) {
    t.match((await call('GET', `/v1/checks/${id}`)).text, 'locked-value', 'an owner reads it')
    t.notMatch((await call('GET', `/v1/checks/${id}`, { key: reader.apiKey })).text, 'locked-value')
  }
})
