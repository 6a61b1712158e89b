import t from 'tap'
import {
  agentPresence,
  presenceTick,
} from '../../../../../control-plane/monitoring/locations/agents/agent-presence.ts'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { claimRequest } from '../../../../support/engine-room.ts'

for (const engine of engineNames)
  t.test(`an agent is known at once, and its later signs of life by the next tick (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const poll = (more: object = {}) =>
      plane.call('POST', '/agent/v1/claim', { key: plane.agentKey, body: { ...claimRequest(), ...more } })
    const agents = async () =>
      (await plane.app.db.select((k) => k.selectFrom('agents').selectAll())).map((row) => ({ ...row }))
    const start = plane.app.clock.now()
    await poll()
    t.match(await agents(), [{ agent_id: 'agent-1', last_seen_at: start, check_types: '["URL"]' }])
    plane.advance(20_000)
    await poll()
    t.match(await agents(), [{ last_seen_at: start }], 'noted, not written')
    await presenceTick(plane.app)
    t.match(await agents(), [{ first_seen_at: start, last_seen_at: start + 20_000 }])
    plane.advance(1000)
    await poll({ checkTypes: ['URL', 'TCP'] })
    t.match(await agents(), [{ last_seen_at: start + 21_000, check_types: '["URL","TCP"]' }])
  })

t.test('agents that went away are forgotten', async (t) => {
  const plane = await testApp(t)
  await plane.call('POST', '/agent/v1/claim', { key: plane.agentKey, body: claimRequest() })
  plane.advance(11 * 60_000)
  await presenceTick(plane.app)
  t.equal(agentPresence(plane.app).latest.size, 0)
})
