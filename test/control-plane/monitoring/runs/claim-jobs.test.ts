// Runs on both engines: agents that claim at once leave each other's rows out.
import { recordAgentSeen } from '../../../../control-plane/monitoring/locations/agents/queries.ts'
import { claimJobs } from '../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { forgiveTick } from '../../../../control-plane/monitoring/runs/forgive.ts'
import { intakeReports } from '../../../../control-plane/monitoring/runs/intake.ts'
import {
  leaseMs,
  releaseEarlierLife,
  releaseLeases,
  releaseOthers,
  renewLeases,
} from '../../../../control-plane/monitoring/runs/leases.ts'
import { aliveTick, recover } from '../../../../control-plane/monitoring/runs/recover.ts'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import {
  dropSchedule,
  scheduleTick,
  syncSchedule,
} from '../../../../control-plane/monitoring/schedule/schedule.ts'
import { allResults } from '../../../support/all-results.ts'
import { eachDatabase } from '../../../support/databases.ts'
import {
  accountedFor,
  addCheck,
  claimRequest,
  engineRoom,
  localLocation,
  passingReport,
  scheduled,
} from '../../../support/engine-room.ts'

const location = localLocation.id
const agent = claimRequest()
const start = 1_700_000_000_000

eachDatabase('a new check runs at once, then on its slots', async (t, db) => {
  const room = engineRoom(db, start + 1)
  await addCheck(room, { id: 'c' })
  const [first] = await claimJobs(room.app, { location, agent })
  t.match(first, { checkId: 'c', dueAt: start + 1, runAt: start + 1, fence: 1, runLocation: 'local' })
  await intakeReports(room.app, location, [passingReport(first!)])
  room.setTime(start + 2)
  await scheduleTick(room.app)
  const [second] = await claimJobs(room.app, { location, agent })
  t.equal(second?.dueAt, start + 10_000, 'handed out ahead of its time, on the grid')
})

eachDatabase('a job is handed out once, to one of many agents', async (t, db) => {
  const room = engineRoom(db)
  for (let i = 0; i < 40; i++) await addCheck(room, { id: `c${i}` })
  const claims = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      claimJobs(room.app, { location, agent: claimRequest({ agentId: `agent-${i}`, maxUptime: 7 }) }),
    ),
  )
  const ids = claims.flat().map(({ id }) => id)
  t.equal(new Set(ids).size, ids.length, 'nobody got a job that another one has')
  for (let rest = await claimJobs(room.app, { location, agent }); rest.length > 0; ) {
    ids.push(...rest.map(({ id }) => id))
    rest = await claimJobs(room.app, { location, agent })
  }
  t.equal(new Set(ids).size, 40, 'and every job went out')
})

eachDatabase(
  'an agent gets no more than it asked for, and only types and places it serves',
  async (t, db) => {
    const room = engineRoom(db)
    for (let i = 0; i < 5; i++) await addCheck(room, { id: `c${i}` })
    t.equal((await claimJobs(room.app, { location: 'elsewhere', agent })).length, 0)
    t.equal((await claimJobs(room.app, { location, agent: claimRequest({ checkTypes: ['TCP'] }) })).length, 0)
    t.equal((await claimJobs(room.app, { location, agent: claimRequest({ maxUptime: 0 }) })).length, 0)
    t.equal((await claimJobs(room.app, { location, agent: claimRequest({ maxUptime: 3 }) })).length, 3)
  },
)

eachDatabase('a result is accepted once: repeats are no-ops', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const [job] = await claimJobs(room.app, { location, agent })
  const report = passingReport(job!)
  const twice = await intakeReports(room.app, location, [report, report])
  t.strictSame(
    twice.map(({ outcome }) => outcome),
    ['accepted', 'duplicate'],
  )
  t.strictSame((await intakeReports(room.app, location, [report]))[0]?.outcome, 'duplicate')
  t.strictSame(await accountedFor(db), [`c local ${start} RESULT`])
})

eachDatabase('a report from another location, or for a job that never was, is refused', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const [job] = await claimJobs(room.app, { location, agent })
  t.equal((await intakeReports(room.app, 'elsewhere', [passingReport(job!)]))[0]?.outcome, 'stale')
  t.equal(
    (await intakeReports(room.app, location, [passingReport({ id: 'x', fence: 1 })]))[0]?.outcome,
    'stale',
  )
  t.strictSame(await accountedFor(db), [])
})

eachDatabase(
  'a dead agent’s job is taken over within two leases, and its late report is refused',
  async (t, db) => {
    const room = engineRoom(db)
    await addCheck(room, { id: 'c' })
    const [dead] = await claimJobs(room.app, { location, agent: claimRequest({ agentId: 'dead' }) })
    room.advance(leaseMs - 1)
    await sweepTick(room.app)
    t.strictSame(await claimJobs(room.app, { location, agent }), [], 'still leased')
    room.advance(1)
    await sweepTick(room.app)
    const [again] = await claimJobs(room.app, { location, agent })
    t.match(again, { id: dead!.id, fence: 2 })
    t.equal((await intakeReports(room.app, location, [passingReport(dead!)]))[0]?.outcome, 'stale')
    t.equal((await intakeReports(room.app, location, [passingReport(again!)]))[0]?.outcome, 'accepted')
    t.strictSame(await accountedFor(db), [`c local ${start} RESULT`])
  },
)

eachDatabase('a lease that is renewed is kept; one that is not one’s own is lost', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const [job] = await claimJobs(room.app, { location, agent })
  room.advance(10_000)
  const lease = { jobId: job!.id, fence: job!.fence }
  t.strictSame(
    await renewLeases(room.app, { location, agentId: agent.agentId }, [lease, { jobId: 'x', fence: 1 }]),
    ['x'],
  )
  t.strictSame(await renewLeases(room.app, { location, agentId: 'another' }, [lease]), [job!.id])
  const elsewhere = { location: 'elsewhere', agentId: agent.agentId }
  t.strictSame(await renewLeases(room.app, elsewhere, [lease]), [job!.id], 'nor that of another location')
  room.advance(10_000)
  await sweepTick(room.app)
  t.equal((await intakeReports(room.app, location, [passingReport(job!)]))[0]?.outcome, 'accepted')
})

eachDatabase('an agent that hangs past the hard limit does not keep its job', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const [job] = await claimJobs(room.app, { location, agent })
  const lease = { jobId: job!.id, fence: job!.fence }
  for (let i = 0; i < 8; i++) {
    room.advance(10_000)
    t.strictSame(
      await renewLeases(room.app, { location, agentId: agent.agentId }, [lease]),
      [],
      `after ${i + 1} renewals`,
    )
  }
  room.advance(10_000)
  t.strictSame(await renewLeases(room.app, { location, agentId: agent.agentId }, [lease]), [job!.id])
})

eachDatabase('jobs handed back are offered again at once, with a new fence', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const [job] = await claimJobs(room.app, { location, agent })
  const lease = { jobId: job!.id, fence: job!.fence }
  t.equal(await releaseLeases(room.app, { location, agentId: 'another' }, [lease]), 0)
  t.equal(await releaseLeases(room.app, { location: 'elsewhere', agentId: agent.agentId }, [lease]), 0)
  t.equal(await releaseLeases(room.app, { location, agentId: agent.agentId }, [lease]), 1)
  const [again] = await claimJobs(room.app, { location, agent: claimRequest({ agentId: 'other' }) })
  t.match(again, { id: job!.id, fence: 2 })
})

eachDatabase('an agent that ends hands back what an answer brought that never reached it', async (t, db) => {
  const room = engineRoom(db)
  for (const id of ['a', 'b', 'c']) await addCheck(room, { id })
  const holder = { location, agentId: agent.agentId }
  const [known, ...lost] = await claimJobs(room.app, { location, agent })
  const kept = [{ jobId: known!.id, fence: known!.fence }]
  const other = { location, agent: claimRequest({ agentId: 'other' }) }
  t.equal(await releaseOthers(room.app, { location, agentId: 'another' }, []), 0)
  t.equal(await releaseOthers(room.app, holder, kept), 2)
  const again = await claimJobs(room.app, other)
  t.strictSame(again.map(({ id }) => id).sort(), lost.map(({ id }) => id).sort())
  t.equal(await releaseOthers(room.app, holder, []), 1)
  t.match(await claimJobs(room.app, other), [{ id: known!.id }])
})

eachDatabase('an agent that starts anew gives up what its earlier life held', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const [job] = await claimJobs(room.app, { location, agent })
  await releaseEarlierLife(room.app, agent.agentId, 'elsewhere')
  t.strictSame(await claimJobs(room.app, { location, agent }), [])
  await releaseEarlierLife(room.app, agent.agentId, location)
  t.match(await claimJobs(room.app, { location, agent }), [{ id: job!.id, fence: 2 }])
})

eachDatabase('a slot whose previous run still executes is an OVERLAP, not a pile-up', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const [slow] = await claimJobs(room.app, { location, agent })
  room.advance(5000)
  await scheduleTick(room.app)
  t.strictSame(await claimJobs(room.app, { location, agent }), [], 'the next one waits for its predecessor')
  room.advance(5000)
  await renewLeases(room.app, { location, agentId: agent.agentId }, [{ jobId: slow!.id, fence: 1 }])
  await sweepTick(room.app)
  await intakeReports(room.app, location, [passingReport(slow!)])
  t.strictSame(await accountedFor(db), [`c local ${start} RESULT`, `c local ${start + 10_000} OVERLAP`])
})

eachDatabase('a run that only waits for its report to be taken keeps no slot from running', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const holder = { location, agentId: agent.agentId }
  const [first] = await claimJobs(room.app, { location, agent })
  room.advance(5000)
  await scheduleTick(room.app)
  t.strictSame(await claimJobs(room.app, { location, agent }), [])
  await renewLeases(room.app, holder, [{ jobId: first!.id, fence: 1, finished: true }])
  const [second] = await claimJobs(room.app, { location, agent })
  t.equal(second?.dueAt, start + 10_000)
  room.advance(5000)
  await scheduleTick(room.app)
  await sweepTick(room.app)
  t.strictSame(await claimJobs(room.app, { location, agent }), [], 'the one after it waits for the second')
  await intakeReports(room.app, location, [passingReport(first!), passingReport(second!)])
  t.strictSame(await accountedFor(db), [`c local ${start} RESULT`, `c local ${start + 10_000} RESULT`])
})

eachDatabase('after an outage, whether a run still executes is for its agent to say', async (t, db) => {
  const room = engineRoom(db)
  for (const id of ['a', 'b']) await addCheck(room, { id })
  const [finished, running] = (await claimJobs(room.app, { location, agent })).sort((x, y) =>
    x.checkId < y.checkId ? -1 : 1,
  )
  await aliveTick(room.app)
  room.advance(20_000)
  await recover(room.app)
  await forgiveTick(room.app)
  await scheduleTick(room.app)
  await sweepTick(room.app)
  const missed = async () => (await accountedFor(db)).filter((line) => line.includes('OVERLAP'))
  t.strictSame(await missed(), [], 'nothing has been said yet')
  t.strictSame(await claimJobs(room.app, { location, agent }), [])
  await renewLeases(room.app, { location, agentId: agent.agentId }, [
    { jobId: finished!.id, fence: 1, finished: true },
    { jobId: running!.id, fence: 1 },
  ])
  await sweepTick(room.app)
  t.strictSame(await missed(), [`b local ${start + 20_000} OVERLAP`])
  t.match(await claimJobs(room.app, { location, agent }), [{ checkId: 'a', dueAt: start + 20_000 }])
})

eachDatabase(
  'a finished run keeps its lease, also one that ran out, unless others have the job',
  async (t, db) => {
    const room = engineRoom(db)
    for (const id of ['a', 'b']) await addCheck(room, { id, periodMs: 60_000 })
    const holder = { location, agentId: agent.agentId }
    const jobs = await claimJobs(room.app, { location, agent })
    room.advance(leaseMs + 1)
    await sweepTick(room.app)
    const other = claimRequest({ agentId: 'other', maxUptime: 1 })
    const [taken] = await claimJobs(room.app, { location, agent: other })
    const leases = jobs.map(({ id: jobId, fence }) => ({ jobId, fence, finished: true }))
    t.strictSame(await renewLeases(room.app, holder, leases), [taken!.id])
    t.strictSame(
      await renewLeases(room.app, { ...holder, location: 'elsewhere' }, leases).then((lost) => lost.length),
      2,
    )
    t.strictSame(await claimJobs(room.app, { location, agent: { ...other, maxUptime: 9 } }), [])
    t.strictSame(
      (
        await intakeReports(
          room.app,
          location,
          jobs.map((job) => passingReport(job)),
        )
      ).map(({ jobId, outcome }) => [jobId === taken!.id, outcome]),
      jobs.map(({ id }) => (id === taken!.id ? [true, 'stale'] : [false, 'accepted'])),
    )
  },
)

eachDatabase('a run that nobody claims is missed, with the reason', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  room.advance(10_000)
  await sweepTick(room.app)
  const reason = async () =>
    await db.select((k) => k.selectFrom('missed_runs').selectAll().orderBy('first_due_at'))
  t.match(await reason(), [{ reason: 'NO_AGENT', detail: /No agent serves location "local"/, count: 1 }])
  const seen = {
    location,
    agentId: 'a',
    version: '1',
    platform: 'p',
    runtimeIds: '[]',
    isolation: null,
    now: room.app.clock.now(),
  }
  await db.run(recordAgentSeen, { ...seen, checkTypes: '["TCP"]' })
  await scheduleTick(room.app)
  room.advance(10_000)
  await sweepTick(room.app)
  t.match((await reason())[1], { reason: 'NO_AGENT', detail: /runs checks of type URL monitor/ })
  await db.run(recordAgentSeen, { ...seen, checkTypes: '["URL"]', now: room.app.clock.now() })
  await scheduleTick(room.app)
  room.advance(10_000)
  await sweepTick(room.app)
  t.match((await reason())[2], { reason: 'EXPIRED' })
})

eachDatabase(
  'slots that passed while nothing ran are missed as CONTROL_PLANE_DOWN; the latest still runs',
  async (t, db) => {
    const room = engineRoom(db)
    await addCheck(room, { id: 'c' })
    const [first] = await claimJobs(room.app, { location, agent })
    await intakeReports(room.app, location, [passingReport(first!)])
    await aliveTick(room.app)
    room.advance(35_000)
    t.equal(await recover(room.app), 35_000)
    await scheduleTick(room.app)
    const [late] = await claimJobs(room.app, { location, agent })
    t.equal(late?.dueAt, start + 30_000)
    await intakeReports(room.app, location, [passingReport(late!)])
    t.strictSame(await accountedFor(db), [
      `c local ${start} RESULT`,
      `c local ${start + 10_000} CONTROL_PLANE_DOWN`,
      `c local ${start + 20_000} CONTROL_PLANE_DOWN`,
      `c local ${start + 30_000} RESULT`,
    ])
  },
)

eachDatabase('an outage takes no lease away', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const [job] = await claimJobs(room.app, { location, agent })
  await aliveTick(room.app)
  room.advance(60_000)
  await recover(room.app)
  await forgiveTick(room.app)
  await sweepTick(room.app)
  t.equal((await intakeReports(room.app, location, [passingReport(job!)]))[0]?.outcome, 'accepted')
})

eachDatabase('a job that waited through an outage is missed for that reason', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  await aliveTick(room.app)
  room.advance(20_000)
  await recover(room.app)
  await forgiveTick(room.app)
  await sweepTick(room.app)
  t.strictSame(await accountedFor(db), [`c local ${start} CONTROL_PLANE_DOWN`])
})

eachDatabase('round robin goes from place to place; parallel goes everywhere', async (t, db) => {
  const locations = ['a', 'b', 'c'].map((id) => ({ id, name: id }))
  const dueIn = async (id: string) =>
    (await claimJobs(room.app, { location: id, agent })).map((j) => `${j.checkId}@${id}`)
  const room = engineRoom(db)
  await addCheck(room, { id: 'turns', locations })
  await addCheck(room, { id: 'everywhere', locations, parallel: true })
  const first = [await dueIn('a'), await dueIn('b'), await dueIn('c')].flat().sort()
  t.strictSame(first, ['everywhere@a', 'everywhere@b', 'everywhere@c', 'turns@a'])
})

eachDatabase('a deactivated check runs no more; activated again it runs at once', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const sync = (activated: boolean) =>
    db.transaction((trx) =>
      syncSchedule(trx, scheduled({ id: 'c', activated }), {
        now: room.app.clock.now(),
        newId: room.app.newId,
      }),
    )
  await sync(false)
  room.advance(20_000)
  await scheduleTick(room.app)
  await sweepTick(room.app)
  t.strictSame(await claimJobs(room.app, { location, agent }), [])
  t.strictSame(await accountedFor(db), [])
  await sync(true)
  t.match(await claimJobs(room.app, { location, agent }), [{ dueAt: start + 20_000 }])
})

eachDatabase('a changed check takes back the jobs of its old form and keeps its slots', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const [first] = await claimJobs(room.app, { location, agent })
  await intakeReports(room.app, location, [passingReport(first!)])
  await scheduleTick(room.app)
  const [ahead] = await claimJobs(room.app, { location, agent })
  await db.transaction((trx) =>
    syncSchedule(trx, scheduled({ id: 'c', writes: 1 }), {
      now: room.app.clock.now(),
      newId: room.app.newId,
    }),
  )
  await scheduleTick(room.app)
  t.strictSame(
    await renewLeases(room.app, { location, agentId: agent.agentId }, [{ jobId: ahead!.id, fence: 1 }]),
    [ahead!.id],
  )
  const [anew] = await claimJobs(room.app, { location, agent })
  t.equal(anew?.dueAt, ahead?.dueAt)
  t.equal(anew?.id, ahead?.id, 'it is the same slot')
  t.ok(anew!.fence > ahead!.fence, 'and another run of it')
  await intakeReports(room.app, location, [passingReport(ahead!), passingReport(anew!)])
  t.strictSame(await accountedFor(db), [`c local ${start} RESULT`, `c local ${start + 10_000} RESULT`])
})

eachDatabase('reports for a dropped check are refused', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c' })
  const [job] = await claimJobs(room.app, { location, agent })
  await db.transaction((trx) => dropSchedule(trx, 'c'))
  t.equal((await intakeReports(room.app, location, [passingReport(job!)]))[0]?.outcome, 'stale')
})

eachDatabase('two control planes over one store plan every slot once', async (t, db) => {
  const room = engineRoom(db)
  for (let i = 0; i < 30; i++) await addCheck(room, { id: `c${i}`, phaseMs: i * 100 })
  const other = engineRoom(db)
  for (let i = 0; i < 6; i++) {
    room.advance(10_000)
    other.advance(10_000)
    await Promise.all([scheduleTick(room.app), scheduleTick(other.app), scheduleTick(room.app)])
    await Promise.all([sweepTick(room.app), sweepTick(other.app)])
  }
  const seen = await accountedFor(db)
  t.ok(seen.length > 100)
  const dueTimes = seen.map((line) => line.split(' ').slice(0, 3).join(' '))
  t.equal(new Set(dueTimes).size, dueTimes.length, 'no due time twice')
})

eachDatabase(
  'a report that does not have the shape of its type ends the run, and says why',
  async (t, db) => {
    const room = engineRoom(db)
    await addCheck(room, { id: 'c' })
    const [job] = await claimJobs(room.app, { location, agent })
    const { outcome, ...report } = passingReport(job!)
    if (outcome.kind !== 'observed') throw new Error('a passing report observes')
    const broken = { ...outcome, observation: { ...outcome.observation, detail: { response: 'yes' } } }
    const answers = await intakeReports(room.app, location, [{ ...report, outcome: broken }])
    t.equal(answers[0]?.outcome, 'accepted')
    const [row] = await allResults(db)
    t.match(row, { has_errors: true, has_failures: false, doc: /cannot be read: .*is required/ })
  },
)

eachDatabase('what is missed behind a dead agent is missed for want of an agent', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c', periodMs: 10_000 })
  const reasons = async () =>
    (
      await db.select((k) => k.selectFrom('missed_runs').select(['reason', 'detail']).orderBy('first_due_at'))
    ).map((row) => ({ ...row }))
  await claimJobs(room.app, { location, agent })
  // Nobody renews the lease; the next slot comes before that is known.
  for (let second = 0; second < 12; second += 1) {
    room.advance(1000)
    await scheduleTick(room.app)
    await sweepTick(room.app)
  }
  t.match(await reasons(), [{ reason: 'OVERLAP' }])
  for (let second = 0; second < 5; second += 1) {
    room.advance(1000)
    await sweepTick(room.app)
  }
  t.match(await reasons(), [{ reason: 'NO_AGENT', detail: /had the run before was gone/ }])
})

eachDatabase('so is what was missed before a dead agent came back', async (t, db) => {
  const room = engineRoom(db)
  await addCheck(room, { id: 'c', periodMs: 10_000 })
  await claimJobs(room.app, { location, agent })
  for (let second = 0; second < 12; second += 1) {
    room.advance(1000)
    await scheduleTick(room.app)
    await sweepTick(room.app)
  }
  await releaseEarlierLife(room.app, agent.agentId, location)
  const [missed] = await db.select((k) => k.selectFrom('missed_runs').select('reason'))
  t.equal(missed?.reason, 'NO_AGENT')
})
