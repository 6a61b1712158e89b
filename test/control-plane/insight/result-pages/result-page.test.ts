import t from 'tap'
import { resultLink } from '../../../../control-plane/alerting/messages/result-link.ts'
import { timingBar } from '../../../../control-plane/monitoring/definitions/checks/timing-bar.ts'
import { type Content, html, markupOf } from '../../../../control-plane/platform/web/html/html.ts'
import { utc } from '../../../../control-plane/platform/web/html/utc.ts'
import { ago, bytes, milliseconds } from '../../../../control-plane/platform/web/html/words.ts'
import { durationInWords } from '../../../../control-plane/platform/words/dates.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { grpcDetail, sslDetail, tracerouteDetail } from '../../../support/new-type-details.ts'
import { type StoredResult, storeCheck, storeResult } from '../../../support/stored-results.ts'

/** The text of a result's page, without its style and its tags. */
const textOf = async (
  plane: TestApp,
  result: Omit<StoredResult, 'checkId' | 'at'>,
  doc = {},
): Promise<string> => {
  const { app, call } = plane
  const checkId = await storeCheck(plane, { type: result.checkType ?? 'URL', doc })
  const resultId = await storeResult(plane, { checkId, at: app.clock.now(), ...result })
  const link = resultLink(app, { checkId, resultId, expiresAt: app.clock.now() + 1000 })
  const { text } = await call('GET', new URL(link).pathname, { key: null })
  return text
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
}

const shown = (content: Content): string => markupOf(html`${content}`)

t.test('numbers and instants are written for people', async (t) => {
  t.strictSame(
    [0.4231, 9, 41.6, 1204, 12_345].map((ms) => shown(milliseconds(ms))),
    ['0.42 ms', '9 ms', '42 ms', '1,204 ms', '12.3 s'],
  )
  t.strictSame(
    [12, 2048, 5 * 1024 ** 2].map((size) => shown(bytes(size))),
    ['12 bytes', '2.0 KB', '5.0 MB'],
  )
  t.strictSame([0, 1000, 119_000, 120_000, 3 * 3_600_000].map(durationInWords), [
    '0 seconds',
    '1 second',
    '119 seconds',
    '2 minutes',
    '3 hours',
  ])
  t.equal(markupOf(html`${ago(5000, 4000)}`), 'just now', 'clocks of agents may be ahead')
  t.match(markupOf(utc(Date.UTC(2026, 2, 4, 5, 6, 7))), '>4 Mar 2026, 05:06:07 UTC<')
})

t.test('phases are as wide as they were long, and what they leave of the total shows', async (t) => {
  const phases = [
    { name: 'DNS', ms: 25 },
    { name: 'TLS', ms: null },
    { name: 'Data', ms: 50 },
  ]
  const bar = timingBar(phases, 100)
  t.ok(bar)
  const widths =
    bar && [...markupOf(bar).matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width))
  t.strictSame(widths, [250, 500, 250])
  t.equal(timingBar([{ name: 'DNS', ms: null }], null), null)
})

t.test('each kind of result says why in one sentence', async (t) => {
  const plane = await testApp(t)
  const slow = { isDegraded: true, responseTime: 1500 }
  t.match(
    await textOf(plane, slow, { degradedResponseTime: 1000 }),
    'It took 1,500 ms; from 1,000 ms on it counts',
  )
  t.match(await textOf(plane, { isDegraded: true }), 'It works, but not as well as it should.')
  t.match(await textOf(plane, { isCancelled: true }), 'Cancelled URL monitor site The run was stopped')
  const broken = await textOf(plane, { hasErrors: true, doc: { error: 'the sandbox did not start' } })
  t.match(broken, 'Could not run URL monitor site the sandbox did not start')
  t.match(broken, 'nobody is alerted of it')
  t.match(await textOf(plane, {}), 'Passed URL monitor site Everything was as expected.')
})

t.test('TCP, DNS, ICMP and heartbeat results show what was seen', async (t) => {
  const plane = await testApp(t)
  const refused = {
    code: 'ECONNREFUSED',
    syscall: 'connect',
    address: '10.2.0.7',
    port: 5432,
    hostname: 'db',
  }
  const tcpCheckResult = {
    assertions: [],
    request: { hostname: 'db', port: 5432, data: null, ipFamily: 'IPv4' },
    response: {
      resolvedIp: '10.2.0.7',
      data: 'hello',
      dataEncoding: 'utf8',
      dataBytes: 5,
      truncated: false,
      endedBy: null,
      error: refused,
    },
    timingPhases: { dns: 2, connection: 1, data: null, total: 3 },
    requestError: null,
  }
  const tcp = await textOf(plane, { checkType: 'TCP', hasFailures: true, doc: { tcpCheckResult } })
  t.match(
    tcp,
    /db:5432 .* 10\.2\.0\.7 .* ECONNREFUSED during connect .* hello .* DNS 2 ms Connect 1 ms Total 3 ms/,
  )
  const dnsCheckResult = {
    assertions: [
      {
        source: 'RESPONSE_CODE',
        property: '',
        comparison: 'EQUALS',
        target: 'NOERROR',
        regex: null,
        order: 0,
        passed: false,
        actual: 'NXDOMAIN',
        error: null,
      },
    ],
    request: { query: 'shop.example', recordType: 'A', protocol: 'UDP', nameServer: null, port: 53 },
    nameServerInfo: { name: 'resolver', host: '10.0.0.53', port: 53 },
    response: {
      returnCode: 'NXDOMAIN',
      responseTime: 3,
      protocol: 'UDP',
      answer: {
        Status: 'NXDOMAIN',
        TC: false,
        RD: true,
        RA: true,
        AD: false,
        CD: false,
        Question: [],
        Answer: [],
      },
      text: '',
      truncated: false,
    },
    requestError: null,
  }
  const dns = await textOf(plane, { checkType: 'DNS', hasFailures: true, doc: { dnsCheckResult } })
  t.match(dns, /1 of 1 assertions failed .* Response code equals NOERROR It was NXDOMAIN/)
  t.match(dns, /shop\.example A .* resolver \(10\.0\.0\.53:53\) .* NXDOMAIN over UDP Records 0/)
  const icmpCheckResult = {
    assertions: [],
    request: { hostname: 'edge', ipFamily: 'IPv4', pingCount: 2 },
    response: {
      hostname: 'edge',
      resolvedIp: '198.51.100.4',
      ipFamily: 'IPv4',
      pingCount: 2,
      packetsSent: 2,
      packetsReceived: 1,
      packetSize: 56,
      packetLoss: 50,
      dnsResolutionTime: 1,
      latency: { avg: 40, min: 40, max: 40, stdDev: 0 },
      duplicates: 0,
      lateReplies: 0,
      pingResults: [
        { sequence: 0, type: 0, code: 0, success: true, rtt: 40, ttl: 60, from: '198.51.100.4', error: null },
        {
          sequence: 1,
          type: null,
          code: null,
          success: false,
          rtt: null,
          ttl: null,
          from: null,
          error: null,
        },
      ],
    },
    requestError: null,
  }
  const icmp = await textOf(plane, { checkType: 'ICMP', isDegraded: true, doc: { icmpCheckResult } })
  t.match(icmp, /Answered 1 of 2 Lost 50 % Average 40 ms .* 40 ms from 198\.51\.100\.4 no answer/)
  const ping = { state: 'LATE', source: 'HTTPS', userAgent: 'curl/8' }
  const heartbeat = await textOf(plane, { checkType: 'HEARTBEAT', location: '', doc: ping })
  t.match(heartbeat, /The ping came\. At .* Ping late Sent by curl\/8 From HTTPS/)
  t.notMatch(heartbeat, 'Response time')
})

t.test('SSL, gRPC and traceroute results show what was seen', async (t) => {
  const plane = await testApp(t)
  const ssl = await textOf(plane, { checkType: 'SSL', doc: { sslCheckResult: sslDetail } })
  t.match(ssl, /192\.0\.2\.7:443 .* shop\.example .* TLS1\.2 .* good \(OCSP\)/)
  t.match(ssl, /CN=shop\.example .* no UNABLE_TO_VERIFY_LEAF_SIGNATURE .* RSA 2048/)
  t.match(ssl, /Grade B .* recommendedTLSVersion TLS1\.2 degrade/)
  const grpc = await textOf(plane, { checkType: 'GRPC', doc: { grpcCheckResult: grpcDetail } })
  t.match(grpc, /orders\.example:443 .* grpc\.health\.v1\.Health\/Check .* SERVING .* x-served-by one/)
  t.match(grpc, /shop\.v1\.Shop\/GetOrder .* Call 5 ms/)
  const way = { tracerouteCheckResult: tracerouteDetail }
  const traceroute = await textOf(plane, { checkType: 'TRACEROUTE', doc: way })
  t.match(traceroute, /shop\.example:443 192\.0\.2\.7 .* Hops 2 .* no answer .* 192\.0\.2\.7 shop\.example/)
})
