// Runs on both engines in test:all: rows are counted and added up.
import t from 'tap'
import {
  checkFamilies,
  locationFamilies,
  runFamilies,
} from '../../../../control-plane/insight/prometheus/families.ts'
import { recordStatus } from '../../../../control-plane/monitoring/watches/check-statuses/queries.ts'
import { heartbeatTick } from '../../../../control-plane/monitoring/watches/heartbeats/heartbeat-tick.ts'
import { probeFamilies } from '../../../../protocol/probe-series.ts'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'
import { certificateEnd, finishedRun, httpDetail, samples, scrape } from '../../../support/exporter.ts'
import { grpcDetail, sslDetail, tracerouteDetail } from '../../../support/new-type-details.ts'
import { prometheusProblem, promtool } from '../../../support/prometheus.ts'
import { storeCheck, storeResult } from '../../../support/stored-results.ts'
import { work } from '../../../support/work.ts'

const setStatus = async ({ app, accountId }: TestApp, checkId: string, state: 'passing' | 'failing') =>
  app.db.run(recordStatus, {
    checkId,
    accountId,
    state,
    hasFailures: state === 'failing',
    hasErrors: false,
    isDegraded: false,
    longestRunMs: 12,
    shortestRunMs: 12,
    updatedAt: null,
    location: 'local',
    checkRunId: 1,
    startedAt: app.clock.now(),
    sslDaysRemaining: null,
    now: app.clock.now(),
  })

/** A check of each type, with a run that fills all that there is of it. */
const everyType = async (plane: TestApp): Promise<void> => {
  const runs = {
    URL: {},
    API: {},
    TCP: {
      metrics: { dns: 1, connection: 2, data: 3, total: 6 },
      detail: { response: { resolvedIp: '::1' }, timingPhases: { dns: 1 } },
    },
    ICMP: {
      metrics: { dns: 1, latencyAvg: 2, latencyMin: 1, latencyMax: 3, packetLoss: 10 },
      detail: { response: { resolvedIp: '192.0.2.1', dnsResolutionTime: 1, latency: { avg: 2 } } },
    },
    DNS: { metrics: { total: 4 }, detail: { nameServerInfo: null, response: { answer: { Answer: [{}] } } } },
    BROWSER: {
      metrics: {},
      detail: {
        pages: [{ webVitals: { LCP: { value: 1200 }, CLS: { value: 0.1 } } }],
        traceSummary: { consoleErrors: 2, networkErrors: 0, documentErrors: 0, userScriptErrors: 1 },
      },
    },
    SSL: { metrics: { dns: 1, tcp: 10, tls: 20, total: 31 }, detail: sslDetail },
    GRPC: { metrics: { dns: 1, tcp: 10, tls: 20, call: 5, total: 36 }, detail: grpcDetail },
    TRACEROUTE: {
      metrics: { dns: 1, latencyAvg: 2.5, latencyMin: 2, latencyMax: 3, packetLoss: 0, hopCount: 2 },
      detail: tracerouteDetail,
    },
    MULTI_STEP: { metrics: {}, detail: {} },
    PLAYWRIGHT: { metrics: {}, detail: {} },
  }
  for (const [type, run] of Object.entries(runs)) {
    const checkId = await storeCheck(plane, { type, name: type })
    await setStatus(plane, checkId, 'passing')
    plane.app.finishedRuns.publish([finishedRun(plane, { checkId, checkType: type, ...run })])
  }
  const heartbeat = { name: 'backup', heartbeat: { period: 60, periodUnit: 'seconds', grace: 30 } }
  const { body } = await plane.call('POST', '/v1/checks/heartbeat', { body: heartbeat })
  await plane.call('GET', `/ping/${body.heartbeat.pingToken}`, { key: null })
}

eachEngine('every metric is shown, and its values are those of what happened', async (t, plane) => {
  await scrape(plane)
  await everyType(plane)
  plane.advance(6000)
  const answer = await scrape(plane)
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const names = [...answer.text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)
  const all = [
    ...Object.values(checkFamilies),
    ...runFamilies.values(),
    ...Object.values(locationFamilies),
    ...probeFamilies,
  ]
  t.strictSame(names.toSorted(), all.map(({ name }) => name).toSorted(), 'each once')
  const has = (line: RegExp) => t.match(answer.text, line)
  has(/^watchpost_check_status\{name="URL",check_id="[^"]+",check_type="url",.*status="passing"\} 1$/m)
  has(/^watchpost_check_status\{name="URL",.*status="failing"\} 0$/m)
  has(/^watchpost_check_status\{name="backup",.*check_type="heartbeat",.*status="passing"\} 1$/m)
  has(/^watchpost_check_result_total\{name="API",.*status="passing"\} 1$/m)
  has(/^watchpost_url_monitor_timing_seconds_bucket\{name="URL",.*type="dns",le="0.005"\} 1$/m)
  has(/^watchpost_url_monitor_timing_seconds_sum\{name="URL",.*type="tls"\} 0.004$/m)
  has(/^watchpost_api_check_timing_seconds_count\{name="API",.*type="total"\} 1$/m)
  has(/^watchpost_tcp_monitor_timing_seconds_sum\{name="TCP",.*type="connection"\} 0.002$/m)
  has(/^watchpost_icmp_monitor_timing_seconds_sum\{name="ICMP",.*type="latency_max"\} 0.003$/m)
  has(/^watchpost_icmp_monitor_packet_loss_ratio\{name="ICMP",.*\} 0.1$/m)
  has(/^watchpost_dns_monitor_timing_seconds_count\{name="DNS",.*type="total"\} 1$/m)
  has(/^watchpost_browser_check_web_vitals_seconds_sum\{name="BROWSER",.*type="LCP"\} 1.2$/m)
  has(/^watchpost_browser_check_errors_bucket\{name="BROWSER",.*type="console",le="2.0"\} 1$/m)
  has(/^watchpost_multistep_check_duration_seconds_sum\{name="MULTI_STEP",.*\} 0.021$/m)
  has(/^watchpost_check_result_total\{name="backup",.*status="passing"\} 1$/m)
  has(/^watchpost_heartbeat_expected_interval_seconds\{name="backup",.*\} 60$/m)
  has(/^watchpost_heartbeat_last_success_timestamp_seconds\{name="backup",.*\} 1767225600$/m)
  const left = (Date.parse(certificateEnd) - plane.app.clock.now()) / 1000
  t.match(samples(answer.text, 'watchpost_time_to_ssl_expiry_seconds')[0], `domain="shop.example"} ${left}`)
  has(
    /^watchpost_private_location_queue_duration_ms\{private_location_name="local",.*stat="p99",queue="uptime"\} 50$/m,
  )
  has(/^probe_success\{name="URL",.*instance="https:\/\/shop.example\/"\} 1$/m)
  has(/^probe_http_duration_seconds\{name="URL",.*phase="processing",instance="[^"]+"\} 0.005$/m)
  has(/^probe_ssl_earliest_cert_expiry\{name="URL",.*\} 1772323200$/m)
  has(/^probe_ip_protocol\{name="TCP",.*\} 6$/m)
  has(/^watchpost_ssl_monitor_timing_seconds_sum\{name="SSL",.*type="tls"\} 0.02$/m)
  has(/^probe_ssl_key_length\{name="SSL",.*\} 2048$/m)
  has(/^probe_ssl_chain_trusted\{name="SSL",.*\} 0$/m)
  has(/^watchpost_grpc_monitor_timing_seconds_sum\{name="GRPC",.*type="call"\} 0.005$/m)
  has(/^probe_grpc_healthcheck_serving\{name="GRPC",.*\} 1$/m)
  has(/^watchpost_traceroute_monitor_timing_seconds_sum\{name="TRACEROUTE",.*type="latency_max"\} 0.003$/m)
  has(/^probe_traceroute_total_hops\{name="TRACEROUTE",.*\} 2$/m)
})

eachEngine('the real way of a run: from an agent to counters, status and probe', async (t, plane) => {
  const request = { url: 'https://user:secret@shop.example/cart?token=secret#top' }
  const body = {
    name: 'shop',
    request,
    privateLocations: ['local'],
    locations: [],
    frequency: 1,
    doubleCheck: false,
  }
  const { body: check } = await plane.call('POST', '/v1/checks/url', { body })
  await scrape(plane)
  t.equal(await work(plane, 'failing'), 1)
  plane.advance(6000)
  const { text } = await scrape(plane)
  t.match(
    text,
    new RegExp(
      `^watchpost_check_result_total\\{name="shop",check_id="${check.id}",.*status="failing"\\} 1$`,
      'm',
    ),
  )
  t.match(text, /^watchpost_check_status\{name="shop",.*status="failing"\} 1$/m)
  t.match(text, /^probe_success\{name="shop",.*instance="https:\/\/shop.example\/cart"\} 0$/m)
  t.notMatch(text, /secret/, 'neither credentials nor query')
  await plane.call('DELETE', `/v1/checks/${check.id}`)
  plane.advance(6000)
  t.notMatch((await scrape(plane)).text, /shop/, 'a check that is gone has no series')
})

eachEngine('what was known before the first scrape is read from the store', async (t, plane) => {
  const checkId = await storeCheck(plane, { name: 'old' })
  const at = plane.app.clock.now() - 60_000
  await storeResult(plane, { checkId, at: at - 60_000, responseTime: 999, hasFailures: true })
  await storeResult(plane, { checkId, at, responseTime: 250, doc: { apiCheckResult: httpDetail() } })
  await storeResult(plane, { checkId, at: at + 1, responseTime: 1, resultType: 'ATTEMPT', hasFailures: true })
  await setStatus(plane, checkId, 'passing')
  const { text } = await scrape(plane)
  t.match(text, /^probe_success\{name="old",.*\} 1$/m)
  t.match(text, /^probe_duration_seconds\{name="old",.*\} 0.25$/m)
  t.match(text, /^probe_http_status_code\{name="old",.*\} 200$/m)
  t.match(text, /^watchpost_time_to_ssl_expiry_seconds\{name="old",.*domain="shop.example"\}/m)
  t.notMatch(text, /^watchpost_check_result_total\{.*\} [^0]/m, 'counters begin with the first scrape')
})

eachEngine('counters only grow, and what is set follows at once', async (t, plane) => {
  const checkId = await storeCheck(plane, { name: 'older' })
  await setStatus(plane, checkId, 'passing')
  await scrape(plane)
  const counted = async (): Promise<number[]> => {
    plane.advance(6000)
    const { text } = await scrape(plane)
    return samples(text, 'watchpost_check_result_total').map((line) => Number(line.split(' ').at(-1)))
  }
  const publish = (more: Parameters<typeof finishedRun>[1]) =>
    plane.app.finishedRuns.publish([finishedRun(plane, { checkId, ...more })])
  publish({})
  publish({ verdict: { hasFailures: true } })
  publish({ verdict: { isDegraded: true } })
  publish({ verdict: { hasErrors: true } })
  publish({ verdict: { isCancelled: true } })
  publish({ isFinal: false, verdict: { hasFailures: true } })
  t.strictSame(await counted(), [1, 1, 1], 'what says nothing of the target counts nowhere')
  await plane.app.db.execute((k) =>
    k
      .updateTable('checks')
      .set({ name: 'newer', version: 2, doc: JSON.stringify({ name: 'newer', tags: [] }) })
      .where('id', '=', checkId),
  )
  publish({})
  t.strictSame(await counted(), [2, 1, 1])
  const { text } = await scrape(plane, { includeRetryAttempts: 'true' })
  t.match(text, /^watchpost_check_result_total\{name="newer",.*status="failing"\} 2$/m)
  t.notMatch(text, /older/)
})

t.test("a heartbeat's alarm", async (t) => {
  const plane = await testApp(t)
  const heartbeat = { period: 60, periodUnit: 'seconds', grace: 30, graceUnit: 'seconds' }
  const { body } = await plane.call('POST', '/v1/checks/heartbeat', { body: { name: 'backup', heartbeat } })
  await scrape(plane)
  await plane.call('GET', `/ping/${body.heartbeat.pingToken}`, { key: null })
  plane.advance(600_000)
  await heartbeatTick(plane.app)
  await heartbeatTick(plane.app)
  const { text } = await scrape(plane)
  t.match(text, /^watchpost_check_result_total\{name="backup",.*status="failing"\} 1$/m)
  t.match(text, /^watchpost_check_status\{name="backup",.*status="failing"\} 1$/m)
  t.notMatch(text, /^probe_success\{name="backup"/m, 'nobody probes it')
})

t.test('locations are told apart when that is asked for', async (t) => {
  const plane = await testApp(t)
  const checkId = await storeCheck(plane, { name: 'two' })
  await setStatus(plane, checkId, 'passing')
  await scrape(plane)
  for (const location of ['a', 'b', 'b'])
    plane.app.finishedRuns.publish([finishedRun(plane, { checkId, location })])
  const together = await scrape(plane)
  t.match(samples(together.text, 'watchpost_check_result_total')[0], /status="passing"} 3$/)
  const apart = await scrape(plane, { locationLabelEnabled: 'true' })
  t.match(apart.text, /^watchpost_check_result_total\{.*location="a",status="passing"\} 1$/m)
  t.match(apart.text, /^watchpost_check_result_total\{.*location="b",status="passing"\} 2$/m)
  t.notMatch(samples(apart.text, 'watchpost_check_status').join(''), /location/)
  const short = await scrape(plane, { histograms: 'false' })
  t.notMatch(short.text, /_bucket/)
  t.match(short.text, /probe_success/)
})

t.test('an answer is packed for whoever can unpack it', async (t) => {
  const plane = await testApp(t)
  for (let n = 0; n < 20; n++) await storeCheck(plane, { name: `check ${n}` })
  const [packed, plain] = [
    await scrape(plane, {}, { 'accept-encoding': 'gzip' }),
    await scrape(plane, {}, { 'accept-encoding': 'identity' }),
  ]
  t.equal(packed.headers.get('content-encoding'), 'gzip')
  t.equal(plain.headers.get('content-encoding'), null)
  t.equal(plain.headers.get('vary'), 'accept, accept-encoding')
  t.match(plain.text, /name="check 19"/)
  t.equal(packed.text, plain.text)
})

t.test('who may scrape', async (t) => {
  const plane = await testApp(t)
  const path = `/accounts/${plane.accountId}/v2/prometheus/metrics`
  t.equal((await plane.call('GET', path, { key: null })).status, 401)
  t.equal((await plane.call('GET', path, { key: plane.agentKey })).status, 401)
  const reader = await plane.addKey({ accountId: plane.accountId, role: 'READ_ONLY' })
  t.equal((await plane.call('GET', path, { key: reader.apiKey })).status, 200)
  const other = await plane.addKey()
  t.equal((await plane.call('GET', path, { key: other.apiKey })).status, 404)
  await storeCheck(plane, { name: 'mine' })
  const theirs = await scrape({
    accountId: other.accountId,
    call: (m, p, o) => plane.call(m, p, { ...o, key: other.apiKey }),
  })
  t.equal(theirs.status, 200)
  t.notMatch(theirs.text, /mine/)
})

const hostile = [
  'name:evil',
  'check_id:evil',
  'le:1',
  '__name__:evil',
  'instance:evil',
  'team:shop',
  'te-am:shop',
  'te.am:"quoted"\n\\',
  'team:mail',
  '1st:digit',
  'ключ:значение',
  ':none',
  'none:',
  'https://x.example:80',
  '\u2028:line',
  'plain',
]

t.test('hostile names and tags', { skip: prometheusProblem() ?? false }, async (t) => {
  const plane = await testApp(t)
  const name = 'a "b" \\ \n} 1\nevil_metric 1 ünï 🙂'
  const checkId = await storeCheck(plane, { name, doc: { name, tags: hostile } })
  await setStatus(plane, checkId, 'passing')
  await scrape(plane)
  plane.app.finishedRuns.publish([finishedRun(plane, { checkId })])
  const { text } = await scrape(plane, { standardNames: 'true' })
  t.strictSame(await promtool(t, ['check', 'metrics'], text), { status: 0, printed: '' })
  t.notMatch(text, /^evil_metric/m)
  const [line = ''] = samples(text, 'watchpost_check_status')
  t.match(line, 'name="a \\"b\\" \\\\ \\n} 1\\nevil_metric 1 ünï 🙂",check_id=')
  for (const label of [
    'tag_name="evil"',
    'tag_check_id="evil"',
    'tag_le="1"',
    'tag___name__="evil"',
    'tag_instance="evil"',
    'team="shop,mail"',
    'te_am="shop,\\"quoted\\"\\n\\\\"',
    '_1st="digit"',
    'https="//x.example:80"',
  ])
    t.ok(line.includes(`,${label},`), label)
  const labels = [...line.matchAll(/[{,](\w+)="/g)].map(([, label]) => label)
  t.equal(new Set(labels).size, labels.length, 'no label twice')
  const { text: plain } = await scrape(plane, { disableTagParsing: 'true' })
  t.notMatch(plain, /,team="/)
  t.match(plain, /tags="name:evil,/)
})

t.test('promtool has nothing to say but of two names', { skip: prometheusProblem() ?? false }, async (t) => {
  const plane = await testApp(t)
  await scrape(plane)
  await everyType(plane)
  plane.advance(6000)
  const standard = await scrape(plane, { standardNames: 'true', locationLabelEnabled: 'true' })
  t.strictSame(await promtool(t, ['check', 'metrics'], standard.text), { status: 0, printed: '' })
  const usual = await promtool(t, ['check', 'metrics'], (await scrape(plane)).text)
  t.strictSame(
    usual.printed
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]),
    ['watchpost_private_location_agent_count', 'watchpost_private_location_queue_duration_ms'],
  )
})

t.test('OpenMetrics for those who ask for it', async (t) => {
  const plane = await testApp(t)
  await scrape(plane)
  await everyType(plane)
  plane.advance(6000)
  const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
  const { headers, text } = await scrape(plane, {}, { accept })
  t.equal(headers.get('content-type'), 'application/openmetrics-text; version=1.0.0; charset=utf-8')
  t.ok(text.endsWith('\n# EOF\n'))
  t.match(text, /^# TYPE watchpost_check_result counter$/m)
  t.match(text, /^watchpost_check_result_total\{/m)
  t.match(text, /^# UNIT watchpost_url_monitor_timing_seconds seconds$/m)
  t.notMatch((await scrape(plane, {}, { accept: 'text/plain' })).text, /# EOF|# UNIT/)
})
