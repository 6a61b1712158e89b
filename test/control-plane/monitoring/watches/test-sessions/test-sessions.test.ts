// Runs on both engines: sessions of a test end at once and lock rows, and its list filters texts.
import { retentionTick } from '../../../../../control-plane/platform/retention/retention-tick.ts'
import { retentionKinds } from '../../../../../control-plane/retention.ts'
import { type Answer, eachEngine, type TestApp } from '../../../../support/app.ts'
import { claimAll, createUrlCheck, refused, reportJob, workAll } from '../../../../support/tests-of-checks.ts'

const start = (plane: TestApp, more: object = {}): Promise<Answer> =>
  plane.call('POST', '/v1/test-sessions/trigger', {
    body: { name: 'release', runLocation: 'local', ...more },
  })
const read = async (plane: TestApp, id: string) => (await plane.call('GET', `/v1/test-sessions/${id}`)).body
const list = async (plane: TestApp, query = ''): Promise<string[]> => {
  const { status, body, text } = await plane.call('GET', `/v1/test-sessions${query}`)
  if (status !== 200) throw new Error(text)
  return body.entries.map(({ name }: { name: string }) => name)
}

eachEngine('a test runs a copy of the check and passes with it', async (t, plane) => {
  const checkId = await createUrlCheck(plane)
  const started = await start(plane, { target: { checkId: [checkId] } })
  t.match(started, {
    status: 201,
    body: {
      name: 'release',
      status: 'RUNNING',
      provider: 'API',
      results: [{ checkId, runLocation: 'local', status: 'RUNNING', resultType: null }],
    },
  })
  const { testSessionId } = started.body
  const [job] = await claimAll(plane)
  t.match(job, { runSource: 'TRIGGER_RECORD' })
  t.not(job!.checkId, checkId, 'it is a copy that is run')
  plane.advance(1500)
  await reportJob(plane, job!)
  const ended = await read(plane, testSessionId)
  t.match(ended, {
    status: 'PASSED',
    timeElapsed: 1500,
    results: [{ status: 'PASSED', resultType: 'FINAL', hasFailures: false, aborted: false }],
  })
  const path = `/v1/test-sessions/${testSessionId}/results/${ended.results[0].testSessionResultId}`
  t.match(await plane.call('GET', path), { status: 200, body: { id: job!.id, name: 'site' } })
  t.match(await plane.call('GET', `${path}/assets`), { status: 200, body: { entriesTotal: 0 } })
  t.equal((await plane.call('GET', `/v1/test-sessions/${testSessionId}/completion`)).status, 200)
})

eachEngine('a failing test changes nothing of what is known of its check', async (t, plane) => {
  const channel = { type: 'EMAIL', config: { address: 'ops@example.com' }, autoSubscribe: true }
  await plane.call('POST', '/v1/alert-channels', { body: channel })
  const checkId = await createUrlCheck(plane, {
    retryStrategy: null,
    doubleCheck: false,
    alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 1 } },
  })
  const before = await plane.call('GET', `/v1/check-statuses/${checkId}`)
  const { testSessionId } = (await start(plane, { target: { checkId } })).body
  t.equal(await workAll(plane, refused), 1)
  const ended = await read(plane, testSessionId)
  t.match(ended, { status: 'FAILED', results: [{ hasFailures: true, status: 'FAILED' }] })
  t.equal(ended.errorGroupIds.length, 1)
  const after = await plane.call('GET', `/v1/check-statuses/${checkId}`)
  t.strictSame(after.body, before.body, 'its status')
  t.strictSame((await plane.call('GET', '/v1/check-alerts')).body, [], 'no alert')
  t.strictSame((await plane.call('GET', '/v1/error-groups')).body, [], 'no error group of its own')
  t.equal((await plane.call('GET', `/v2/check-results/${checkId}`)).body.length, 1, 'no result of its own')
  t.equal(await workAll(plane, refused), 0, 'it is not tried again')
})

eachEngine('retries are tried when they are asked for', async (t, plane) => {
  const checkId = await createUrlCheck(plane)
  const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 1 }
  const { testSessionId } = (await start(plane, { target: { checkId }, retryStrategy })).body
  await workAll(plane, refused)
  t.match(await read(plane, testSessionId), { status: 'RUNNING' })
  await workAll(plane)
  t.match(await read(plane, testSessionId), { status: 'PASSED' })
})

eachEngine('a deactivated check is run only where that is allowed', async (t, plane) => {
  const checkId = await createUrlCheck(plane, { activated: false })
  t.match(await start(plane, { target: { checkId } }), {
    status: 404,
    body: { message: 'No matching checks were found.' },
  })
  const { testSessionId } = (await start(plane, { target: { checkId, allowDeactivated: true } })).body
  t.equal(await workAll(plane), 1)
  t.match(await read(plane, testSessionId), { status: 'PASSED' })
})

eachEngine('a test gives its runs variables, which nobody is shown', async (t, plane) => {
  const body = {
    name: 'api',
    request: { url: 'http://127.0.0.1/{{PATH_OF_TEST}}', method: 'GET' },
    privateLocations: ['local'],
    environmentVariables: [{ key: 'PATH_OF_TEST', value: 'saved' }],
  }
  const { id } = (await plane.call('POST', '/v1/checks/api', { body })).body
  await workAll(plane)
  const environmentVariables = [{ key: 'PATH_OF_TEST', value: 'given', secret: true }]
  const started = await start(plane, { target: { checkId: id }, environmentVariables })
  t.equal(started.status, 201)
  const [job] = await claimAll(plane)
  t.match(job!.variables, [{ key: 'PATH_OF_TEST', value: 'given', secret: true }])
  const stored = await plane.app.db.select((k) => k.selectFrom('check_sessions').select('variables'))
  t.notMatch(JSON.stringify(stored), 'given', 'they are sealed')
})

eachEngine('of a group as many run at once as its concurrency says', async (t, plane) => {
  const group = { name: 'shop', concurrency: 1, locations: [], privateLocations: ['local'] }
  const { id: groupId } = (await plane.call('POST', '/v1/check-groups', { body: group })).body
  for (const name of ['first', 'second', 'third']) await createUrlCheck(plane, { name, groupId })
  const { testSessionId } = (await start(plane)).body
  for (const count of [1, 1, 1]) t.equal(await workAll(plane), count)
  t.match(await read(plane, testSessionId), { status: 'PASSED' })
})

eachEngine('a cancelled test ends at once, also what waits for its turn', async (t, plane) => {
  const group = { name: 'shop', concurrency: 1, locations: [], privateLocations: ['local'] }
  const { id: groupId } = (await plane.call('POST', '/v1/check-groups', { body: group })).body
  for (const name of ['first', 'second']) await createUrlCheck(plane, { name, groupId })
  const { testSessionId } = (await start(plane)).body
  t.equal((await plane.call('POST', `/v1/test-sessions/${testSessionId}/cancel`, { body: {} })).status, 204)
  const ended = await read(plane, testSessionId)
  t.match(ended, { status: 'CANCELLED', results: [{ isCancelled: true }, { isCancelled: true }] })
  t.not(ended.stoppedAt, null)
  t.equal(await workAll(plane), 0)
})

eachEngine('the list is searched, filtered and paged', async (t, plane) => {
  const checkId = await createUrlCheck(plane)
  const tests = [
    { name: 'alpha', metadata: { branchName: 'main', commitOwner: 'ada' } },
    { name: 'beta', metadata: { branchName: 'fix' } },
    { name: 'gamma' },
  ]
  for (const test of tests) {
    await start(plane, { ...test, target: { checkId } })
    await workAll(plane, test.name === 'beta' ? refused : undefined)
    plane.advance(60_000)
  }
  t.strictSame(await list(plane), ['gamma', 'beta', 'alpha'])
  t.strictSame(await list(plane, '?statuses=FAILED'), ['beta'])
  t.strictSame(await list(plane, '?branches=main'), ['alpha'])
  t.strictSame(await list(plane, '?branches[]=main&branches[]=fix'), ['beta', 'alpha'])
  t.strictSame(await list(plane, '?users=ada'), ['alpha'])
  t.strictSame(await list(plane, '?noUsers=true'), ['gamma', 'beta'])
  t.strictSame(await list(plane, '?textSearch=GAM'), ['gamma'])
  t.strictSame(await list(plane, '?providers=TRIGGER'), [])
  const { errorGroupIds } = await read(
    plane,
    (await plane.call('GET', '/v1/test-sessions?statuses=FAILED')).body.entries[0].id,
  )
  t.strictSame(await list(plane, `?errorGroupId=${errorGroupIds[0]}`), ['beta'])
  const first = (await plane.call('GET', '/v1/test-sessions?limit=2')).body
  t.strictSame(await list(plane, `?limit=2&nextId=${first.nextId}`), ['alpha'])
})

eachEngine('a test that is old ends with its copies', async (t, plane) => {
  const checkId = await createUrlCheck(plane)
  const { testSessionId } = (await start(plane, { target: { checkId } })).body
  await workAll(plane)
  plane.advance(400 * 86_400_000)
  await retentionTick(retentionKinds)(plane.app, new AbortController().signal)
  t.equal((await plane.call('GET', `/v1/test-sessions/${testSessionId}`)).status, 404)
  for (const table of ['tested_checks', 'check_sessions', 'check_session_runs'] as const)
    t.strictSame(await plane.app.db.select((k) => k.selectFrom(table).select('id')), [], table)
  const removed = await plane.app.db.select((k) => k.selectFrom('removed_checks').selectAll())
  t.equal(removed.length, 1, 'its results go little by little')
})

eachEngine('what cannot be run is said', async (t, plane) => {
  const checkId = await createUrlCheck(plane, { privateLocations: [] })
  const target = { checkId }
  t.match(await start(plane, { target, runLocation: 'nowhere' }), { status: 400 })
  t.match(await start(plane, { target, runLocation: undefined }), {
    status: 400,
    body: { attributes: { violations: [{ path: 'runLocation' }] } },
  })
  t.equal((await start(plane, { target })).status, 201, 'a location of the test is enough')
})
