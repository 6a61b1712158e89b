/**
 * An agent that is stopped (SIGSTOP) for longer than its leases, in the middle of a request: the control plane gives the job
 * to whoever asks, which is the same agent. It sends its request once, and its result is the one that counts.
 */
import type http from 'node:http'
import t from 'tap'
import { sweepTick } from '../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../control-plane/monitoring/schedule/schedule.ts'
import { testApp } from '../support/app.ts'
import { endsWith, scratchFolder, spawnAgent } from '../support/programs.ts'
import { httpServer } from '../support/servers.ts'
import { until } from '../support/until.ts'

t.test('a request is sent once, though the lease of its job ran out meanwhile', async (t) => {
  const plane = await testApp(t)
  const { app } = plane
  const waiting: http.ServerResponse[] = []
  let requests = 0
  const target = await httpServer(t, (_, response) => {
    requests += 1
    waiting.push(response)
  })
  const created = await plane.call('POST', '/v1/checks/api', {
    body: {
      name: 'orders',
      request: { method: 'POST', url: target.origin },
      privateLocations: ['local'],
      frequency: 60,
    },
  })
  t.equal(created.status, 201, created.text)
  const agent = endsWith(
    t,
    spawnAgent({
      url: plane.url,
      spoolDir: await scratchFolder(t),
      env: { API_KEY: plane.agentKey },
      browsers: false,
    }),
  )
  const jobs = () => app.db.select((k) => k.selectFrom('jobs').selectAll())
  await until('the job', async () => {
    if ((await jobs()).length === 0) plane.advance(60_000)
    await scheduleTick(app)
    return (await jobs()).length > 0
  })
  await until('the request', () => requests === 1)
  const [claimed] = await jobs()
  process.kill(agent.pid, 'SIGSTOP')
  plane.advance(16_000)
  await sweepTick(app)
  const [offered] = await jobs()
  t.ok(claimed?.agent_id, 'the agent had it')
  t.ok(offered?.agent_id === null || offered?.fence === 2, 'its lease ran out')
  process.kill(agent.pid, 'SIGCONT')
  await until('the new lease', async () => (await jobs())[0]?.fence === 2)
  for (const response of waiting.splice(0)) response.end('ok')
  await until('the result', async () => (await jobs()).length === 0)
  const results = await plane.call('GET', `/v2/check-results/${created.body.id}?resultType=ALL`)
  t.match(results.body.entries, [{ resultType: 'FINAL', hasFailures: false, hasErrors: false }])
  t.equal(results.body.entries.length, 1)
  await agent.end('SIGTERM')
  t.equal(requests, 1)
})
