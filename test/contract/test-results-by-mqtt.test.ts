// Runs on both engines: what a client hears is read from the rows of its test, which nothing else asks for.
/** Tests as command-line clients run them: they listen to a message broker first, start a test, and hear what came of it. */
import { randomBytes, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { realClock } from '../../agent/program/real-io.ts'
import { createCipher } from '../../control-plane/platform/services/secrets/cipher.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { engineNames } from '../support/databases.ts'
import { migratedPostgresDatabase } from '../support/migrated-postgres.ts'
import { connect, topicOf } from '../support/mqtt-clients.ts'
import { seenOn } from '../support/seen-statements.ts'
import { claimAll, createUrlCheck, refused, reportJob, workAll } from '../support/tests-of-checks.ts'
import { until } from '../support/until.ts'

const clock = realClock()

type Message = { sequenceId: string; kind: string; body: { resultType?: string } }

/** As the client does: what it hears, and the id of its test. */
const listen = async (t: Test, plane: TestApp) => {
  const suite = randomUUID()
  const heard: Message[] = []
  const client = await connect(t, plane)
  client.on('message', (topic, payload) => {
    const [, , , , sequenceId = '', , kind = ''] = topic.split('/')
    heard.push({ sequenceId, kind, body: JSON.parse(payload.toString()) })
  })
  await client.subscribeAsync(topicOf(plane.accountId, suite))
  const finals = () => heard.filter(({ kind, body }) => kind === 'error' || body.resultType === 'FINAL')
  return { suite, heard, finals, client }
}

const triggerBody = (suite: string, more: object = {}) => ({
  name: 'Triggered Session',
  shouldRecord: true,
  runLocation: { type: 'PUBLIC', region: 'eu-central-1' },
  checkRunSuiteId: suite,
  targetTags: [],
  environmentVariables: [],
  repoInfo: { commitId: 'abc', branchName: 'main', github: { reporting: true } },
  testRetryStrategy: null,
  refreshCache: false,
  ...more,
})

for (const engine of engineNames) {
  const make = (t: Test): Promise<TestApp> => testApp(t, { engine, parts: { clock } })

  t.test(`a trigger of saved checks is heard of as they end (${engine})`, async (t) => {
    const plane = await make(t)
    const good = await createUrlCheck(plane, { name: 'good', tags: ['smoke'] })
    const bad = await createUrlCheck(plane, { name: 'bad', tags: ['smoke', 'slow'] })
    const { suite, heard, finals } = await listen(t, plane)
    const body = triggerBody(suite, { targetTags: [['smoke']] })
    const started = await plane.call('POST', '/next/test-sessions/trigger', { body })
    t.equal(started.status, 201)
    const { testSessionId, checks, sequenceIds } = started.body
    t.strictSame(new Set(checks.map(({ id }: { id: string }) => id)), new Set([good, bad]))
    const jobs = await claimAll(plane)
    await until('messages', () => heard.length === 2)
    t.strictSame(new Set(heard.map(({ kind }) => kind)), new Set(['run-start']))
    for (const job of jobs)
      await reportJob(plane, job, job.checkId === sequenceIds[bad] ? refused : undefined)
    await until('messages', () => finals().length === 2)
    const of = (id: string) => finals().find(({ sequenceId }) => sequenceId === sequenceIds[id])
    t.match(of(good), {
      kind: 'result',
      body: { result: { name: 'good', hasFailures: false, assets: null } },
    })
    t.match(of(bad), { body: { testResultId: sequenceIds[bad], result: { name: 'bad', hasFailures: true } } })

    const base = `/next/test-sessions/${testSessionId}`
    t.match((await plane.call('GET', `${base}/link`)).body, { link: /\/app\/test-sessions\// })
    const links = await plane.call('GET', `${base}/results/${sequenceIds[bad]}/links`)
    t.match(links.body, { testResultLink: /\/results\//, testTraceLinks: [], videoLinks: [] })
    const other = await plane.addKey()
    t.equal((await plane.call('GET', `${base}/link`, { key: other.apiKey })).status, 404)

    const both = triggerBody(suite, { targetTags: [['smoke']], checkId: [bad] })
    const one = await plane.call('POST', '/next/test-sessions/trigger', { body: both })
    t.strictSame(
      one.body.checks.map(({ id }: { id: string }) => id),
      [bad],
      'tags narrow what ids name',
    )
    const none = await plane.call('POST', '/next/test-sessions/trigger', {
      body: triggerBody(suite, { targetTags: [['nothing']] }),
    })
    t.match(none, { status: 403, body: { statusCode: 403, errorCode: 'ERR_NO_MATCHING_CHECKS' } })
  })

  t.test(`attempts, cancellations and who comes again (${engine})`, async (t) => {
    const plane = await make(t)
    await createUrlCheck(plane, { name: 'flaky', tags: ['flaky'] })
    const { suite, heard, finals, client } = await listen(t, plane)
    const testRetryStrategy = { type: 'FIXED', maxRetries: 1, baseBackoffSeconds: 0 }
    const body = triggerBody(suite, { targetTags: [['flaky']], testRetryStrategy })
    await plane.call('POST', '/next/test-sessions/trigger', { body })
    await workAll(plane, refused)
    await until('messages', () => heard.some(({ body }) => body.resultType === 'ATTEMPT'))
    await workAll(plane)
    await until('messages', () => finals().length === 1)
    t.match(finals()[0]?.body, { result: { hasFailures: false, attempts: 1 } })
    const before = heard.length
    await client.subscribeAsync(topicOf(plane.accountId, suite))
    await until('messages', () => heard.length === 2 * before)
    t.equal(finals().length, 2, 'who listens again hears it all again')

    const second = await listen(t, plane)
    const started = await plane.call('POST', '/next/test-sessions/trigger', {
      body: triggerBody(second.suite),
    })
    await plane.call('POST', `/v1/test-sessions/${started.body.testSessionId}/cancel`, { body: {} })
    await until('messages', () => second.finals().length === 1)
    t.match(second.finals()[0]?.body, { result: { isCancelled: true, hasFailures: false } })
  })

  t.test(`checks that nobody saved are run, and nothing is left of them (${engine})`, async (t) => {
    const plane = await make(t)
    const { suite, finals } = await listen(t, plane)
    const job = (logicalId: string, more: object = {}) => ({
      ...{ logicalId, name: logicalId, checkType: 'URL', filePath: 'a.check.ts', groupId: null },
      ...{ activated: true, muted: false, tags: [], frequency: 10, doubleCheck: false, runParallel: false },
      ...{ request: { url: 'http://127.0.0.1/', assertions: [] }, locations: ['eu-central-1'] },
      ...{ testRetryStrategy: null, sourceInfo: { checkRunSuiteId: suite, updateSnapshots: false } },
      ...more,
    })
    const run = (jobs: object[], more: object = {}) =>
      plane.call('POST', '/v1/test-sessions/run', {
        headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
        raw: gzipSync(
          JSON.stringify({
            ...{ name: 'Shop', project: { logicalId: 'shop' }, checkRunJobs: jobs, sharedFiles: [] },
            ...{ runLocation: { type: 'PRIVATE', id: plane.locationId, slugName: 'local' } },
            ...{ repoInfo: null, environment: null, shouldRecord: true, streamLogs: true },
            ...more,
          }),
        ),
      })
    const group = { name: 'Group', tags: ['grouped'], environmentVariables: [{ key: 'A', value: '1' }] }
    const api = job('api', {
      checkType: 'API',
      group: { ...group, apiCheckDefaults: { url: 'http://127.0.0.1' } },
      request: { method: 'GET', url: '{{GROUP_BASE_URL}}/{{A}}' },
    })
    const started = await run([job('good'), job('bad'), api])
    t.equal(started.status, 202, started.text)
    const { testSessionId, sequenceIds } = started.body
    for (const one of await claimAll(plane)) {
      t.equal(one.runSource, 'TEST_RECORD')
      if (one.checkId === sequenceIds.api)
        t.match(Object.fromEntries(one.variables.map(({ key, value }) => [key, value])), {
          A: '1',
          GROUP_BASE_URL: 'http://127.0.0.1',
        })
      await reportJob(plane, one, one.checkId === sequenceIds.bad ? refused : undefined)
    }
    await until('messages', () => finals().length === 3)
    t.match(
      finals().find(({ sequenceId }) => sequenceId === sequenceIds.bad),
      { body: { result: { name: 'bad', hasFailures: true, sourceFile: 'a.check.ts' } } },
    )
    t.match((await plane.call('GET', `/v1/test-sessions/${testSessionId}`)).body, { status: 'FAILED' })
    t.strictSame((await plane.call('GET', '/v1/checks')).body, [], 'no check')
    t.strictSame((await plane.call('GET', '/v1/check-alerts')).body, [], 'no alert')

    const wrong = await run(
      [
        job('twice'),
        job('twice'),
        job('beat', { checkType: 'HEARTBEAT' }),
        job('odd', { request: { url: 7 } }),
        job('pictures', { sourceInfo: { updateSnapshots: true } }),
        { ...api, group: { ...group, localSetupScript: 'x()' } },
        job('nowhere', { locations: [] }),
      ],
      { runLocation: { type: 'PUBLIC', region: 'eu-central-1' } },
    )
    t.equal(wrong.status, 400)
    const paths = wrong.body.attributes.violations.map(({ path }: { path: string }) => path)
    t.match(paths, [
      'checkRunJobs.1.logicalId',
      'checkRunJobs.2.checkType',
      /checkRunJobs\.3\.request/,
      'checkRunJobs.4.sourceInfo.updateSnapshots',
      'checkRunJobs.5.group.localSetupScript',
      'checkRunJobs.6.locations',
    ])
    const { apiKey: key } = await plane.addKey({ accountId: plane.accountId, role: 'READ_RUN' })
    t.equal((await plane.call('POST', '/v1/test-sessions/run', { key, body: {} })).status, 403)
  })
}

/** Two control planes, each with connections of its own to one PostgreSQL; of both it is the same account that asks. */
const twoPlanes = async (t: Test): Promise<[TestApp, TestApp]> => {
  const url = await migratedPostgresDatabase(t)
  const cipher = createCipher([randomBytes(32)], randomBytes)
  const open = (): Promise<TestApp> => {
    const db = openDatabase(url, seenOn('postgres'))
    t.teardown(() => db.close())
    return testApp(t, { engine: 'postgres', parts: { clock, cipher, db } })
  }
  const one = await open()
  const other = await open()
  const { accountId, apiKey, agentKey, locationId } = one
  const call: TestApp['call'] = (method, path, options) =>
    other.call(method, path, { key: apiKey, ...options })
  return [one, { ...other, accountId, apiKey, agentKey, locationId, call }]
}

if (engineNames.includes('postgres'))
  t.test('who listens at one control plane hears what an agent reports to another (postgres)', async (t) => {
    const [one, other] = await twoPlanes(t)
    const good = await createUrlCheck(one, { name: 'good' })
    const bad = await createUrlCheck(other, { name: 'bad' })
    for (const [listening, working] of [
      [one, other],
      [other, one],
    ] as const) {
      const { suite, heard, finals } = await listen(t, listening)
      const stranger = await listening.addKey()
      const deaf = await connect(t, { ...listening, ...stranger })
      await t.rejects(deaf.subscribeAsync(topicOf(one.accountId, suite)), 'no other account hears it')
      const body = triggerBody(suite)
      const { body: started } = await listening.call('POST', '/next/test-sessions/trigger', { body })
      const jobs = await claimAll(working)
      t.equal(jobs.length, 2)
      await until('both begin', () => heard.length === 2)
      t.strictSame(new Set(heard.map(({ kind }) => kind)), new Set(['run-start']))
      for (const job of jobs)
        await reportJob(working, job, job.checkId === started.sequenceIds[bad] ? refused : undefined)
      await until('both end', () => finals().length === 2)
      const of = (id: string) => finals().find(({ sequenceId }) => sequenceId === started.sequenceIds[id])
      t.match(of(good), { kind: 'result', body: { result: { name: 'good', hasFailures: false } } })
      t.match(of(bad), { kind: 'result', body: { result: { name: 'bad', hasFailures: true } } })
      t.equal(heard.length, 4, 'each once')
    }
  })

t.test(
  'the archive without files that a client uploads before its test is answered, and not kept',
  async (t) => {
    const plane = await testApp(t)
    const upload = (archive: Buffer) =>
      plane.call('POST', '/next/checkly-storage/upload-code-bundle', {
        headers: { 'content-type': 'application/octet-stream' },
        raw: new Uint8Array(archive),
      })
    const key = '00000000-0000-0000-0000-000000000000'
    t.match(await upload(gzipSync(Buffer.alloc(1024))), { status: 200, body: { key } })
    t.equal((await upload(Buffer.from('no archive'))).status, 400)
    t.equal(
      (await plane.call('POST', '/next/checkly-storage/peek-code-bundle', { body: { key } })).status,
      404,
    )
  },
)
