/** URL checks of servers with TLS, and of those that speak another protocol in it or without. */
import http2 from 'node:http2'
import https from 'node:https'
import t from 'tap'
import { agentIo } from '../../support/agent-io.ts'
import { createAuthority } from '../../support/certificates.ts'
import { runUrlCheck as run } from '../../support/run-url-check.ts'
import { httpServer, httpsServer, listening, tcpServer } from '../../support/servers.ts'

t.test('TLS', async (t) => {
  const authority = createAuthority()
  const io = agentIo({ extraCaCerts: authority.pem })
  const good = authority.issue({ altName: 'IP:127.0.0.1' })
  const hello = (credentials: typeof good) =>
    httpsServer(t, credentials, (_, response) => response.end('safe'))
  await t.test('a trusted certificate is shown with its facts and its time', async (t) => {
    const { failure, detail } = await run(t, (await hello(good)).origin, { io })
    t.equal(failure, null)
    t.match(detail.response?.certificate, {
      subject: /CN=leaf/,
      issuer: 'CN=Test authority',
      daysRemaining: 1,
      authorized: true,
      protocol: 'TLSv1.3',
      altNames: ['IP Address:127.0.0.1'],
    })
    t.ok(Number(detail.response?.timingPhases.tls) > 0)
  })
  await t.test('what cannot be trusted fails before anything is sent, unless skipSSL', async (t) => {
    const cases = [
      [authority.issue({ altName: 'IP:127.0.0.1', days: -1 }), io, 'CERT_HAS_EXPIRED'],
      [authority.issue({ altName: 'DNS:example.org' }), io, 'ERR_TLS_CERT_ALTNAME_INVALID'],
      [good, agentIo(), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ] as const
    for (const [credentials, io, code] of cases) {
      const { origin } = await hello(credentials)
      t.match((await run(t, origin, { io })).failure, { code, network: true })
      const skipped = await run(t, origin, { io, change: { skipSSL: true } })
      t.equal(skipped.failure, null)
      t.equal(skipped.detail.response?.certificate?.authorized, false)
    }
  })
  await t.test(
    'one that the stapled answer of its authority calls revoked fails, unless skipSSL',
    async (t) => {
      const named = authority.issue({ altName: 'IP:127.0.0.1' })
      const stapling = (credentials: typeof good, answer: Buffer) => {
        const server = https.createServer(credentials, (_, response) => response.end('safe'))
        server.on('OCSPRequest', (_: Buffer, __: Buffer, give: (error: null, answer: Buffer) => void) =>
          give(null, answer),
        )
        return listening(t, server, 'https')
      }
      const revoked = authority.ocspAnswer(named, 'revoked')
      const { origin } = await stapling(named, revoked)
      t.match((await run(t, origin, { io })).failure, {
        code: 'CERT_REVOKED',
        network: true,
        message: /^The certificate of 127.0.0.1:\d+ is revoked, .*OCSP/,
      })
      t.equal((await run(t, origin, { io, change: { skipSSL: true } })).failure, null)
      for (const [what, credentials, answer] of [
        ['a good one', named, authority.ocspAnswer(named, 'good')],
        ['of another certificate', good, revoked],
        ['cut off', named, revoked.subarray(0, 80)],
        ['nonsense', named, Buffer.from('no')],
      ] as const)
        t.equal((await run(t, (await stapling(credentials, answer)).origin, { io })).failure, null, what)
    },
  )
  await t.test('a server that speaks only HTTP/2 is named as such', async (t) => {
    const overTls = await listening(t, http2.createSecureServer({ ...good, allowHTTP1: false }), 'https')
    t.match((await run(t, overTls.origin, { io })).failure, {
      code: /^(ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL|HTTP2_ONLY)$/,
      message: /only HTTP\/2/,
    })
    const plain = await listening(t, http2.createServer(), 'http')
    t.match((await run(t, plain.origin)).failure, {
      code: 'HTTP2_ONLY',
      message: /^127.0.0.1:\d+ speaks only HTTP\/2: /,
    })
    const settings = Buffer.from(
      '00000604000000000000030000006400000c07000000000000000000000000017061',
      'hex',
    )
    const inPieces = await tcpServer(t, (socket) => {
      socket.write(settings.subarray(0, 5))
      socket.once('data', () => socket.end(settings.subarray(5)))
    })
    t.match((await run(t, inPieces.origin)).failure, { code: 'HTTP2_ONLY' })
  })
  await t.test('a server that does not speak it is a failed handshake', async (t) => {
    const { port } = await httpServer(t, (_, response) => response.end())
    t.match((await run(t, `https://127.0.0.1:${port}/`, { io })).failure, {
      network: true,
      message: /TLS handshake/,
    })
  })
})
