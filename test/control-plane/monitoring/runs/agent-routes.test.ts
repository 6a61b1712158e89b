// Runs on both engines in test:all: the types that run in a location are read in no other file.
import t from 'tap'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import { agentPaths, type ClaimRequest } from '../../../../protocol/agent-api.ts'
import type { Job } from '../../../../protocol/job.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { claimRequest } from '../../../support/engine-room.ts'

t.test('a claim says which runs are over, and gets the next ones of their checks', async (t) => {
  const plane = await testApp(t)
  const created = await plane.call('POST', '/v1/checks/url', {
    body: {
      name: 'site',
      request: { url: 'http://127.0.0.1/' },
      frequency: 1,
      privateLocations: ['local'],
      locations: [],
    },
  })
  t.equal(created.status, 201, created.text)
  const claim = async (more: Partial<ClaimRequest> = {}): Promise<Job[]> => {
    const answer = await plane.call('POST', agentPaths.claim, {
      key: plane.agentKey,
      body: claimRequest(more),
    })
    t.equal(answer.status, 200, answer.text)
    return answer.body.jobs
  }
  const [first] = await claim()
  plane.advance(120_000)
  await scheduleTick(plane.app)
  t.same(await claim(), [])
  const lease = { jobId: first?.id ?? '', fence: first?.fence ?? 0 }
  t.same(
    await claim({ finished: [{ ...lease, fence: lease.fence + 1 }] }),
    [],
    'not for a lease that is not its own',
  )
  const [second] = await claim({ finished: [lease] })
  t.equal(second?.checkId, first?.checkId)
  t.not(second?.id, first?.id)
})

for (const engine of engineNames)
  t.test(`an agent is told which of the types that it lacks run in its location (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const needed = async (lacks?: ClaimRequest['lacks']): Promise<unknown> => {
      const body = claimRequest(lacks === undefined ? {} : { lacks })
      const answer = await plane.call('POST', agentPaths.claim, { key: plane.agentKey, body })
      t.equal(answer.status, 200, answer.text)
      return answer.body.needed
    }
    t.equal(await needed(), undefined, 'who lacks nothing asks nothing')
    t.strictSame(await needed(['BROWSER', 'URL']), [])
    const made = await plane.call('POST', '/v1/checks/browser', {
      body: { name: 'shop', script: '1', privateLocations: ['local'], locations: [] },
    })
    t.equal(made.status, 201, made.text)
    plane.advance(31_000)
    t.strictSame(await needed(['URL', 'BROWSER', 'PLAYWRIGHT']), ['BROWSER'])
  })
