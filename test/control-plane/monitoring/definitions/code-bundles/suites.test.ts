// Runs on both engines in test:all: its statements run in no other file.
/** From a stored suite to the job that an agent is handed, and back to its result. */
import t from 'tap'
import { sweepBundlesTick } from '../../../../../control-plane/monitoring/definitions/code-bundles/sweep-bundles.ts'
import { exampleOf } from '../../../../../control-plane/platform/web/http/openapi/example-of.ts'
import { agentPaths } from '../../../../../protocol/agent-api.ts'
import { PlaywrightCheckResult } from '../../../../../protocol/checks/playwright-result.ts'
import { codeBundlePathOf, PlaywrightSpec } from '../../../../../protocol/checks/playwright-spec.ts'
import type { Job } from '../../../../../protocol/job.ts'
import { compile } from '../../../../../protocol/validate.ts'
import { eachEngine, type TestApp, testApp } from '../../../../support/app.ts'
import { announced, uploadArtifact } from '../../../../support/artifacts.ts'
import {
  bundleOf,
  newSuite,
  project,
  sha256Of,
  uploadBundle,
  usageOfAccount,
} from '../../../../support/bundles.ts'
import { claimRequest } from '../../../../support/engine-room.ts'

const dayMs = 86_400_000

const claim = async (
  plane: TestApp,
  key = plane.agentKey,
): Promise<Array<Job & { spec: PlaywrightSpec }>> => {
  const body = claimRequest({ checkTypes: ['PLAYWRIGHT'], maxMain: 10 })
  const jobs: Array<Job & { spec: PlaywrightSpec }> = (
    await plane.call('POST', agentPaths.claim, { key, body })
  ).body.jobs
  for (const { spec } of jobs) t.strictSame(compile(PlaywrightSpec)(structuredClone(spec)).ok, true)
  return jobs
}

const files = project.flatMap(({ path, content }) =>
  content === undefined ? [] : [{ path, content: String(content) }],
)

eachEngine('an agent is told which bundle a suite runs, and fetches it', async (t, plane) => {
  const bytes = bundleOf()
  const { id } = (await uploadBundle(plane, bytes)).body
  const suite = await newSuite(plane, {
    codeBundleId: id,
    projects: ['chromium'],
    testTags: ['@smoke'],
    playwrightConfigPath: 'e2e/playwright.config.ts',
    engine: 'node@24',
    environmentVariables: [{ key: 'SHOP', value: 'secret', secret: true }],
  })
  t.match(suite, { status: 201, body: { codeBundleId: id, files: [], testTags: ['@smoke'] } })
  const address = codeBundlePathOf(id)
  let ticket = ''
  const fetched = (more = {}, at = address) =>
    fetch(plane.url + at, {
      headers: { authorization: `Bearer ${plane.agentKey}`, 'bundle-ticket': ticket, ...more },
    })
  t.equal((await fetched()).status, 404, 'no agent of the location has claimed a suite')

  const [job] = await claim(plane)
  t.equal((await fetched()).status, 404, 'without what the job came with')
  ticket = job?.bundleTicket ?? ''
  t.strictSame(job?.spec, {
    files: [],
    bundle: { id, sha256: sha256Of(bytes), bytes: bytes.length },
    workingDir: null,
    playwrightConfigPath: 'e2e/playwright.config.ts',
    projects: ['chromium'],
    tags: ['@smoke'],
    installCommand: null,
    testCommand: 'npx playwright test',
    engine: 'node@24',
    refreshCache: false,
  })
  t.match(job?.variables, [{ key: 'SHOP', value: 'secret', secret: true }])

  const whole = await fetched()
  t.equal(whole.status, 200)
  t.equal(whole.headers.get('content-type'), 'application/gzip')
  t.equal(whole.headers.get('content-length'), String(bytes.length))
  t.equal(whole.headers.get('etag'), `"${sha256Of(bytes)}"`)
  t.ok(Buffer.from(await whole.arrayBuffer()).equals(bytes))
  const rest = await fetched({ range: 'bytes=100-' })
  t.equal(rest.status, 206)
  t.ok(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(100)))
  t.equal((await fetched({ range: `bytes=${bytes.length}-` })).status, 416)

  t.equal((await plane.call('GET', address)).status, 401, 'a key of the account is no agent’s')
  const other = await testApp(t, { engine: 'sqlite' })
  t.equal((await plane.call('GET', address, { key: other.agentKey })).status, 401)
  t.equal((await plane.call('GET', codeBundlePathOf('no-such'), { key: plane.agentKey })).status, 404)

  const another = (await uploadBundle(plane, bundleOf({ path: 'another' }))).body.id
  t.equal((await fetched({}, codeBundlePathOf(another))).status, 404, 'one of the account, but not the job’s')
  await plane.call('PUT', `/v1/checks/playwright/${suite.body.id}`, { body: { codeBundleId: another } })
  t.equal((await fetched()).status, 200, 'the job runs the one that it was handed out with')
  t.equal((await fetched({}, codeBundlePathOf(another))).status, 404)
  t.equal((await fetched({ 'bundle-ticket': ticket.replace(/\.1\./, '.2.') })).status, 404)
  const body = { agentId: claimRequest().agentId, leases: [{ jobId: job?.id, fence: job?.fence }] }
  t.match(await plane.call('POST', agentPaths.release, { key: plane.agentKey, body }), { status: 200 })
  t.equal((await fetched()).status, 404, 'a job that was given back')
  const [again] = await claim(plane)
  t.equal(again?.id, job?.id)
  t.equal((await fetched()).status, 404, 'another lease of it')
  ticket = again?.bundleTicket ?? ''
  t.equal((await fetched({}, codeBundlePathOf(another))).status, 200)
})

eachEngine('a bundle of another account is neither a check’s nor its agents’', async (t, plane) => {
  const other = await plane.addKey()
  const { id } = (await uploadBundle(plane, bundleOf(), { key: other.apiKey })).body
  t.match(await newSuite(plane, { codeBundleId: id }), {
    status: 400,
    body: { message: /"codeBundleId" names a code bundle that does not exist/ },
  })
  await newSuite(plane, { files })
  t.equal((await claim(plane)).length, 1)
  t.equal((await plane.call('GET', codeBundlePathOf(id), { key: plane.agentKey })).status, 404)
})

t.test('a suite has a bundle, files, or both', async (t) => {
  const plane = await testApp(t)
  const { id } = (await uploadBundle(plane, bundleOf())).body
  t.match(await newSuite(plane, {}), { status: 400, body: { message: /"files" or "codeBundleId"/ } })
  const overlay = [{ path: '.npmrc', content: 'offline=true' }]
  const created = await newSuite(plane, { codeBundleId: id, files: overlay })
  t.match(created, { status: 201, body: { codeBundleId: id, files: overlay } })
  const address = `/v1/checks/playwright/${created.body.id}`
  const change = (body: object) => plane.call('PUT', address, { body })
  t.match((await change({ codeBundleId: null })).body.message, /lock file/, 'the files are no project')
  t.match((await change({ codeBundleId: null, files: [] })).body.message, /"files" or "codeBundleId"/)
  t.match(await change({ codeBundleId: null, files }), { status: 200, body: { codeBundleId: null, files } })
  t.match(await change({ name: 'renamed' }), { status: 200, body: { files } })
  t.match(await change({ codeBundleId: id, files: [] }), {
    status: 200,
    body: { codeBundleId: id, files: [] },
  })
})

eachEngine('a bundle stays while a check runs it, and 30 days after the last did', async (t, plane) => {
  const used = (await uploadBundle(plane, bundleOf({ path: 'used' }))).body.id
  const unused = (await uploadBundle(plane, bundleOf({ path: 'unused' }))).body.id
  const check = (await newSuite(plane, { codeBundleId: used })).body.id
  const status = async (id: string) => (await plane.call('GET', `/v1/code-bundles/${id}`)).status
  const refused = await plane.call('DELETE', `/v1/code-bundles/${used}`)
  t.match(refused, { status: 409, body: { attributes: { checkIds: [check] } } })

  plane.advance(30 * dayMs - 1)
  await sweepBundlesTick(plane.app)
  t.same([await status(used), await status(unused)], [200, 200])
  plane.advance(1)
  await Promise.all([sweepBundlesTick(plane.app), sweepBundlesTick(plane.app)])
  t.same([await status(used), await status(unused)], [200, 404])

  const next = (await uploadBundle(plane, bundleOf({ path: 'next' }))).body
  await plane.call('PUT', `/v1/checks/playwright/${check}`, { body: { codeBundleId: next.id } })
  plane.advance(30 * dayMs - 1)
  await sweepBundlesTick(plane.app)
  t.same([await status(used), await status(next.id)], [200, 200], 'whoever goes back finds it')
  plane.advance(1)
  await sweepBundlesTick(plane.app)
  t.same([await status(used), await status(next.id)], [404, 200])
  t.equal(await usageOfAccount(plane), next.size)
  t.equal((await newSuite(plane, { codeBundleId: used })).status, 400)
})

eachEngine('a bundle goes with the last check that ran it', async (t, plane) => {
  const { id } = (await uploadBundle(plane, bundleOf())).body
  const [first, second] = [
    (await newSuite(plane, { codeBundleId: id })).body.id,
    (await newSuite(plane, { codeBundleId: id })).body.id,
  ]
  const status = async () => (await plane.call('GET', `/v1/code-bundles/${id}`)).status
  await plane.call('DELETE', `/v1/checks/${first}`)
  await sweepBundlesTick(plane.app)
  t.equal(await status(), 200)
  await plane.call('DELETE', `/v1/checks/${second}`)
  await sweepBundlesTick(plane.app)
  t.equal(await status(), 404)
  t.equal(await usageOfAccount(plane), 0)
  t.same(await plane.app.db.select((k) => k.selectFrom('check_bundles').selectAll()), [])
})

eachEngine('what a control plane was receiving when it ended is swept', async (t, plane) => {
  const { app, accountId } = plane
  const { id } = (await uploadBundle(plane, bundleOf())).body
  await app.db.execute((k) => k.updateTable('code_bundles').set({ completed_at: null }))
  t.equal((await newSuite(plane, { codeBundleId: id })).status, 400, 'nobody may use it')
  await sweepBundlesTick(app)
  t.ok((await usageOfAccount(plane)) > 0)
  plane.advance(3_600_000)
  await sweepBundlesTick(app)
  t.equal(await usageOfAccount(plane), 0)
  t.same(await app.db.select((k) => k.selectFrom('code_bundles').selectAll()), [], accountId)
})

eachEngine('a session may do without what agents kept, and others do not', async (t, plane) => {
  const checkId = (await newSuite(plane, { files })).body.id
  t.match(await claim(plane), [
    { runSource: 'SCHEDULER', spec: { refreshCache: false, bundle: null, files } },
  ])
  const trigger = async (refreshCache: boolean) =>
    (
      await plane.call('POST', '/v1/check-sessions/trigger', {
        body: { target: { checkId: [checkId] }, refreshCache },
      })
    ).body.sessions[0].checkSessionId
  await trigger(true)
  await trigger(false)
  const jobs = await claim(plane)
  t.same(jobs.map(({ runSource, spec }) => `${runSource} ${spec.refreshCache}`).sort(), [
    'TRIGGER_API false',
    'TRIGGER_API true',
  ])
})

const detail = (errors: string[]): PlaywrightCheckResult => ({
  ...(exampleOf(PlaywrightCheckResult) as PlaywrightCheckResult),
  errors,
  tests: [
    {
      titlePath: ['tests/shop.spec.ts', 'buys <b>a book</b>'],
      project: 'chromium',
      file: 'tests/shop.spec.ts',
      line: 7,
      tags: ['@smoke'],
      status: errors.length > 0 ? 'failed' : 'passed',
      outcome: errors.length > 0 ? 'unexpected' : 'expected',
      duration: 1234,
      retries: 1,
      degraded: errors.length === 0,
      errors,
    },
  ],
  counts: { passed: 0, failed: 1, flaky: 0, skipped: 0, degraded: 0, notRun: 0 },
})

type End = { errors?: string[]; degraded?: boolean; artifacts?: ReturnType<typeof announced>[] }

/** As an agent reports the run of a suite. */
const report = async (
  plane: TestApp,
  { id: jobId, fence }: Job,
  { errors = [], degraded = false, artifacts = [] }: End,
) => {
  const now = plane.app.clock.now()
  const failure = errors[0] === undefined ? null : { code: 'TEST_FAILED', message: errors[0], network: false }
  const observation = {
    responseTime: 2000,
    failure,
    assertions: [],
    degraded,
    metrics: {},
    detail: detail(errors),
  }
  const outcome = { kind: 'observed', observation }
  const one = { jobId, fence, startedAt: now, stoppedAt: now + 2000, outcome, log: [], artifacts }
  const body = { agentId: 'agent-1', reports: [one] }
  const answer = await plane.call('POST', agentPaths.report, { key: plane.agentKey, body })
  t.equal(answer.body.outcomes[0].outcome, 'accepted')
}

eachEngine('a result shows its tests and its files, and a failure joins an error group', async (t, plane) => {
  const checkId = (await newSuite(plane, { files })).body.id
  const [job] = (await claim(plane)) as [Job]
  const bytes = Buffer.from('bytes')
  const zip = { type: 'trace', contentType: 'application/zip' } as const
  await report(plane, job, {
    errors: ['Error: expect(received).toBe(expected)'],
    artifacts: [
      announced('shop-retry1-trace.zip', bytes, zip),
      announced('video.webm', bytes, { type: 'video', contentType: 'video/webm' }),
      announced('report.json', bytes, { type: 'report', contentType: 'application/json' }),
    ],
  })
  const address = `/v1/check-results/${checkId}/${job.id}`
  for (const name of ['shop-retry1-trace.zip', 'video.webm', 'report.json'])
    t.equal((await uploadArtifact(plane, { resultId: job.id, name, bytes })).status, 200)
  const result = (await plane.call('GET', address)).body
  const url = (name: string) => `${plane.app.config.baseUrl}${address}/assets/${name}`
  t.match(result, {
    checkType: 'PLAYWRIGHT',
    hasFailures: true,
    hasErrors: false,
    isDegraded: false,
    responseTime: 2000,
    browserCheckResult: null,
    playwrightCheckResult: {
      errors: ['Error: expect(received).toBe(expected)'],
      tests: [{ titlePath: ['tests/shop.spec.ts', 'buys <b>a book</b>'], status: 'failed', line: 7 }],
      playwrightTraceFiles: [
        { url: url('shop-retry1-trace.zip'), name: 'shop-retry1-trace', filename: 'shop-retry1-trace.zip' },
      ],
      playwrightTestTraces: [url('shop-retry1-trace.zip')],
      playwrightTestVideos: [url('video.webm')],
      playwrightTestJsonReportFile: url('report.json'),
    },
  })
  t.equal(result.playwrightCheckResult.jobAssets.length, 3)
  t.equal(result.errorGroupIds.length, 1)
  const groups = (await plane.call('GET', `/v1/error-groups/checks/${checkId}`)).body
  t.match(groups, [{ id: result.errorGroupIds[0], checkId }])
})

eachEngine('a suite that is not well is degraded, and its session says so with links', async (t, plane) => {
  const checkId = (await newSuite(plane, { files, activated: true })).body.id
  const [first] = (await claim(plane)) as [Job]
  await report(plane, first, {})
  const body = { target: { checkId: [checkId] } }
  const [session] = (await plane.call('POST', '/v1/check-sessions/trigger', { body })).body.sessions
  t.match(session, { checkType: 'PLAYWRIGHT', status: 'STARTED', checkSessionLink: /^http/ })
  const [job] = (await claim(plane)) as [Job]
  await report(plane, job, { degraded: true })
  const done = await plane.call('GET', `/v1/check-sessions/${session.checkSessionId}/completion`)
  t.match(done, {
    status: 200,
    body: {
      status: 'DEGRADED',
      results: [{ isDegraded: true, hasFailures: false, checkResultId: job.id, checkResultLink: /^http/ }],
    },
  })
  const page = await fetch(plane.url + new URL(done.body.results[0].checkResultLink).pathname)
  t.equal(page.status, 200, 'a link for people needs no key')
  t.match(await page.text(), /Playwright check suite/)
})
