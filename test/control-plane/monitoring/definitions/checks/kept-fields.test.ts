/** What clients send is kept and shown as they sent it, also where nothing runs by it, and nothing is added to it. */
import t from 'tap'
import { checkKinds } from '../../../../../control-plane/monitoring/definitions/checks/types/index.ts'
import { agentPaths } from '../../../../../protocol/agent-api.ts'
import { eachEngine, testApp } from '../../../../support/app.ts'
import { claimRequest } from '../../../../support/engine-room.ts'

const intent = {
  goal: 'Customers can pay',
  requiredOutcomes: ['The order is confirmed'],
  mustPreserve: ['The card number stays hidden'],
}

eachEngine('what a check is for, and whether it may be repaired, are kept and shown', async (t, { call }) => {
  for (const { path, type, example } of Object.values(checkKinds)) {
    const { id } = (
      await call('POST', `/v1/checks/${path}`, { body: { ...example, intent, aiAutoRepairEnabled: true } })
    ).body
    const read = async () => (await call('GET', `/v1/checks/${id}`)).body
    t.match(await read(), { intent, aiAutoRepairEnabled: true }, type)
    await call('PUT', `/v1/checks/${path}/${id}`, {
      body: { intent: { goal: 'x' }, aiAutoRepairEnabled: false },
    })
    const changed = await read()
    t.strictSame(changed.intent, { goal: 'x', requiredOutcomes: [], mustPreserve: [] }, 'replaced as a whole')
    t.equal(changed.aiAutoRepairEnabled, false)
    const without = (
      await call('POST', `/v1/checks/${path}`, { body: { ...example, heartbeat: example['heartbeat'] } })
    ).body
    t.match((await call('GET', `/v1/checks/${without.id}`)).body, { intent: null, aiAutoRepairEnabled: null })
  }
})

t.test('an intent has its bounds', async (t) => {
  const { call } = await testApp(t)
  const statements = (count: number, length = 1) => Array.from({ length: count }, () => 'x'.repeat(length))
  const cases: Array<[unknown, string]> = [
    [{ ...intent, goal: '' }, 'intent.goal minLength'],
    [{ ...intent, goal: 'x'.repeat(2001) }, 'intent.goal maxLength'],
    [{ requiredOutcomes: [] }, 'intent.goal required'],
    [{ ...intent, requiredOutcomes: statements(21) }, 'intent.requiredOutcomes maxItems'],
    [{ ...intent, mustPreserve: statements(1, 1001) }, 'intent.mustPreserve.0 maxLength'],
    [{ ...intent, constraints: [] }, 'intent.constraints additionalProperties'],
    ['Customers can pay', 'intent type'],
  ]
  for (const [value, expected] of cases) {
    const { status, body } = await call('POST', '/v1/checks/url', {
      body: { ...checkKinds.URL.example, intent: value },
    })
    t.equal(status, 400, expected)
    const broken = body.attributes.violations.map(
      ({ path, rule }: { path: string; rule: string }) => `${path} ${rule}`,
    )
    t.strictSame(broken, [expected])
  }
})

t.test('browser and multi-step checks keep the response times that clients send', async (t) => {
  const { call } = await testApp(t)
  for (const path of ['browser', 'multistep']) {
    const times = { degradedResponseTime: 0, maxResponseTime: 300_000 }
    const { body } = await call('POST', `/v1/checks/${path}`, { body: { name: 'a', script: '', ...times } })
    t.match((await call('GET', `/v1/checks/${body.id}`)).body, times)
    const none = await call('POST', `/v1/checks/${path}`, { body: { name: 'a', script: '' } })
    t.match(none.body, { degradedResponseTime: null, maxResponseTime: null })
    const wrong = await call('POST', `/v1/checks/${path}`, {
      body: { name: 'a', script: '', maxResponseTime: 300_001 },
    })
    t.equal(wrong.status, 400)
  }
})

t.test('a DNS check shows a port only if it was sent, and asks at 53 without one', async (t) => {
  const { call, agentKey } = await testApp(t)
  const request = { query: 'example.com', recordType: 'A' }
  const sent = [request, { ...request, port: 5353 }]
  for (const one of sent) {
    const body = { name: 'a', request: one, privateLocations: ['local'] }
    const { id } = (await call('POST', '/v1/checks/dns', { body })).body
    t.equal((await call('GET', `/v1/checks/${id}`)).body.request.port, (one as { port?: number }).port)
  }
  const claimed = await call('POST', agentPaths.claim, {
    key: agentKey,
    body: claimRequest({ checkTypes: ['DNS'] }),
  })
  const ports = claimed.body.jobs.map(
    ({ spec }: { spec: { request: { port: number } } }) => spec.request.port,
  )
  t.strictSame(ports.sort(), [53, 5353])
})

t.test('a heartbeat needs no script', async (t) => {
  const { call } = await testApp(t)
  const body = { name: 'backup', heartbeat: { period: 60, grace: 10 } }
  const created = await call('POST', '/v1/checks/heartbeat', { body })
  t.equal(created.status, 201)
  t.equal((await call('GET', `/v1/checks/${created.body.id}`)).body.script, null)
})
