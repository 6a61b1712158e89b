/** SSL checks of real TLS servers: good ones, and one for each thing that can be wrong with a certificate. */
import tls from 'node:tls'
import t, { type Test } from 'tap'
import { runSsl } from '../../../agent/checks/ssl.ts'
import { parseProxy } from '../../../agent/net/connect/proxy-server.ts'
import type { RealIo } from '../../../agent/program/real-io.ts'
import type { SslAssertion, SslSpec } from '../../../protocol/checks/ssl.ts'
import { SslCheckResult } from '../../../protocol/checks/ssl-result.ts'
import { agentIo } from '../../support/agent-io.ts'
import { createAuthority } from '../../support/certificates.ts'
import { fitsProtocol } from '../../support/fits-protocol.ts'
import { missing, tinyproxy } from '../../support/proxies.ts'
import { runContext } from '../../support/run-context.ts'
import { closedPort, listening, tcpServer } from '../../support/servers.ts'

const fits = fitsProtocol(SslCheckResult)
const authority = createAuthority()
const io = agentIo({ extraCaCerts: authority.pem })
const altName = 'IP:127.0.0.1,DNS:shop.example'
const good = authority.issue({ altName, days: 90 })

type Change = Partial<SslSpec['request']> & { shouldFail?: boolean }

const run = async (
  t: Test,
  port: number,
  { shouldFail = false, ...change }: Change = {},
  by: RealIo = io,
) => {
  const request = {
    ...{ hostname: '127.0.0.1', port, serverName: '127.0.0.1', ipFamily: 'IPv4' as const },
    ...{ skipChainValidation: false, handshakeTimeoutMs: 10_000, alertDaysBeforeExpiry: 20 },
    ...{ securityBaseline: {}, assertions: [] },
    ...change,
  }
  const observation = await runSsl({ request, shouldFail }, by, runContext(by, new AbortController().signal))
  return fits(t, observation)
}

/** A server with these credentials; `answer`: what it sends along of its authority. */
const serve = async (t: Test, options: tls.TlsOptions, answer: Buffer | null = null): Promise<number> => {
  const server = tls.createServer(options)
  server.on('tlsClientError', () => undefined)
  server.on('secureConnection', (socket) => socket.on('error', () => undefined))
  server.on('OCSPRequest', (_: Buffer, __: Buffer, give: (error: null, answer: Buffer | null) => void) =>
    give(null, answer),
  )
  return (await listening(t, server, 'https')).port
}

const fact = (property: string, target: string, comparison: SslAssertion['comparison'] = 'EQUALS') => ({
  source: 'CERTIFICATE' as const,
  ...{ property, comparison, target },
})
const seen = (property: string, target: string, comparison: SslAssertion['comparison'] = 'EQUALS') => ({
  source: 'CONNECTION' as const,
  ...{ property, comparison, target },
})

t.test('a good certificate passes, with all its facts', async (t) => {
  const { failure, degraded, detail, metrics, responseTime } = await run(t, await serve(t, good))
  t.equal(failure, null)
  t.equal(degraded, false)
  t.match(detail, {
    tlsVersion: 'TLS1.3',
    cipherSuite: /^TLS_/,
    daysUntilExpiry: 89,
    chainTrusted: true,
    hostnameVerified: true,
    baselineVerdict: 'pass',
    baselineGrade: 'A-',
    failureCategory: null,
    response: {
      resolvedIp: '127.0.0.1',
      ocspStapled: false,
      ocspStatus: null,
      certificate: {
        subjectCN: 'leaf',
        issuerCN: 'Test authority',
        subject: 'CN=leaf, O=Test',
        keyAlgorithm: 'ECDSA',
        keySizeBits: 256,
        signatureAlgorithm: /ecdsa-with-SHA256/i,
        sans: ['127.0.0.1', 'shop.example'],
        selfSigned: false,
        isCA: false,
        mustStaple: false,
        sctPresent: false,
        issuerFingerprintSha256: /^([0-9A-F]{2}:){31}/,
      },
      chain: [{ subject: 'CN=leaf, O=Test' }, { subject: 'CN=Test authority', isCA: true }],
    },
  })
  t.match(metrics, {
    keySizeBits: 256,
    tlsVersion: 1.3,
    chainTrusted: 1,
    hostnameVerified: 1,
    ocspStapled: 0,
  })
  const { tls: handshake, total } = detail.timingPhases
  t.equal(responseTime, Math.round(Number(handshake)), 'what is measured is the handshake')
  t.ok(Number(total) >= Number(handshake))
  t.equal(detail.handshakeTimeMs, handshake)
})

t.test('each thing that is wrong fails with its own code, and is shown all the same', async (t) => {
  const another = createAuthority()
  const between = authority.intermediate()
  const leaf = between.issue({ altName, days: 90 })
  const cases = [
    ['expired', { ...authority.issue({ altName, days: -1 }) }, 'CERT_HAS_EXPIRED', 'expired'],
    ['self-signed', another.root, 'DEPTH_ZERO_SELF_SIGNED_CERT', 'chain'],
    ['unknown issuer', another.issue({ altName }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'chain'],
    ['intermediate missing', leaf, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'chain'],
    [
      'wrong name',
      authority.issue({ altName: 'DNS:other.example' }),
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'hostname',
    ],
    ['weak key', authority.issue({ altName, key: 'rsa:1024' }), 'SECURITY_BASELINE', 'baseline'],
    ['SHA-1', authority.issue({ altName, digest: 'sha1' }), 'SECURITY_BASELINE', 'baseline'],
  ] as const
  for (const [what, credentials, code, failureCategory] of cases) {
    const port = await serve(t, { ...credentials, ciphers: 'DEFAULT:@SECLEVEL=0' })
    const { failure, detail } = await run(t, port, { alertDaysBeforeExpiry: 1 })
    t.match(failure, { code }, what)
    t.equal(detail.failureCategory, failureCategory, what)
    t.equal(detail.requestError, failure?.message, what)
    t.type(detail.response?.certificate.subject, 'string', `${what}: what was presented is shown`)
    t.equal(
      (await run(t, port, { shouldFail: true, alertDaysBeforeExpiry: 1 })).failure,
      null,
      `${what}: as it should`,
    )
  }
  await t.test('with the intermediate the chain is whole', async (t) => {
    const port = await serve(t, { key: leaf.key, cert: leaf.cert + between.pem })
    const { failure, detail } = await run(t, port)
    t.equal(failure, null)
    t.strictSame(
      detail.response?.chain.map(({ subject }) => subject),
      ['CN=leaf, O=Test', 'CN=Test intermediate', 'CN=Test authority'],
    )
  })
  await t.test(
    'chain and names are only shown where they are not to be judged, expiry is judged',
    async (t) => {
      const lenient = { skipChainValidation: true, alertDaysBeforeExpiry: 1 }
      const own = await run(t, await serve(t, another.root), {
        ...lenient,
        securityBaseline: { enabled: false },
      })
      t.equal(own.failure, null)
      t.match(own.detail, { chainTrusted: false, hostnameVerified: false, baselineVerdict: null })
      t.equal(own.detail.response?.certificate.selfSigned, true)
      const old = await run(t, await serve(t, authority.issue({ altName, days: -1 })), lenient)
      t.match(old.failure, { code: 'CERT_HAS_EXPIRED' })
    },
  )
})

t.test('fewer days than wanted degrade', async (t) => {
  const port = await serve(t, authority.issue({ altName, days: 10 }))
  t.match(await run(t, port), { failure: null, degraded: true, detail: { daysUntilExpiry: 9 } })
  t.match(await run(t, port, { alertDaysBeforeExpiry: 9 }), { failure: null, degraded: false })
})

t.test('the authority is heard where the server sends its answer along', async (t) => {
  const answers = [
    ['good', null],
    ['revoked', 'CERT_REVOKED'],
  ] as const
  for (const [status, code] of answers) {
    const port = await serve(t, good, authority.ocspAnswer(good, status))
    const { failure, detail } = await run(t, port)
    t.equal(failure?.code ?? null, code)
    t.match(detail.response, { ocspStapled: true, ocspStatus: status })
  }
  const nonsense = await run(t, await serve(t, good, Buffer.from('no')))
  t.match(nonsense, { failure: null, detail: { response: { ocspStapled: true, ocspStatus: null } } })
  const asks = authority.issue({ altName, days: 90, extensions: 'tlsfeature=status_request' })
  const baseline = { ocspMustStapleRespected: { severity: 'fail' as const } }
  const silent = await run(t, await serve(t, asks), { securityBaseline: baseline })
  t.match(silent.failure, { message: /ocspMustStapleRespected: asked for and not sent/ })
  const port = await serve(t, asks, authority.ocspAnswer(asks, 'good'))
  t.equal((await run(t, port, { securityBaseline: baseline })).failure, null)
})

t.test('old protocols are spoken to be named, and each rule has its severity', async (t) => {
  const old = { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const
  const port = await serve(t, old)
  const { failure, detail } = await run(t, port)
  t.match(failure, { code: 'SECURITY_BASELINE', message: /minTLSVersion: TLS1.1, expected at least TLS1.2/ })
  t.match(detail, { tlsVersion: 'TLS1.1', baselineVerdict: 'fail', baselineGrade: 'F' })
  const only = await serve(t, { ...good, maxVersion: 'TLSv1.2' })
  t.match(await run(t, only), { failure: null, detail: { tlsVersion: 'TLS1.2', baselineGrade: 'A-' } })
  const strict = { recommendedTLSVersion: { severity: 'degrade' as const } }
  t.match(await run(t, only, { securityBaseline: strict }), {
    failure: null,
    degraded: true,
    detail: { baselineVerdict: 'warn', baselineGrade: 'B' },
  })
  const bits = { minKeySizeBits: { value: 4096 } }
  t.match((await run(t, only, { securityBaseline: bits })).failure, { message: /minKeySizeBits: ECDSA 256/ })
  const rsa = await serve(t, authority.issue({ altName, key: 'rsa:2048', days: 90 }))
  t.match(await run(t, rsa), { failure: null, detail: { response: { certificate: { keySizeBits: 2048 } } } })
})

t.test('facts are asserted by their names; versions have an order', async (t) => {
  const port = await serve(t, { ...good, maxVersion: 'TLSv1.2' })
  const assertions: SslAssertion[] = [
    fact('daysUntilExpiry', '30', 'GREATER_THAN'),
    fact('sans', 'shop.example', 'CONTAINS'),
    fact('selfSigned', 'false'),
    seen('tlsVersion', 'TLS1.1', 'GREATER_THAN'),
    seen('tlsVersion', 'TLS1.3'),
    seen('hostnameVerified', 'true'),
    { source: 'JSON_RESPONSE', property: '$.certificate.keySizeBits', comparison: 'EQUALS', target: '256' },
    { source: 'TEXT_RESPONSE', property: 'issuerCN: (.*)', comparison: 'EQUALS', target: 'Test authority' },
    { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '60000' },
  ]
  const outcomes = (await run(t, port, { assertions })).assertions
  t.strictSame(
    outcomes.map(({ passed }) => passed),
    [true, true, true, true, false, true, true, true, true],
    JSON.stringify(outcomes),
  )
  t.match(outcomes[4], { target: 'TLS1.3', actual: 'TLS1.2', error: /connection "tlsVersion" to equal 1.3/ })
})

t.test('the server is asked for by another name than its host', async (t) => {
  const names: string[] = []
  const other = authority.issue({ altName: 'DNS:shop.example', days: 90 })
  const port = await serve(t, {
    ...good,
    SNICallback: (name, give) => {
      names.push(name)
      give(null, tls.createSecureContext(other))
    },
  })
  t.equal((await run(t, port, { serverName: 'shop.example' })).failure, null)
  t.match((await run(t, port, { serverName: 'shop.example.org' })).failure, {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
  t.strictSame(names, ['shop.example', 'shop.example.org'])
})

t.test('what keeps a handshake from us is the failure', async (t) => {
  const refused = await run(t, await closedPort())
  t.match(refused, {
    failure: { code: 'ECONNREFUSED' },
    detail: { failureCategory: 'connection', response: null },
  })
  t.match((await run(t, await closedPort(), { shouldFail: true })).failure, { code: 'ECONNREFUSED' })
  const plain = await tcpServer(t, (socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n')))
  t.match(await run(t, plain.port), { failure: { network: true }, detail: { failureCategory: 'handshake' } })
  const silent = await tcpServer(t, () => undefined)
  t.match(await run(t, silent.port, { handshakeTimeoutMs: 100 }), {
    failure: { code: 'TIMEOUT', message: /TLS handshake with .* was not finished when the limit of 0.1 s/ },
    detail: { failureCategory: 'handshake' },
  })
  const blocked = agentIo({ blockedNetworks: ['127.0.0.0/8'] })
  t.match((await run(t, await serve(t, good), {}, blocked)).failure, { code: 'BLOCKED_BY_POLICY' })
})

t.test('a server that wants a client certificate gets that of the host', async (t) => {
  const port = await serve(t, {
    ...good,
    ...{ ca: authority.pem, requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
  })
  t.match(await run(t, port), { failure: { network: true }, detail: { failureCategory: 'handshake' } })
  const own = authority.issue({ altName: 'DNS:client' })
  const context = tls.createSecureContext({ ...own, ca: authority.pem })
  const route = { proxy: null, certificate: { host: '127.0.0.1', context } }
  t.equal((await run(t, port, {}, { ...io, egressRoute: route })).failure, null)
})

t.test('the proxy of the location is gone through', { skip: missing('tinyproxy') }, async (t) => {
  const { url } = await tinyproxy(t)
  const route = { proxy: parseProxy(url), certificate: null }
  const through = { ...io, egressRoute: route }
  t.match(await run(t, await serve(t, good), {}, through), {
    failure: null,
    detail: { tlsVersion: 'TLS1.3', chainTrusted: true },
  })
})
