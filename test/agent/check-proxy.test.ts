/** Check traffic through the proxy of a location: the real ones of Debian, and ones that misbehave. */
import t, { type Test } from 'tap'
import { runJob } from '../../agent/jobs/run-job.ts'
import type { IoOptions } from '../../agent/program/real-io.ts'
import type { HttpCheckResult } from '../../protocol/checks/http-result.ts'
import type { TimerClock } from '../../protocol/clock.ts'
import type { Job } from '../../protocol/job.ts'
import type { Observation } from '../../protocol/result.ts'
import { agentIo } from '../support/agent-io.ts'
import { createCanaries } from '../support/canaries.ts'
import { createAuthority } from '../support/certificates.ts'
import { urlJob, urlSpec } from '../support/fake-control-plane.ts'
import { heldTimer } from '../support/held-timer.ts'
import { missing, proxyPassword, proxyUser, squid, tinyproxy } from '../support/proxies.ts'
import { closedPort, httpServer, httpsServer, tcpServer } from '../support/servers.ts'

const authority = createAuthority()
const credentials = authority.issue({ altName: 'IP:127.0.0.1,DNS:localhost' })

type Change = Partial<Job> & { io?: Partial<IoOptions> & { clock?: TimerClock } }

/** The whole way of a job, so that what is scrubbed is scrubbed. */
const run = async ({ io = {}, ...job }: Change) =>
  runJob(urlJob('', job), agentIo({ extraCaCerts: authority.pem, ...io }), new AbortController())

const observe = async (url: string, proxyUrl: string, change: Change = {}): Promise<Observation> => {
  const { outcome } = await run({ spec: urlSpec(url), proxyUrl, ...change })
  if (outcome.kind !== 'observed') throw new Error(JSON.stringify(outcome))
  return outcome.observation
}

const detailOf = ({ detail }: Observation): HttpCheckResult => detail as HttpCheckResult

const tcpJob = (port: number, request: object = {}, hostname = '127.0.0.1'): Partial<Job> => ({
  checkType: 'TCP',
  spec: {
    request: { hostname, port, data: null, ipFamily: 'IPv4', assertions: [], ...request },
    shouldFail: false,
  },
})

/** Every proxy that works makes this work. */
const forwards = async (t: Test, proxyUrl: string): Promise<void> => {
  await t.test('an http address is asked of the proxy as a whole', async (t) => {
    const seen: string[] = []
    const server = await httpServer(t, ({ headers, url }, response) => {
      seen.push(`${url} ${headers['proxy-authorization'] ?? 'no credentials'}`)
      response.end('hello')
    })
    const observation = await observe(`${server.origin}/a?b=c`, proxyUrl)
    t.equal(observation.failure, null)
    t.same(seen, ['/a?b=c no credentials'], "the proxy's credentials stay with it")
    const { response } = detailOf(observation)
    t.match(response, { status: 200, body: 'hello', remoteAddress: null, certificate: null })
    const { dns, tcp, tls, firstByte } = response?.timingPhases ?? {}
    for (const phase of [dns, tcp, firstByte]) t.type(phase, 'number')
    t.equal(tls, null)
  })
  await t.test('an https address is reached through a tunnel, and TLS is with the target', async (t) => {
    const server = await httpsServer(t, credentials, (_, response) => response.end('hello'))
    const observation = await observe(`https://localhost:${server.port}/`, proxyUrl)
    t.equal(observation.failure, null)
    const { response } = detailOf(observation)
    t.match(response, { status: 200, certificate: { subject: 'CN=leaf, O=Test' } })
    t.ok((response?.timingPhases.tls ?? 0) > 0)
  })
  await t.test('redirects go through it too', async (t) => {
    const secure = await httpsServer(t, credentials, (_, response) => response.end('there'))
    const server = await httpServer(t, (_, response) =>
      response.writeHead(302, { location: `${secure.origin}/` }).end(),
    )
    const { response } = detailOf(await observe(server.origin, proxyUrl))
    t.match(response, { status: 200, body: 'there', redirects: [{ status: 302 }] })
  })
  await t.test('a TCP check talks through a tunnel, also to who speaks first', async (t) => {
    const server = await tcpServer(t, (socket) => {
      socket.write('220 ready\r\n')
      socket.once('data', (data) => socket.end(`got ${data}`))
    })
    const assertions = [
      { source: 'RESPONSE_DATA', property: '', comparison: 'CONTAINS', target: 'got EHLO', regex: null },
    ]
    const observation = await observe('', proxyUrl, tcpJob(server.port, { data: 'EHLO', assertions }))
    t.equal(observation.failure, null)
    t.match(observation.assertions, [{ passed: true }])
    t.match(observation.detail, { response: { data: /^220 ready/ } })
  })
  await t.test('wrong credentials, and none, are the failure of the proxy', async (t) => {
    const server = await httpServer(t, (_, response) => response.end())
    const wrong = proxyUrl.replace(proxyPassword, 'wrongPassword')
    const without = proxyUrl.replace(/\/\/.*@/, '//')
    for (const url of [server.origin, `https://127.0.0.1:${server.port}/`])
      for (const proxy of [wrong, without]) {
        const { failure } = await observe(url, proxy)
        t.match(failure, {
          code: /^PROXY_(AUTHENTICATION_REQUIRED|REFUSED)$/,
          message: /proxy of this location/,
          network: false,
        })
      }
    t.equal(server.connections(), 0)
  })
  await t.test('a target that refuses the proxy is said to have been asked for by it', async (t) => {
    const port = await closedPort()
    const { failure } = await observe(`https://127.0.0.1:${port}/`, proxyUrl)
    t.match(failure, { code: 'PROXY_REFUSED', network: true })
    t.match(failure?.message, new RegExp(`did not connect to 127.0.0.1:${port}: it answered 50[0-9]`))
  })
}

t.test('tinyproxy', { skip: missing('tinyproxy') }, async (t) => {
  const { url } = await tinyproxy(t)
  await forwards(t, url)
})

t.test('squid', { skip: missing('squid') }, async (t) => {
  const { url } = await squid(t)
  await forwards(t, url)
  await t.test('an error page of its own is no answer of the target', async (t) => {
    const { failure } = await observe(`http://127.0.0.1:${await closedPort()}/`, url)
    t.match(failure, { code: 'PROXY_REFUSED', message: /503 .*ERR_CONNECT_FAIL/, network: true })
  })
})

t.test('a proxy that speaks TLS itself', { skip: missing('squid') }, async (t) => {
  const { url } = await squid(t, { tls: credentials })
  await forwards(t, url)
  await t.test('has to be trusted, whatever the check says of its target', async (t) => {
    const spec = urlSpec('https://127.0.0.1:1/', { skipSSL: true })
    const { failure } = await observe('', url, { spec, io: { extraCaCerts: null } })
    t.match(failure, {
      code: 'PROXY_UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      message: /^The proxy of this location/,
    })
  })
})

t.test('proxies that misbehave are told from targets that do', async (t) => {
  const target = 'https://target.example/'
  const through = async (proxy: { port: number }, url = target, change: Change = {}) =>
    (await observe(url, `http://127.0.0.1:${proxy.port}`, change)).failure
  t.match(await through({ port: await closedPort() }), {
    code: 'PROXY_ECONNREFUSED',
    message: /^The proxy of this location cannot be used: 127.0.0.1:\d+ refused the connection/,
    network: true,
  })
  const answers = async (text: string) =>
    through(await tcpServer(t, (socket) => socket.once('data', () => socket.end(text))))
  t.match(await answers('SSH-2.0-OpenSSH\r\n\r\n'), { code: 'PROXY_MALFORMED_ANSWER' })
  t.match(await answers('HTTP/1.1 403 Forbidden\r\n\r\n'), {
    code: 'PROXY_REFUSED',
    message: /did not connect to target\.example:443: it answered 403 Forbidden$/,
    network: false,
  })
  t.match(await answers(`HTTP/1.1 200 ${'x'.repeat(40_000)}`), { code: 'PROXY_MALFORMED_ANSWER' })
  t.match(await answers('HTTP/1.1 2'), { code: 'PROXY_ECONNRESET', message: /instead of opening one/ })
  const limit = heldTimer(300)
  const silent = await tcpServer(t, (socket) => socket.once('data', limit.passSoon))
  t.match(await through(silent, target, { deadlineMs: 300, io: { clock: limit.clock } }), {
    code: 'PROXY_TIMEOUT',
    message: /^The proxy 127.0.0.1:\d+ had not connected to target.example:443 when the limit of 0.3 s/,
  })
  t.match(await answers('HTTP/1.1 200 OK\r\n\r\nnot TLS at all'), {
    code: /^ERR_SSL/,
    message: /TLS handshake with target.example:443 through the proxy 127.0.0.1:\d+/,
  })
  const cut = await tcpServer(t, (socket) => socket.once('data', () => socket.destroy()))
  t.match(await through(cut, 'http://target.example/'), {
    code: 'ECONNRESET',
    message: /^target.example:80 through the proxy 127.0.0.1:\d+ closed the connection without an answer/,
  })
  const marked = await httpServer(t, (_, response) =>
    response.writeHead(502, { 'proxy-status': 'edge; error=dns_error; rcode=NXDOMAIN' }).end(),
  )
  t.match(await through(marked, 'http://target.example/'), { code: 'PROXY_REFUSED', message: /dns_error/ })
})

t.test('a proxy that nobody can reach is no machine of ours that lacks something', async (t) => {
  const { failure } = await observe('http://target.example/', 'http://proxy.invalid:3128')
  t.match(failure, { code: /^PROXY_(ENOTFOUND|EAI_AGAIN|TIMEOUT)$/, message: /proxy\.invalid/ })
})

t.test('the policy on networks holds for the proxy, and for targets as far as they are known', async (t) => {
  const proxy = await tcpServer(t, (socket) => socket.end('HTTP/1.1 502 Bad\r\n\r\n'))
  const through = async (url: string, io: Partial<IoOptions>) =>
    (await observe(url, `http://127.0.0.1:${proxy.port}`, { io })).failure
  t.match(await through('https://target.example/', { blockedNetworks: ['127.0.0.0/8'] }), {
    code: 'PROXY_BLOCKED_BY_POLICY',
    network: false,
  })
  const names = [
    ...['169.254.169.254', '0xa9.0xfe.0xa9.0xfe', '2852039166', '0251.0376.0251.0376', '169.254.43518'],
    ...['[::ffff:169.254.169.254]', '[64:ff9b::a9fe:a9fe]', '169.254.169.254.', '１６９.254.169.254'],
    ...['metadata.google.internal', 'METADATA.google.internal.', '[fd00:ec2::254]', '100.100.100.200'],
  ]
  for (const name of names)
    for (const scheme of ['http', 'https'])
      t.match(await through(`${scheme}://${name}/latest`, {}), { code: 'BLOCKED_BY_POLICY' }, name)
  for (const hostname of ['169.254.169.254', '0xa9fea9fe', 'metadata.google.internal'])
    t.match(
      (await observe('', `http://127.0.0.1:${proxy.port}`, tcpJob(80, {}, hostname))).failure,
      { code: 'BLOCKED_BY_POLICY' },
      hostname,
    )
  const redirecting = await httpServer(t, (_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  )
  t.match(
    (await observe('http://target.example/', `http://127.0.0.1:${redirecting.port}`)).failure,
    { code: 'BLOCKED_BY_POLICY', message: /metadata service/ },
    'a redirect is judged as well',
  )
  t.equal(proxy.connections(), 0)
})

t.test("no byte of the proxy's password is in what is reported", async (t) => {
  const canaries = createCanaries()
  const password = canaries.plant('password')
  canaries.add('user and password', `${proxyUser}:${password}`)
  const echo = await httpServer(t, ({ headers }, response) => response.end(JSON.stringify(headers)))
  const proxyUrl = `http://${proxyUser}:${password}@127.0.0.1:${echo.port}`
  for (const job of [{ spec: urlSpec('http://target.example/') }, { spec: urlSpec('https://a.example/') }]) {
    const ran = await run({ ...job, proxyUrl })
    t.equal(ran.outcome.kind, 'observed')
    t.same(canaries.find(Buffer.from(JSON.stringify(ran))), [])
  }
})

t.test('an address of a proxy that says nothing is our fault and not the target’s', async (t) => {
  const unset = await run({ spec: urlSpec('http://a.example/'), proxyUrl: 'http://{{PROXY_HOST}}:1' })
  t.match(unset.outcome, { kind: 'could-not-run', reason: /variable that is not set: PROXY_HOST/ })
  const wrong = await run({ spec: urlSpec('http://a.example/'), proxyUrl: 'socks5://u:secret@a:1' })
  t.match(wrong.outcome, { kind: 'could-not-run', reason: /not an http or https address/ })
  t.notMatch(JSON.stringify(wrong), /secret/)
})

t.test('a run that is over leaves no connection to the proxy', async (t) => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const limit = heldTimer(200)
  const proxy = await tcpServer(t, (socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.once('data', limit.passSoon)
      socket.once('close', () => resolve())
    })
  })
  const { failure } = await observe('https://target.example/', `http://127.0.0.1:${proxy.port}`, {
    deadlineMs: 200,
    io: { clock: limit.clock },
  })
  t.match(failure, { code: 'TIMEOUT', message: /TLS handshake/ })
  await closed
})
