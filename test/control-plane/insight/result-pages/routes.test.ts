// Runs on both engines in test:all: its statements run in no other file.

import t, { type Test } from 'tap'
import { linkOfEvent, resultLink } from '../../../../control-plane/alerting/messages/result-link.ts'
import { dispatchTick } from '../../../../control-plane/alerting/notifications/dispatch.ts'
import { analysisTick } from '../../../../control-plane/insight/root-cause-analyses/analysis-tick.ts'
import { failedResults } from '../../../../control-plane/insight/root-cause-analyses/history-queries.ts'
import { insertArtifact } from '../../../../control-plane/monitoring/artifacts/queries.ts'
import { instantInWords } from '../../../../control-plane/platform/words/dates.ts'
import { addChannel, loopbackEnv } from '../../../support/alerting.ts'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'
import { receiver } from '../../../support/receiver.ts'
import { storeCheck, storeFailure, storeResult } from '../../../support/stored-results.ts'
import { work } from '../../../support/work.ts'

const dayMs = 86_400_000
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const open = (plane: TestApp, link: string, headers: Record<string, string> = browser) =>
  plane.call('GET', new URL(link).pathname, { key: null, headers })

const linkTo = ({ app }: TestApp, checkId: string, resultId: string | null): string =>
  resultLink(app, { checkId, resultId, expiresAt: app.clock.now() + dayMs })

/** What a URL run keeps: credentials wherever checks and servers put them. */
const httpDetail = (more: object = {}) => ({
  assertions: [],
  request: {
    method: 'POST',
    url: 'https://ada:hidden-1@shop.example/cart?api_key=hidden-2&page=3',
    data: 'hidden-3',
    headers: { authorization: 'Bearer hidden-4', cookie: 'a=hidden-5' },
    params: { token: 'hidden-6' },
  },
  response: {
    href: 'https://shop.example/cart',
    status: 503,
    statusText: 'Service Unavailable',
    httpVersion: '1.1',
    body: '{"error":"no capacity"}',
    bodyBytes: 23,
    truncated: false,
    headers: {
      'content-type': 'application/json',
      'set-cookie': ['sid=hidden-7', 'csrf=hidden-8'],
      'x-auth-token': 'hidden-9',
      location: 'https://shop.example/in?access_token=hidden-10',
    },
    timings: { socket: 1, lookup: 2, connect: 3, secureConnect: 4, response: 5, end: 6 },
    timingPhases: { wait: 0, dns: 12, tcp: 20, tls: 40, firstByte: 120, download: 8, total: 200 },
    remoteAddress: '203.0.113.7',
    redirects: [],
    certificate: null,
    ...more,
  },
  requestError: null,
  jobLog: null,
  jobAssets: null,
  pcapDataUrl: null,
})

const eachReachable = (name: string, body: (t: Test, plane: TestApp) => Promise<void>): void => {
  eachEngine(name, body, { env: loopbackEnv })
}

eachReachable('the link of an alert opens the result that it tells of, without a key', async (t, plane) => {
  const { app, call, advance } = plane
  const hook = await receiver(t)
  await addChannel(plane, 'WEBHOOK', { name: 'hook', url: `${hook.origin}/` })
  const template = '{"cause":"{{AI_ANALYSIS_LINK}}"}'
  await addChannel(plane, 'WEBHOOK', { name: 'cause', url: `${hook.origin}/cause`, template })
  const check = await call('POST', '/v1/checks/url', {
    body: {
      name: 'Home page',
      request: { url: 'http://127.0.0.1/', assertions: [] },
      privateLocations: ['local'],
      frequency: 60,
      retryStrategy: { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 1 },
    },
  })
  const log = (time: number) => [{ time, level: 'WARN' as const, msg: 'nobody listens' }]
  await work(plane, 'failing', { log: log(app.clock.now()) })
  advance(6000)
  await work(plane, 'failing', { log: log(app.clock.now()) })
  const { body: results } = await call('GET', `/v2/check-results/${check.body.id}`)
  const [{ errorGroupIds }] = results.entries
  await call('POST', `/v1/root-cause-analyses/error-groups/${errorGroupIds[0]}`, { body: {} })
  await analysisTick(app)
  await dispatchTick(app, new AbortController().signal)
  const bodyAt = (path: string) => hook.received.find((received) => received.path === path)?.json
  const { link } = bodyAt('/')
  t.equal(bodyAt('/cause').cause, `${link}#cause`)
  const { status, text, headers } = await open(plane, link)
  t.equal(status, 200)
  t.match(text, /<title>Failed: Home page<\/title>/)
  t.match(text, /<p class="reason">connect ECONNREFUSED 127\.0\.0\.1:80<\/p>/)
  t.match(text, /<h2>Now: failing[^<]*<\/h2><p>The check is failing, and that was told\.<\/p>/)
  t.match(text, /id="cause"><h2>Probable cause<\/h2>/)
  t.match(text, /2 attempts of this run/)
  t.match(text, /nobody listens/)
  t.match(headers.get('content-security-policy'), /^default-src 'none'; style-src 'sha256-/)
  t.equal(headers.get('cache-control'), 'private, no-store')
  t.equal(headers.get('referrer-policy'), 'no-referrer')
  t.equal(headers.get('x-robots-tag'), 'noindex, nofollow')
  const [, first = ''] = /<a href="([^"]+)">Failed<\/a>/.exec(text) ?? []
  t.match(
    await open(plane, first),
    { status: 200, text: /<b aria-current="page">Failed<\/b>/ },
    'the attempt before',
  )
})

/** What the section on the probable cause says, or null where there is none. */
const causeIn = (text: string): string | null => /id="cause">([\s\S]*?)<\/section>/.exec(text)?.[1] ?? null

eachReachable(
  'the probable cause is that failure’s own, with its time, or it is not there',
  async (t, plane) => {
    const { app, call } = plane
    const checkId = await storeCheck(plane)
    const first = app.clock.now() - 10 * dayMs
    const later = app.clock.now() - 60_000
    const failWith = async (at: number, message: string, code = 'ECONNREFUSED'): Promise<string> => {
      await storeFailure(plane, { checkId, at, message, code })
      const found = await failedResults(app.db, { checkId, until: at, limit: 1 })
      return found[0]?.id ?? ''
    }
    const cause = async (resultId: string) =>
      causeIn((await open(plane, linkTo(plane, checkId, resultId))).text)
    for (let run = 1; run <= 3; run += 1) await storeResult(plane, { checkId, at: first - run * 60_000 })
    const refused = await failWith(first, 'shop.example:443 (203.0.113.7) refused the connection after 12 ms')
    await analysisTick(app)
    const passed = await storeResult(plane, { checkId, at: later - 60_000 })
    const again = await failWith(later, 'shop.example:443 (203.0.113.7) refused the connection after 15 ms')
    const strange = await failWith(later + 1, 'something that no rule knows', 'ODD')
    const [day, today] = [first, later].map((at) => instantInWords(at).split(',')[0])
    t.match(await cause(refused), 'refused the connection: the machine is up')
    t.match(await cause(refused), `since ${day}`)
    t.match(await cause(refused), '(<code>ss -ltnp</code>)')
    t.notMatch(await cause(refused), today, 'what came later is not its fact')
    t.match(await cause(again), `This is one failed run since ${today}`)
    t.notMatch(await cause(again), day, 'the analysis of an older failure is not its cause')
    t.match(
      await cause(again),
      /Found by rules in what this run observed, as of <time datetime="2025-12-31T23:59:00.000Z"/,
    )
    t.equal(await cause(strange), null)
    t.equal(await cause(passed), null)
    const { body } = await call('GET', `/v1/error-groups/checks/${checkId}`)
    t.equal(body.length, 2, 'both refusals are one group')
  },
)

eachReachable('a link ends with its thirty days, with its check, and with its result', async (t, plane) => {
  const { app, call, advance } = plane
  const now = app.clock.now()
  const check = async () =>
    (await call('POST', '/v1/checks/url', { body: { name: 'site', request: { url: 'http://127.0.0.1/' } } }))
      .body.id
  const [checkId, other] = [await check(), await check()]
  const checkResultId = await storeResult(plane, { checkId, at: now })
  const link = linkOfEvent(app, { checkId, checkResultId, at: now })
  t.equal((await open(plane, link)).status, 200)
  t.match(await open(plane, linkTo(plane, other, checkResultId)), { status: 410, text: /no such result/ })
  t.match(await open(plane, linkTo(plane, checkId, app.newId())), { status: 410, text: /no such result/ })
  advance(30 * dayMs - 1)
  t.equal((await open(plane, link)).status, 200)
  advance(1)
  t.match(await open(plane, link), { status: 410, text: /<h1>This link has expired<\/h1>/ })
  const fresh = linkTo(plane, checkId, checkResultId)
  t.equal((await open(plane, fresh)).status, 200)
  await call('DELETE', `/v1/checks/${checkId}`)
  t.match(await open(plane, fresh), { status: 410, text: /no such result/ })
})

t.test(
  'a token that is not ours is a page that says what to do, and to programs an error as any other',
  async (t) => {
    const plane = await testApp(t)
    const checkId = await storeCheck(plane)
    const resultId = await storeResult(plane, { checkId, at: plane.app.clock.now() })
    const link = linkTo(plane, checkId, resultId)
    const wrong = link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    for (const url of [wrong, `${plane.app.config.baseUrl}/results/x`]) {
      const page = await open(plane, url)
      t.match(page, { status: 404, text: /<h1>This link does not work<\/h1>/ })
      t.match(page.headers.get('content-type'), 'text/html')
      t.match(await open(plane, url, {}), {
        status: 404,
        body: { statusCode: 404, message: /does not work/ },
      })
    }
    const foreign = await testApp(t)
    t.equal((await open(foreign, link)).status, 404, 'another installation has another key')
  },
)

t.test('what checks and servers send stays text', async (t) => {
  const plane = await testApp(t)
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\'&lt;'
  const failed = { comparison: 'EQUALS', regex: null, order: 0, passed: false, actual: evil, error: evil }
  const detail = httpDetail({ body: evil, headers: { [evil]: evil }, statusText: evil, remoteAddress: evil })
  const checkId = await storeCheck(plane, { name: evil, doc: { description: evil, tags: [evil] } })
  const at = plane.app.clock.now()
  const doc = {
    name: evil,
    error: evil,
    log: [{ time: at, level: 'INFO', msg: evil }],
    apiCheckResult: { ...detail, assertions: [{ ...failed, source: evil, property: evil, target: evil }] },
  }
  const resultId = await storeResult(plane, { checkId, at, hasFailures: true, location: evil, doc })
  await plane.app.db.run(insertArtifact, {
    result_id: resultId,
    name: evil.replaceAll('/', '_'),
    position: 0,
    account_id: plane.accountId,
    check_id: checkId,
    location: 'local',
    type: 'file',
    content_type: 'text/html',
    size: 1,
    sha256: null,
    refused: evil,
    created_at: at,
    expires_at: at + dayMs,
  })
  const { status, text } = await open(plane, linkTo(plane, checkId, resultId))
  t.equal(status, 200)
  t.notMatch(text, /<script(?! src="\/assets\/local-times\.\w+\.js" integrity=)|<img|<[^>]* on\w+=/)
  t.equal(text.split('<script').length, 2, 'the one script is ours')
  t.ok(text.split('&lt;script&gt;').length > 10, 'it is shown wherever it belongs')
})

t.test(
  'credentials of requests and answers are not shown, nor what a passing run was answered',
  async (t) => {
    const plane = await testApp(t)
    const checkId = await storeCheck(plane)
    const at = plane.app.clock.now()
    const log = [{ time: at, level: 'INFO', msg: 'GET https://ada:hidden-11@shop.example/?token=hidden-12' }]
    const doc = { apiCheckResult: httpDetail(), log, error: 'https://shop.example/?key=hidden-13 was slow' }
    const failing = await storeResult(plane, { checkId, at, hasFailures: true, doc })
    const passing = await storeResult(plane, { checkId, at: at + 1, doc: { ...doc, error: null } })
    const page = (await open(plane, linkTo(plane, checkId, failing))).text
    t.notMatch(page, /hidden-\d/)
    t.match(page, /POST https:\/\/\*\*\*@shop\.example\/cart\?api_key=\*\*\*&amp;page=3/)
    t.match(page, /\{&quot;error&quot;:&quot;no capacity&quot;\}/)
    t.match(
      page,
      /aria-label="Waiting 0 ms, DNS 12 ms, Connect 20 ms, TLS 40 ms, First byte 120 ms, Download 8 ms"/,
    )
    const other = (await open(plane, linkTo(plane, checkId, passing))).text
    t.notMatch(other, /hidden-\d|no capacity/)
  },
)

t.test('an alert about no single run leads to the newest result of its check', async (t) => {
  const plane = await testApp(t)
  const checkId = await storeCheck(plane)
  const link = linkTo(plane, checkId, null)
  t.match(await open(plane, link), { status: 410 }, 'none yet')
  for (const [at, error] of [
    [1, 'the older'],
    [2, 'the newer'],
  ] as const)
    await storeResult(plane, { checkId, at: plane.app.clock.now() + at, hasFailures: true, doc: { error } })
  t.match(await open(plane, link), {
    status: 200,
    text: /<p class="reason">the newer<\/p>.*its newest result/s,
  })
})

t.test('the link of a test notification says that it works', async (t) => {
  const plane = await testApp(t, { env: loopbackEnv })
  const hook = await receiver(t)
  const id = await addChannel(plane, 'WEBHOOK', { name: 'hook', url: `${hook.origin}/` })
  await plane.call('POST', `/v1/alert-channels/${id}/test`, { body: {} })
  t.match(await open(plane, hook.received[0]?.json.link), { status: 200, text: /<h1>It works<\/h1>/ })
})
