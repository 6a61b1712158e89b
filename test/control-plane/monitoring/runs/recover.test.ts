// Runs on both engines: rows are locked.
import t from 'tap'
import { claimJobs } from '../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { leaseMs } from '../../../../control-plane/monitoring/runs/leases.ts'
import { aliveTick, onceForgiven } from '../../../../control-plane/monitoring/runs/recover.ts'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { heartbeatTick } from '../../../../control-plane/monitoring/watches/heartbeats/heartbeat-tick.ts'
import { allResults } from '../../../support/all-results.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { claimRequest, passingReport } from '../../../support/engine-room.ts'

const token = '0b0a1c52-6d65-4a5c-8f0c-1d2e3f405162'

for (const engine of engineNames)
  t.test(`a store that was away for minutes costs no lease and raises no alarm (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { app, locationId } = plane
    const never = new AbortController().signal
    const tick = async (): Promise<void> => {
      await onceForgiven(heartbeatTick)(app, never)
      await onceForgiven(sweepTick)(app, never)
    }
    const alarms = async (): Promise<number> =>
      (await allResults(app.db)).filter((row) => row.check_type === 'HEARTBEAT' && row.has_failures).length
    const heartbeat = {
      period: 60,
      periodUnit: 'seconds',
      grace: 30,
      graceUnit: 'seconds',
      pingToken: token,
    }
    const site = {
      name: 'site',
      request: { url: 'http://127.0.0.1/' },
      privateLocations: ['local'],
      locations: [],
    }
    await plane.call('POST', '/v1/checks/heartbeat', { body: { name: 'Backup', script: '', heartbeat } })
    await plane.call('POST', '/v1/checks/url', { body: site })
    await plane.call('GET', `/ping/${token}`, { key: null })
    await aliveTick(app)
    const [job] = await claimJobs(app, { location: locationId, agent: claimRequest() })
    if (job === undefined) throw new Error('there is no job')

    plane.advance(5 * 60_000)
    await tick()
    t.equal(await alarms(), 0, 'nobody judges before it is forgiven')
    await aliveTick(app)
    await tick()
    t.equal(await alarms(), 0)
    plane.advance(leaseMs - 1000)
    await aliveTick(app)
    const body = { agentId: 'agent-1', reports: [passingReport(job, app.clock.now())] }
    const { body: answer } = await plane.call('POST', '/agent/v1/report', { key: plane.agentKey, body })
    t.match(answer.outcomes, [{ outcome: 'accepted' }])

    for (let second = 0; second < 90; second++) {
      plane.advance(1000)
      await aliveTick(app)
    }
    await tick()
    t.equal(await alarms(), 1, 'whoever stays away after that is missed')
  })
