// Runs on both engines: sessions that end at once lock rows.
import { sweepTick } from '../../../../../control-plane/monitoring/runs/sweep.ts'
import { query } from '../../../../../control-plane/platform/store/database/query.ts'
import { type Answer, eachEngine, type TestApp } from '../../../../support/app.ts'
import { claimRequest, emptyHttpDetail, passingReport } from '../../../../support/engine-room.ts'

const createCheck = async (plane: TestApp, more: object = {}): Promise<string> => {
  const request = { url: 'http://127.0.0.1/' }
  const body = { name: 'site', request, privateLocations: ['local'], frequency: 60, ...more }
  const answer = await plane.call('POST', '/v1/checks/url', { body })
  if (answer.status !== 201) throw new Error(answer.text)
  await work(plane)
  return answer.body.id
}

type Job = { id: string; fence: number; checkId: string; runSource: string }

const claim = async (plane: TestApp): Promise<Job[]> =>
  (await plane.call('POST', '/agent/v1/claim', { key: plane.agentKey, body: claimRequest() })).body.jobs

const report = (plane: TestApp, job: Job, outcome?: object): Promise<Answer> => {
  const passing = passingReport(job, plane.app.clock.now())
  const reports = [outcome ? { ...passing, outcome } : passing]
  return plane.call('POST', '/agent/v1/report', {
    key: plane.agentKey,
    body: { agentId: 'agent-1', reports },
  })
}

/** An agent that passes whatever there is to run. */
const work = async (plane: TestApp): Promise<void> => {
  for (const job of await claim(plane)) await report(plane, job)
}

const trigger = (plane: TestApp, target: object = {}, key = plane.apiKey): Promise<Answer> =>
  plane.call('POST', '/v2/check-sessions/trigger', { key, body: { target } })

const read = async (plane: TestApp, id: string) => (await plane.call('GET', `/v2/check-sessions/${id}`)).body

eachEngine('a session runs the check in its locations and ends with its verdict', async (t, plane) => {
  const checkId = await createCheck(plane)
  const triggered = await trigger(plane, { checkId: [checkId] })
  t.match(triggered, {
    status: 201,
    body: {
      sessions: [
        {
          checkId,
          checkType: 'URL',
          name: 'site',
          status: 'STARTED',
          runSource: 'TRIGGER_API',
          runLocations: ['local'],
          stoppedAt: null,
        },
      ],
    },
  })
  const id = triggered.body.sessions[0].checkSessionId
  const [job] = await claim(plane)
  t.match(job, { checkId, runSource: 'TRIGGER_API' })
  t.match(await read(plane, id), { status: 'PROGRESS', results: [{ resultType: null, startedAt: null }] })
  plane.advance(1500)
  await report(plane, job!)
  t.match(await read(plane, id), {
    status: 'PASSED',
    timeElapsed: 1500,
    results: [{ resultType: 'FINAL', hasFailures: false, checkResultId: job!.id, runLocation: 'local' }],
  })
})

eachEngine('a failing run fails the session', async (t, plane) => {
  await createCheck(plane)
  const { body } = await trigger(plane)
  const failure = { code: 'ECONNREFUSED', message: 'refused', network: true }
  const observation = {
    responseTime: 3,
    failure,
    assertions: [],
    degraded: false,
    metrics: {},
    detail: emptyHttpDetail,
  }
  const session = () => read(plane, body.sessions[0].checkSessionId)
  const fail = async () => {
    for (const job of await claim(plane)) await report(plane, job, { kind: 'observed', observation })
  }
  await fail()
  t.match(await session(), { status: 'STARTED' }, 'doubleCheck: one retry is left')
  await fail()
  t.match(await session(), { status: 'FAILED', results: [{ hasFailures: true }] })
})

eachEngine('tags choose checks; nothing chosen is a 404', async (t, plane) => {
  const tagged = await createCheck(plane, { tags: ['production', 'web'] })
  await createCheck(plane, { tags: ['staging', 'web'] })
  const chosen = await trigger(plane, { matchTags: [['web', '!staging']] })
  t.strictSame(
    chosen.body.sessions.map(({ checkId }: { checkId: string }) => checkId),
    [tagged],
  )
  t.match(await trigger(plane, { matchTags: [['nowhere']] }), {
    status: 404,
    body: { message: 'No matching checks were found.' },
  })
})

eachEngine('a deactivated check and one without a location are not run', async (t, plane) => {
  await createCheck(plane, { activated: false })
  await createCheck(plane, { privateLocations: [] })
  t.match(await trigger(plane), { status: 404 })
})

eachEngine('completion waits for the end and answers 408 before it', async (t, plane) => {
  await createCheck(plane)
  const { body } = await trigger(plane)
  const path = `/v1/check-sessions/${body.sessions[0].checkSessionId}/completion`
  const waiting = plane.call('GET', `${path}?maxWaitSeconds=30`)
  await work(plane)
  t.match(await plane.call('GET', path), { status: 200, body: { status: 'PASSED' } })
  if (!plane.app.db.engine.shared)
    t.match(await waiting, { status: 200, body: { status: 'PASSED' } }, 'woken')
  t.match(await plane.call('GET', `${path}?maxWaitSeconds=31`), { status: 400 })
  plane.drain()
  await waiting
})

eachEngine(
  'a cancelled run becomes a cancelled result, and what its agent reports is a repeat',
  async (t, plane) => {
    const checkId = await createCheck(plane)
    const { body } = await trigger(plane)
    const id = body.sessions[0].checkSessionId
    const [job] = await claim(plane)
    t.match(await plane.call('POST', `/v2/check-sessions/${id}/cancel`, { body: {} }), { status: 204 })
    t.match(await read(plane, id), {
      status: 'CANCELLED',
      results: [{ isCancelled: true, resultType: 'FINAL' }],
    })
    const lease = { agentId: 'agent-1', leases: [{ jobId: job!.id, fence: job!.fence }] }
    const renewed = await plane.call('POST', '/agent/v1/renew', { key: plane.agentKey, body: lease })
    t.strictSame(renewed.body.lost, [job!.id])
    t.match((await report(plane, job!)).body.outcomes, [{ outcome: 'duplicate' }])
    t.match((await plane.call('GET', `/v1/check-statuses/${checkId}`)).body, { hasFailures: false })
  },
)

eachEngine('a run that no agent comes for times the session out', async (t, plane) => {
  await createCheck(plane)
  const { body } = await trigger(plane)
  plane.advance(6 * 60_000)
  await sweepTick(plane.app)
  t.match(await read(plane, body.sessions[0].checkSessionId), {
    status: 'TIMED_OUT',
    results: [{ aborted: true, hasErrors: true }],
  })
})

eachEngine('a session does not wait for the schedule, nor the schedule for it', async (t, plane) => {
  const checkId = await createCheck(plane)
  await trigger(plane)
  await trigger(plane)
  const jobs = await claim(plane)
  t.equal(jobs.filter((job) => job.checkId === checkId).length, 2)
})

const insertGroup = query('test-insert-group', (k, p: { accountId: string; doc: string }) =>
  k.insertInto('check_groups').values({
    id: 1,
    account_id: p.accountId,
    name: 'group',
    activated: true,
    created_at: 0,
    updated_at: null,
    version: 1,
    doc: p.doc,
  }),
)

eachEngine('of a group as many run at once as its concurrency says, in their order', async (t, plane) => {
  const { db } = plane.app
  await db.run(insertGroup, {
    accountId: plane.accountId,
    doc: JSON.stringify({ concurrency: 2, tags: ['shop'] }),
  })
  const ids: string[] = []
  for (const groupOrder of [3, 1, 2, 4]) ids.push(await createCheck(plane, { groupOrder }))
  await db.execute((k) => k.updateTable('checks').set({ group_id: 1 }))
  const { body } = await trigger(plane, { matchTags: [['shop']] })
  t.equal(body.sessions.length, 4)
  const order = [ids[1], ids[2], ids[0], ids[3]]
  const first = await claim(plane)
  t.strictSame(first.map(({ checkId }) => checkId).sort(), [order[0], order[1]].sort())
  await report(plane, first.find(({ checkId }) => checkId === order[0])!)
  const second = await claim(plane)
  t.strictSame(
    second.map(({ checkId }) => checkId),
    [order[2]],
  )
  for (const job of [...second, first.find(({ checkId }) => checkId === order[1])!]) await report(plane, job)
  await work(plane)
  for (const { checkSessionId } of body.sessions)
    t.equal((await read(plane, checkSessionId)).status, 'PASSED')
})

eachEngine('READ_ONLY may look and not run', async (t, plane) => {
  await createCheck(plane)
  const { apiKey } = await plane.addKey({ accountId: plane.accountId, role: 'READ_ONLY' })
  t.match(await trigger(plane, {}, apiKey), { status: 403 })
  const { body } = await trigger(plane)
  const path = `/v1/check-sessions/${body.sessions[0].checkSessionId}`
  t.match(await plane.call('GET', path, { key: apiKey }), { status: 200 })
  const { apiKey: stranger } = await plane.addKey()
  t.match(await plane.call('GET', path, { key: stranger }), {
    status: 404,
    body: { message: 'No such check session.' },
  })
})
