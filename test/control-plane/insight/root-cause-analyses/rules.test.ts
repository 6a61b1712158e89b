import t from 'tap'
import { analyseByRules, ruleFor } from '../../../../control-plane/insight/root-cause-analyses/builtin.ts'
import { rules } from '../../../../control-plane/insight/root-cause-analyses/rules/index.ts'
import { Analysis } from '../../../../control-plane/insight/root-cause-analyses/schema.ts'
import { compile } from '../../../../protocol/validate.ts'
import { assertion, facts, failure, http } from '../../../support/facts.ts'
import { protocolFailures } from '../../../support/protocol-failures.ts'

const at = 'shop.example:443 (203.0.113.7)'
const fails = (code: string, message: string, network = true) =>
  facts({ run: { failure: failure(code, message, network) } })
const status = (code: number, statusText: string, more = {}) =>
  facts({
    run: {
      failure: failure('HTTP_STATUS', `The server answered with status ${code}`, false),
      http: http({ status: code, statusText, ...more }),
    },
  })
const script = (message: string, type: 'BROWSER' | 'MULTI_STEP' | 'PLAYWRIGHT' = 'BROWSER') =>
  facts({ check: { type }, run: { failure: failure('SCRIPT', message, false) } })
const certificate = {
  subject: 'CN=shop.example',
  issuer: 'CN=Example CA',
  validFrom: '2025-10-01T00:00:00.000Z',
  validTo: '2025-12-30T00:00:00.000Z',
  daysRemaining: -2,
  fingerprint256: 'AA',
  altNames: ['DNS:www.shop.example'],
  authorized: false,
  protocol: 'TLSv1.3',
  cipher: null,
}

/** Rule, a realistic observation, and what the sentences must name. */
type Case = [rule: string, given: ReturnType<typeof facts>, says: RegExp]
const cases: Case[] = [
  [
    'name-does-not-exist',
    fails('ENOTFOUND', 'The name shop.example does not exist or has no address'),
    /shop\.example does not exist in DNS/,
  ],
  [
    'name-server-silent',
    fails('EAI_AGAIN', 'The name server did not answer for shop.example after 5003 ms'),
    /No name server answered for shop\.example/,
  ],
  [
    'name-server-silent',
    fails('TIMEOUT', 'The address of shop.example was still being looked up when the limit of 30 s was over'),
    /No name server answered/,
  ],
  [
    'name-server-failed',
    fails('ESERVFAIL', 'The name server answered SERVFAIL for shop.example: it failed to resolve the name'),
    /SERVFAIL.*DNSSEC/,
  ],
  [
    'name-server-refused',
    fails('ECONNREFUSED', 'The name server refused the question for shop.example'),
    /name server .* refused the question/,
  ],
  [
    'name-server-refused',
    fails('EREFUSED', 'The name server answered REFUSED for shop.example'),
    /name server .* refused the question/,
  ],
  [
    'connection-refused',
    fails('ECONNREFUSED', `${at} refused the connection after 12 ms`),
    /shop\.example:443 \(203\.0\.113\.7\) refused .* nothing listens/,
  ],
  [
    'connect-timeout',
    fails('ETIMEDOUT', `${at} did not answer the connection after 30000 ms`),
    /packets are being dropped/,
  ],
  [
    'connect-timeout',
    fails('TIMEOUT', `${at} had not accepted the connection when the limit of 30 s was over`),
    /packets are being dropped/,
  ],
  [
    'reset-without-answer',
    fails('ECONNRESET', `${at} closed the connection without an answer after 40 ms`),
    /closed it without an answer/,
  ],
  [
    'reset-mid-answer',
    fails('ECONNRESET', `${at} closed the connection in the middle of its answer after 40 ms`),
    /began to answer and then closed/,
  ],
  ['no-route', fails('EHOSTUNREACH', `There is no route to ${at}`), /There is no route to shop\.example:443/],
  [
    'no-ipv6',
    fails('EADDRNOTAVAIL', `This machine has no address from which ${at} can be reached`),
    /IPv6 is asked for/,
  ],
  [
    'blocked-by-policy',
    fails(
      'BLOCKED_BY_POLICY',
      `${at} may not be reached: the agent's BLOCKED_NETWORKS and ALLOWED_NETWORKS forbid it`,
      false,
    ),
    /own network policy/,
  ],
  [
    'certificate-expired',
    facts({
      run: {
        failure: failure('CERT_HAS_EXPIRED', `The certificate of ${at} has expired`),
        http: http({ certificate }),
      },
    }),
    /has expired/,
  ],
  [
    'certificate-revoked',
    fails('CERT_REVOKED', `The certificate of ${at} is revoked, as the answer of its authority says`),
    /has revoked it/,
  ],
  [
    'certificate-not-yet-valid',
    fails('CERT_NOT_YET_VALID', `The certificate of ${at} is not valid yet`),
    /not valid yet/,
  ],
  [
    'certificate-wrong-name',
    fails('ERR_TLS_CERT_ALTNAME_INVALID', `The certificate of ${at} is for another name than shop.example`),
    /another name than shop\.example/,
  ],
  [
    'certificate-self-signed',
    fails('DEPTH_ZERO_SELF_SIGNED_CERT', `The certificate of ${at} is self-signed`),
    /does not trust/,
  ],
  [
    'certificate-chain-incomplete',
    fails(
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      `The issuer of the certificate of ${at} is not trusted, or its chain is incomplete`,
    ),
    /intermediate/,
  ],
  [
    'handshake-reset',
    fails('ECONNRESET', `${at} closed the connection during the TLS handshake after 9 ms`),
    /middle of the TLS handshake/,
  ],
  [
    'handshake-timeout',
    fails('TIMEOUT', `The TLS handshake with ${at} was not finished when the limit of 30 s was over`),
    /did not finish the TLS handshake/,
  ],
  [
    'handshake-failed',
    fails('ERR_SSL_WRONG_VERSION_NUMBER', `The TLS handshake with ${at} failed: wrong version number`),
    /wrong version number/,
  ],
  [
    'no-answer-in-time',
    fails('TIMEOUT', `${at} had not answered when the limit of 30 s was over`),
    /did not begin to answer/,
  ],
  [
    'download-too-slow',
    fails('TIMEOUT', `${at} was still sending its answer when the limit of 30 s was over`),
    /was not done before/,
  ],
  [
    'redirect-loop',
    facts({
      run: {
        failure: failure('TOO_MANY_REDIRECTS', 'The request was redirected more than 10 times', false),
        http: http({ status: 302, redirects: [{ status: 302, from: 'http://a/', to: 'https://a/' }] }),
      },
    }),
    /redirects in circles/,
  ],
  [
    'redirect-to-nowhere',
    fails(
      'INVALID_REDIRECT',
      'The request was redirected to "ftp:…", which is not an http or https address',
      false,
    ),
    /Location/,
  ],
  [
    'only-http2',
    fails('HTTP2_ONLY', `${at} speaks only HTTP/2`, false),
    /speaks only HTTP\/2\. The check speaks HTTP\/1\.1/,
  ],
  ['answer-malformed', fails('MALFORMED_RESPONSE', `${at} sent what is not HTTP`), /not valid HTTP/],
  [
    'address-invalid',
    fails('INVALID_URL', 'The address of the check is not a valid http or https URL', false),
    /nothing was sent/,
  ],
  [
    'redirected-elsewhere',
    facts({
      run: {
        assertions: [assertion({ actual: 302, error: 'expected status to equal 200 but it was 302' })],
        http: http({ status: 302, location: 'https://shop.example/login' }),
      },
    }),
    /redirect \(302\) to https:\/\/shop\.example\/login/,
  ],
  ['credentials-refused', status(401, 'Unauthorized'), /missing, expired or revoked/],
  ['credentials-refused', status(403, 'Forbidden'), /lack a permission/],
  ['not-there', status(404, 'Not Found'), /answers 404/],
  ['too-many-requests', status(429, 'Too Many Requests', { retryAfter: '30' }), /Retry-After: 30/],
  ['gateway-without-backend', status(502, 'Bad Gateway'), /no valid answer from the application/],
  [
    'gateway-without-backend',
    facts({
      run: { assertions: [assertion()], http: http({ status: 503, statusText: 'Service Unavailable' }) },
    }),
    /not available \(503\)/,
  ],
  ['gateway-without-backend', status(504, 'Gateway Timeout'), /waited for the application/],
  [
    'server-error',
    status(500, 'Internal Server Error'),
    /application failed while handling GET https:\/\/shop\.example\/cart \(500\)/,
  ],
  ['request-refused', status(422, 'Unprocessable Content'), /422 Unprocessable Content/],
  [
    'unexpected-success',
    facts({
      run: {
        assertions: [
          assertion({ target: 404, actual: 200, error: 'expected status to equal 404 but it was 200' }),
        ],
        http: http(),
      },
    }),
    /wants another status/,
  ],
  [
    'too-slow',
    facts({
      run: {
        overMax: true,
        responseTime: 6200,
        metrics: { dns: 3, tcp: 10, firstByte: 6000, download: 20, total: 6200 },
        http: http(),
      },
    }),
    /6200 ms against the limit of 5000 ms\. 97 % of it \(6000 ms\) was waiting for the first byte/,
  ],
  [
    'too-slow',
    facts({
      run: {
        responseTime: 900,
        metrics: { dns: 800 },
        assertions: [
          assertion({
            source: 'RESPONSE_TIME',
            target: 500,
            actual: 900,
            error: 'expected response time to be less than 500 but it was 900',
          }),
        ],
        http: http(),
      },
    }),
    /resolving the name/,
  ],
  [
    'content-differs',
    facts({
      check: { type: 'API' },
      run: {
        assertions: [
          assertion({
            source: 'JSON_BODY',
            property: '$.ok',
            target: 'true',
            actual: null,
            error: 'expected JSON body "$.ok" to equal true but it was missing',
          }),
        ],
        http: http(),
      },
    }),
    /HTML where JSON is wanted/,
  ],
  [
    'headers-differ',
    facts({
      check: { type: 'API' },
      run: {
        assertions: [
          assertion({
            source: 'HEADERS',
            property: 'cache-control',
            target: 'no-store',
            actual: 'public',
            error: 'expected header "cache-control" to equal no-store but it was public',
          }),
        ],
        http: http(),
      },
    }),
    /header is not what/,
  ],
  [
    'assertion-failed',
    facts({
      check: { type: 'TCP' },
      run: { assertions: [assertion({ source: 'OTHER', error: 'expected x to equal y but it was z' })] },
    }),
    /expected x to equal y/,
  ],
  [
    'packets-lost',
    facts({
      check: { type: 'ICMP' },
      run: { metrics: { packetLoss: 100 }, failure: failure('PACKET_LOSS', 'no echo request was answered') },
    }),
    /answers no echo request at all/,
  ],
  [
    'packets-lost',
    facts({
      check: { type: 'ICMP' },
      run: {
        metrics: { packetLoss: 20 },
        assertions: [
          assertion({
            source: 'PACKET_LOSS',
            error: 'expected packet loss to be less than 10 but it was 20',
          }),
        ],
      },
    }),
    /20 % of the echo requests/,
  ],
  [
    'dns-answer-differs',
    facts({
      check: { type: 'DNS' },
      run: {
        assertions: [
          assertion({
            source: 'TEXT_ANSWER',
            error: 'expected text answer to contain 203.0.113.7 but it was empty',
          }),
        ],
      },
    }),
    /not what the check wants/,
  ],
  [
    'could-not-run',
    facts({ run: { hasErrors: true, couldNotRun: 'no process slot was free' } }),
    /failure of the monitoring, not of the target/,
  ],
  [
    'heartbeat-missed',
    facts({
      check: { type: 'HEARTBEAT', name: 'nightly backup' },
      run: { failure: failure('MISSED', 'no ping', false) },
    }),
    /No ping arrived.*"nightly backup"/,
  ],
  [
    'script-does-not-parse',
    script("SyntaxError: Unexpected token ')'"),
    /script of the check itself is broken/,
  ],
  [
    'script-does-not-parse',
    script('There is no package "koa" for setup scripts in the runtime 2026.04'),
    /There is no package "koa"/,
  ],
  [
    'another-text-received',
    script('expect(locator).toHaveText(expected) failed\n\nExpected: "a"\nReceived: "b"'),
    /the page has "b", and the script expects "a"/,
  ],
  [
    'element-not-found',
    script("locator.click: Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator('#buy')"),
    /locator\('#buy'\) did not become ready/,
  ],
  ['page-did-not-load', script('page.goto: Timeout 30000ms exceeded.'), /did not finish loading/],
  [
    'expectation-failed',
    script('Error: expect(received).toBe(expected)\n\nExpected: 1\nReceived: 2', 'PLAYWRIGHT'),
    /expectation of the script does not hold/,
  ],
  [
    'script-ran-too-long',
    script('The script exceeded its limit of 240 s', 'MULTI_STEP'),
    /did not finish within/,
  ],
  [
    'name-does-not-exist',
    script('page.goto: net::ERR_NAME_NOT_RESOLVED at https://shop.example/'),
    /does not exist in DNS/,
  ],
  ...protocolFailures.map(([rule, code, message, says]): Case => [rule, fails(code, message, false), says]),
  [
    'everything-fails',
    facts({
      run: { failure: failure('ETIMEDOUT', `${at} did not answer the connection after 30000 ms`) },
      neighbours: ['a.example', 'b.example', 'c.example'].map((host, i) => ({
        name: host,
        host,
        fails: i < 2,
      })),
    }),
    /2 of 3 other hosts fail at the same time/,
  ],
  [
    'unknown',
    facts({ run: { failure: failure('EWEIRD', 'Something new happened', false) } }),
    /cause is not known.*Something new happened/,
  ],
]

const validate = compile(Analysis)

for (const [rule, given, says] of cases)
  t.test(`${rule}: ${given.run.failure?.message ?? given.group.message}`, async (t) => {
    t.equal(ruleFor(given).id, rule)
    const { analysis } = analyseByRules(given)
    t.match(analysis.rootCause, says)
    t.match(analysis.rootCause, /3 runs have failed in a row since 1 Jan 2026, 09:58 UTC/)
    t.ok(validate(structuredClone(analysis)).ok)
    t.ok(analysis.userImpact.length > 5 && (analysis.codeFix?.length ?? 0) > 30)
    t.ok((analysis.evidence ?? []).length > 0)
    t.notMatch(JSON.stringify(analysis), /undefined|NaN|\[object|null ms/)
    for (const { url } of analysis.referenceLinks ?? [])
      t.match(url, /^https:\/\/www\.rfc-editor\.org\/rfc\/rfc\d+(#section-[\d.]+)?$/)
  })

t.test('every rule has a case, and a name of its own', async (t) => {
  const tested = new Set(cases.map(([rule]) => rule))
  t.strictSame(
    rules.map(({ id }) => id).filter((id) => !tested.has(id)),
    [],
  )
  t.equal(new Set(rules.map(({ id }) => id)).size, rules.length)
  t.ok(rules.length >= 20)
})

t.test('history and neighbours add since when, where and who else', async (t) => {
  const given = facts({
    userContext: 'deployed at 10:00',
    check: { updatedAt: Date.UTC(2026, 0, 1, 9, 54) },
    run: {
      failure: failure('ECONNREFUSED', `${at} refused the connection after 12 ms`),
      http: http({ certificate: { ...certificate, daysRemaining: 5 } }),
    },
    history: {
      passesAgainSince: Date.UTC(2026, 0, 1, 10, 5),
      latency: { justBeforeMs: 900, usualMs: 180 },
      locations: [
        { location: 'eu-west-1', runs: 5, failed: 3, failsNow: true },
        { location: 'us-east-1', runs: 5, failed: 0, failsNow: false },
      ],
    },
    neighbours: [
      { name: 'login', host: 'shop.example', fails: true },
      { name: 'search', host: 'shop.example', fails: false },
    ],
  })
  const { rootCause, evidence } = analyseByRules(given).analysis
  t.match(rootCause, /\(7 min\); the last run before passed at 1 Jan 2026, 09:57 UTC/)
  t.match(rootCause, /It fails in eu-west-1 and passes in us-east-1/)
  t.match(rootCause, /1 of 2 other checks of shop\.example fail at the same time: "login"/)
  t.match(rootCause, /a median of 900 ms in the last passing runs, 180 ms before/)
  t.match(rootCause, /changed 4 min before the first failure/)
  t.match(rootCause, /certificate expires in 5 days \(30 Dec 2025, 00:00 UTC\)/)
  t.match(rootCause, /passed again since 1 Jan 2026, 10:05 UTC/)
  t.match(JSON.stringify(evidence), /deployed at 10:00/)
})
