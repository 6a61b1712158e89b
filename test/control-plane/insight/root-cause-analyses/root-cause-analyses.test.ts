// Runs on both engines in test:all: the statement that ends claims of a killed control plane runs in no other file.
import t from 'tap'
import { analysisTick, claimMs } from '../../../../control-plane/insight/root-cause-analyses/analysis-tick.ts'
import {
  claimAnalysis,
  completeAnalysis,
  endAnalysisClaims,
  waitingAnalyses,
} from '../../../../control-plane/insight/root-cause-analyses/queries.ts'
import { createOutgoing } from '../../../../control-plane/platform/services/outgoing/outgoing.ts'
import { createOutgoingNetworks } from '../../../../control-plane/platform/services/outgoing/outgoing-networks.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { httpServer } from '../../../support/servers.ts'
import { storeCheck, storeFailure, storeResult } from '../../../support/stored-results.ts'

const at = Date.UTC(2025, 11, 31, 23)
const minute = 60_000
const message = 'shop.example:443 (203.0.113.7) refused the connection after 12 ms'

/** Whether new error groups of the test's account are analysed without being asked for. */
const setAutomatic = async ({ app, accountId }: TestApp, automaticAnalyses: boolean): Promise<void> => {
  const doc = JSON.stringify({ settings: { automaticAnalyses } })
  await app.db.execute((k) => k.updateTable('accounts').set({ doc }).where('id', '=', accountId))
}

/** A check that fails, whose error nobody analyses unasked. */
const failing = async (service: TestApp) => {
  await setAutomatic(service, false)
  const checkId = await storeCheck(service)
  for (let run = 1; run <= 20; run++)
    await storeResult(service, { checkId, at: at - run * minute, responseTime: 100 })
  let groupId = ''
  for (let run = 0; run < 3; run++)
    groupId = await storeFailure(service, { checkId, at: at + run * minute, message })
  return { checkId, groupId, post: `/v1/root-cause-analyses/error-groups/${groupId}` }
}

for (const engine of engineNames) {
  t.test(`an analysis is PENDING (202) until the loop has completed it (200) (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { checkId, groupId, post } = await failing(service)
    const neighbour = await storeCheck(service, { name: 'login' })
    await storeResult(service, { checkId: neighbour, at: at + minute, hasFailures: true })
    const created = await service.call('POST', post, { body: { userContext: 'deployed at 22:58' } })
    t.equal(created.status, 202)
    t.strictSame(created.body, { id: created.body.id, status: 'PENDING' })
    const path = `/v1/root-cause-analyses/${created.body.id}`
    const pending = await service.call('GET', path)
    t.equal(pending.status, 202)
    t.strictSame(pending.body, created.body)
    await analysisTick(service.app)
    const { status, body } = await service.call('GET', path)
    t.equal(status, 200)
    t.match(body, {
      id: created.body.id,
      checkType: 'URL',
      provider: 'builtin',
      model: 'rules-1',
      status: 'COMPLETED',
      checkId,
      errorGroupId: groupId,
      fallbackReason: null,
      created_at: '2026-01-01T00:00:00.000Z',
      analysis: { classification: 'INFRA_ERROR' },
    })
    t.equal(typeof body.durationMs, 'number')
    t.match(
      body.analysis.rootCause,
      /3 runs have failed in a row since 31 Dec 2025, 23:00 UTC \(60 min\); the last run before passed at 31 Dec 2025, 22:59 UTC/,
    )
    t.match(body.analysis.rootCause, /1 of 1 other checks of shop.example fail at the same time: "login"/)
    t.match(
      JSON.stringify(body.analysis.evidence),
      /3 of the last 23 runs failed; this error was seen 3 times.*deployed at 22:58/,
    )
    const group = await service.call('GET', `/v1/error-groups/${groupId}`)
    t.match(group.body.rootCauseAnalyses, [
      { id: body.id, userContext: 'deployed at 22:58', provider: 'builtin', analysis: body.analysis },
    ])
  })

  t.test(
    `the body may be null or missing, and userContext has at most 256 characters (${engine})`,
    async (t) => {
      const service = await testApp(t, { engine })
      const { post } = await failing(service)
      t.equal((await service.call('POST', post)).status, 202)
      t.equal((await service.call('POST', post, { raw: 'null' })).status, 202)
      t.equal((await service.call('POST', post, { body: { userContext: null } })).status, 202)
      t.equal((await service.call('POST', post, { body: { userContext: 'x'.repeat(256) } })).status, 202)
      t.equal((await service.call('POST', post, { body: { userContext: 'x'.repeat(257) } })).status, 400)
      t.equal((await service.call('POST', post, { body: { context: '' } })).status, 400)
    },
  )

  t.test(`unknown groups and analyses are 404, and roles are kept (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { post } = await failing(service)
    const { app, accountId } = service
    const unknown = app.newId()
    t.equal((await service.call('POST', `/v1/root-cause-analyses/error-groups/${unknown}`)).status, 404)
    t.equal((await service.call('GET', `/v1/root-cause-analyses/${unknown}`)).status, 404)
    t.equal((await service.call('GET', '/v1/root-cause-analyses/nonsense')).status, 400)
    const { apiKey: reader } = await service.addKey({ accountId, role: 'READ_ONLY' })
    const { apiKey: runner } = await service.addKey({ accountId, role: 'READ_RUN' })
    const { apiKey: stranger } = await service.addKey()
    t.equal((await service.call('POST', post, { key: reader })).status, 403)
    const { status, body } = await service.call('POST', post, { key: runner })
    t.equal(status, 202)
    t.equal((await service.call('POST', post, { key: stranger })).status, 404)
    t.equal((await service.call('GET', `/v1/root-cause-analyses/${body.id}`, { key: stranger })).status, 404)
    t.equal((await service.call('GET', `/v1/root-cause-analyses/${body.id}`, { key: reader })).status, 202)
  })

  t.test(
    `a claim that its holder never ended is taken over, and only the last holder completes (${engine})`,
    async (t) => {
      const service = await testApp(t, { engine })
      const { post } = await failing(service)
      const { id } = (await service.call('POST', post)).body
      const { app } = service
      const now = app.clock.now()
      const claim = { id, claims: 0, now, until: now + claimMs }
      const claims = await Promise.all([app.db.run(claimAnalysis, claim), app.db.run(claimAnalysis, claim)])
      t.strictSame(claims.sort(), [0, 1], 'one of two control planes gets it')
      await analysisTick(app)
      t.equal(
        (await service.call('GET', `/v1/root-cause-analyses/${id}`)).status,
        202,
        'claimed by another, now dead',
      )
      await app.db.run(endAnalysisClaims, { now: app.clock.now() })
      t.equal((await app.db.all(waitingAnalyses, { now: app.clock.now(), limit: 1 })).length, 1)
      await app.db.run(claimAnalysis, { id, claims: 1, now, until: now + claimMs })
      service.advance(claimMs)
      await analysisTick(app)
      const done = await service.call('GET', `/v1/root-cause-analyses/${id}`)
      t.equal(done.status, 200)
      t.equal(
        await app.db.run(completeAnalysis, { id, claims: 1, now, doc: '{}' }),
        0,
        'the first holder is too late',
      )
      t.strictSame((await service.call('GET', `/v1/root-cause-analyses/${id}`)).body, done.body)
    },
  )

  t.test(`a new error group is analysed once, unless the account does not want it (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { app } = service
    await failing(service)
    const count = async () =>
      (await app.db.select((k) => k.selectFrom('root_cause_analyses').selectAll())).length
    t.equal(await count(), 0, 'switched off')
    await app.db.execute((k) => k.updateTable('accounts').set({ doc: '{}' }))
    const checkId = await storeCheck(service)
    const groupId = await storeFailure(service, { checkId, at, message })
    await storeFailure(service, { checkId, at: at + 1, message })
    t.equal(await count(), 1)
    await analysisTick(app)
    t.equal((await service.call('GET', `/v1/error-groups/${groupId}`)).body.rootCauseAnalyses.length, 1)
  })
}

const withEndpoint = async (
  t: Parameters<typeof httpServer>[0],
  respond: (asked: string) => { status?: number; text: string },
) => {
  const seen: { authorization: string | undefined; path: string | undefined; body: string }[] = []
  const server = await httpServer(t, (request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      seen.push({ authorization: request.headers.authorization, path: request.url, body })
      const { status = 200, text } = respond(body)
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    })
  })
  const service = await testApp(t)
  Object.assign(service.app, {
    config: {
      ...service.app.config,
      analyst: { baseUrl: `${server.origin}/v1`, apiKey: 'sk-canary', model: 'm-1' },
    },
    outgoing: createOutgoing({ networks: createOutgoingNetworks(['127.0.0.0/8']) }),
  })
  const { post } = await failing(service)
  const { id } = (await service.call('POST', post)).body
  await analysisTick(service.app)
  return {
    ...(await service.call('GET', `/v1/root-cause-analyses/${id}`)),
    seen,
    origin: server.origin,
    logged: service.logged,
  }
}

const analysis = {
  classification: 'INFRA ERROR',
  userImpact: 'Nobody can buy.',
  rootCause: 'The process was stopped.',
  codeFix: null,
  evidence: null,
  referenceLinks: null,
}
const completion = (content: string) => ({ text: JSON.stringify({ choices: [{ message: { content } }] }) })

t.test('a configured endpoint is asked with the facts, and its valid answer is the analysis', async (t) => {
  const { body, seen, origin } = await withEndpoint(t, () =>
    completion(`\`\`\`json\n${JSON.stringify(analysis)}\n\`\`\``),
  )
  t.match(body, { provider: new URL(origin).host, model: 'm-1', fallbackReason: null, analysis })
  t.match(seen, [{ authorization: 'Bearer sk-canary', path: '/v1/chat/completions' }])
  t.match(JSON.parse(seen[0]!.body), {
    model: 'm-1',
    messages: [{ role: 'system' }, { role: 'user', content: /refused the connection/ }],
  })
})

for (const [what, reason, answer] of [
  ['an error status', /status 500/, { status: 500, text: '{}' }],
  ['a redirect', /status 302/, { status: 302, text: '' }],
  ['what is not JSON', /not JSON/, { text: 'hello' }],
  ['prose instead of an analysis', /not JSON/, completion('It is broken.')],
  [
    'an analysis without a root cause',
    /rootCause/,
    completion(JSON.stringify({ ...analysis, rootCause: undefined })),
  ],
  [
    'an analysis of the wrong shape',
    /evidence/,
    completion(JSON.stringify({ ...analysis, evidence: 'none' })),
  ],
  ['too many bytes', /more than 1048576 bytes/, { text: ' '.repeat(2 * 1024 * 1024) }],
] as const)
  t.test(
    `an endpoint that answers with ${what} is replaced by the built-in rules, with the reason`,
    async (t) => {
      const { status, body, logged } = await withEndpoint(t, () => answer)
      t.equal(status, 200)
      t.match(body, { provider: 'builtin', model: 'rules-1', analysis: { classification: 'INFRA_ERROR' } })
      t.match(body.fallbackReason, reason)
      t.notMatch(JSON.stringify(logged), /sk-canary/)
    },
  )
