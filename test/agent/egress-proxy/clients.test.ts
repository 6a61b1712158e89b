// Runs in test:all only: it starts a process for each of many hostile scripts.
/** Whatever connects from a script's process goes through the egress proxy of its run, and gets what it would get anywhere. */
import t, { type Test } from 'tap'
import { createEgressProxies } from '../../../agent/egress-proxy/egress-proxy.ts'
import type { IoOptions } from '../../../agent/program/real-io.ts'
import { agentIo } from '../../support/agent-io.ts'
import { createAuthority } from '../../support/certificates.ts'
import { everyServer, runClients } from '../../support/egress-clients.ts'
import { address, nameServer } from '../../support/name-server.ts'
import { postgresUrl } from '../../support/postgres.ts'
import { missing, squid } from '../../support/proxies.ts'
import { closedPort } from '../../support/servers.ts'

const authority = createAuthority()
const credentials = authority.issue({ altName: 'DNS:target.example,DNS:localhost,IP:127.0.0.1,IP:::1' })

const openEgressProxy = async (t: Test, options: Partial<IoOptions>, proxyUrl?: string) => {
  const io = agentIo(options)
  const { route: egressRoute } = io.egressRoutes.of({
    id: 'a-run',
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  })
  const egressProxy = await createEgressProxies()()
  t.teardown(egressProxy.close)
  const said = new Set<string>()
  egressProxy.serve({ io: { ...io, egressRoute }, say: (_, msg) => said.add(msg) })
  return { egressProxyPort: egressProxy.port, said }
}

/** The names of this test, which no other name server knows. */
const names = async (t: Test): Promise<string> => {
  const { port } = await nameServer(t, ({ packet, answer, send }) => {
    const [{ name, type } = { name: '', type: 'A' }] = packet.questions ?? []
    const known: Record<string, string> = {
      'target.example A': '127.0.0.1',
      'refused.example A': '127.0.0.2',
    }
    const found = known[`${name} ${type}`]
    if (found !== undefined) send(answer([address(name, found)]))
    else if (`${name} ${type}` === 'six.example AAAA')
      send(answer([{ ...address(name, '::1'), type: 'AAAA' } as never]))
    else send(answer([], { rcode: name === 'unknown.example' ? 3 : 0 }))
  })
  return `127.0.0.1:${port}`
}

const expected = {
  fetch: 'plain',
  'fetch TLS': 'secure',
  'http.get': 'plain',
  'http.get, own agent': 'plain',
  'http.get, no agent': 'plain',
  'https.get': 'secure',
  'https.get, own agent': 'secure',
  undici: 'plain',
  'undici TLS': 'secure',
  'http2 in clear': 'second',
  http2: 'second',
  'net.connect': 'before after',
  'net.Socket': 'before after',
  'net.connect, IPv4 wanted': 'before after',
  'a server that speaks first': 'I speak first',
  'a socket that is read later': 'I speak first',
  'tls.connect': 'true target.example',
  'tls.connect, in three arguments': 'true target.example',
  WebSocket: 'echo of hello',
  'WebSocket TLS': 'echo of hello',
  ws: 'echo of hello',
  'ws TLS': 'echo of hello',
  'dns.lookup': '127.0.0.1',
  nodemailer: 'b@b.example',
  pg: '42',
  'a worker': 'plain',
  'a child process': 'plain',
}

const postgresOf = async () => {
  const { port, username, pathname } = new URL(await postgresUrl())
  return { port: Number(port), user: username, database: pathname.slice(1) || 'postgres' }
}

t.test('every client reaches its target by a name that only the agent can resolve', async (t) => {
  const { ports, names: asked } = await everyServer(t, credentials)
  const { egressProxyPort, said } = await openEgressProxy(t, { dnsServers: [await names(t)] })
  const task = { host: 'target.example', ...ports, postgres: await postgresOf() }
  t.same(await runClients(t, { egressProxyPort, task, authority: authority.pem }), expected)
  t.same([...asked], ['target.example'], 'with its name in the handshake')
  t.same([...said], [])
})

t.test('every client reaches IPv6, by a name and by an address', async (t) => {
  const { ports } = await everyServer(t, credentials)
  const { egressProxyPort } = await openEgressProxy(t, { dnsServers: [await names(t)] })
  for (const host of ['::1', 'six.example']) {
    const task = { host, ...ports, postgres: null }
    const results = await runClients(t, { egressProxyPort, task, authority: authority.pem })
    const named = host === '::1' ? {} : ofOtherName
    t.same(results, { ...expected, ...named, pg: 'skipped', 'dns.lookup': '::1', ...ipv4Wanted(host) })
  }
})

/** The certificate is not for it. */
const ofOtherName = {
  ...Object.fromEntries(
    ['fetch TLS', 'https.get', 'https.get, own agent', 'undici TLS', 'http2', 'ws TLS'].map((client) => [
      client,
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ]),
  ),
  ...{ 'WebSocket TLS': 'failed', nodemailer: 'ESOCKET' },
}

const ipv4Wanted = (host: string) => (host === '::1' ? {} : { 'net.connect, IPv4 wanted': 'ENOTFOUND' })

t.test('what may not be reached is refused to every client, with the reason in the log', async (t) => {
  const { ports } = await everyServer(t, credentials)
  const { egressProxyPort, said } = await openEgressProxy(t, {
    dnsServers: [await names(t)],
    blockedNetworks: ['127.0.0.2'],
  })
  for (const host of ['127.0.0.2', '169.254.169.254', 'refused.example']) {
    const task = { host, ...ports, postgres: { port: 5432, user: 'a', database: 'a' } }
    const results = await runClients(t, { egressProxyPort, task, authority: authority.pem })
    const { 'dns.lookup': found, ...rest } = results
    t.equal(found, host === 'refused.example' ? '127.0.0.2' : host)
    t.same(rest, allFailWith('EACCES', rest), host)
  }
  t.same([...said].sort(), [
    "127.0.0.2 may not be reached: the agent's BLOCKED_NETWORKS and ALLOWED_NETWORKS forbid it",
    "169.254.169.254 may not be reached: it belongs to the metadata service of the agent's machine, and ALLOWED_NETWORKS does not name it",
  ])
})

/** They have words of their own for whatever it was. */
const wordsOf: Record<string, string> = {
  'WebSocket TLS': 'failed',
  WebSocket: 'failed',
  nodemailer: 'ESOCKET',
}

const allFailWith = (code: string, results: Record<string, string>) =>
  Object.fromEntries(Object.entries(results).map(([client]) => [client, wordsOf[client] ?? code]))

t.test(
  'a name that nobody knows and a port that nobody has fail as they do without a egress proxy',
  async (t) => {
    const { egressProxyPort } = await openEgressProxy(t, { dnsServers: [await names(t)] })
    const { ports } = await everyServer(t, credentials)
    const postgres = { port: 5432, user: 'a', database: 'a' }
    const unknown = { host: 'unknown.example', ...ports, postgres }
    const results = await runClients(t, { egressProxyPort, task: unknown, authority: authority.pem })
    t.same(results, { ...allFailWith('ENOTFOUND', results), nodemailer: 'EDNS' })
    const port = await closedPort()
    const closed = Object.fromEntries(Object.keys(ports).map((name) => [name, port])) as typeof ports
    const task = { host: '127.0.0.1', ...closed, postgres: { ...postgres, port } }
    const { 'dns.lookup': _, ...refused } = await runClients(t, {
      egressProxyPort,
      task,
      authority: authority.pem,
    })
    t.same(refused, allFailWith('ECONNREFUSED', refused))
  },
)

t.test("every client goes through the location's proxy", { skip: missing('squid') }, async (t) => {
  const proxy = await squid(t)
  const { ports } = await everyServer(t, credentials)
  const { egressProxyPort, said } = await openEgressProxy(t, {}, proxy.url)
  const task = { host: 'localhost', ...ports, postgres: await postgresOf() }
  const results = await runClients(t, { egressProxyPort, task, authority: authority.pem })
  t.same({ ...results, 'dns.lookup': '127.0.0.1' }, expected)
  t.same([...said], [])
  const wrong = await openEgressProxy(t, {}, proxy.url.replace('open3sesame', 'wrong'))
  const { 'dns.lookup': _, ...refused } = await runClients(t, {
    ...{ egressProxyPort: wrong.egressProxyPort, task, authority: authority.pem },
  })
  t.same(refused, allFailWith('PROXY_AUTHENTICATION_REQUIRED', refused), 'and there is no other way')
  t.match([...wrong.said], [/refused the credentials in its address \(status 407\)/])
})
