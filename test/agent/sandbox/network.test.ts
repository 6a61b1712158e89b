// Runs in test:all only: it starts a process for each of many hostile scripts.
/** What the requests of scripts have of the agent's and the location's settings: name servers, authorities, proxy, policy. */
import type { IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { runJob } from '../../../agent/jobs/run-job.ts'
import type { IoOptions } from '../../../agent/program/real-io.ts'
import { agentIo } from '../../support/agent-io.ts'
import { apiRequest } from '../../support/api-request.ts'
import { createAuthority } from '../../support/certificates.ts'
import { urlJob } from '../../support/fake-control-plane.ts'
import { address, nameServer } from '../../support/name-server.ts'
import { missing, tinyproxy } from '../../support/proxies.ts'
import { runScriptWith } from '../../support/scripts.ts'
import { httpServer, httpsServer } from '../../support/servers.ts'

const authority = createAuthority()
const credentials = authority.issue({ altName: 'DNS:localhost,DNS:api.example' })
const runWith = (options: Partial<IoOptions>) => runScriptWith(agentIo({ isolated: true, ...options }))
const skip = missing('tinyproxy')

t.test('names are asked of DNS_SERVERS, whichever way a script asks', async (t) => {
  const asked = new Set<string>()
  const { port } = await nameServer(t, ({ packet, answer, send }) => {
    const [{ name, type } = { name: '', type: 'A' }] = packet.questions ?? []
    asked.add(`${name} ${type}`)
    send(answer(type === 'A' && name === 'api.example' ? [address(name, '127.0.0.1')] : []))
  })
  const target = await httpServer(t, ({ url }, response) => response.end(`body of ${url}`))
  const run = runWith({ dnsServers: [`127.0.0.1:${port}`] })
  const { problem, lines } = await run(`const dns = require('dns')
const base = 'http://api.example:${target.port}'
console.log(await (await fetch(base + '/fetch')).text())
await new Promise((done, fail) => require('http').get(base + '/http', done).on('error', fail))
console.log(JSON.stringify([await dns.promises.lookup('api.example'), await dns.promises.lookup('api.example', { all: true })]))
dns.lookup('api.example', 4, (error, found, family) => console.log('callback', found, family))
console.log(await dns.promises.resolve4('api.example'), await new dns.promises.Resolver().resolve4('api.example'))
await dns.promises.lookup('api.example', { family: 6 }).catch(({ code, message }) => console.log(code, message))
console.log((await dns.promises.lookup('::1')).family)
try { new dns.Resolver().setServers(['127.0.0.1']) } catch ({ message }) { console.log(message) }`)
  t.equal(problem, null)
  const found = '{"address":"127.0.0.1","family":4}'
  t.same(lines, [
    'INFO body of /fetch',
    `INFO [${found},[${found}]]`,
    'INFO callback 127.0.0.1 4',
    "INFO [ '127.0.0.1' ] [ '127.0.0.1' ]",
    'INFO ENOTFOUND getaddrinfo ENOTFOUND api.example',
    'INFO 6',
    'INFO Scripts cannot choose name servers',
  ])
  t.same([...asked].sort(), ['api.example A', 'api.example AAAA'])
})

t.test('EXTRA_CA_CERTS are trusted by scripts', async (t) => {
  const { port } = await httpsServer(t, credentials, (_, response) => response.end('secure'))
  const code = `console.log(await (await fetch('https://localhost:${port}/')).text())`
  t.same((await runWith({ extraCaCerts: authority.pem })(code)).lines, ['INFO secure'])
  t.match((await runWith({})(code)).problem, /fetch failed/)
})

/** A target over http and one over https, which say what they were asked. */
const targets = async (t: Test) => {
  const seen: string[] = []
  const note = ({ url }: IncomingMessage): number => seen.push(String(url))
  const plain = await httpServer(t, (request, response) => {
    note(request)
    response.writeHead(302, { location: 'http://169.254.169.254/latest' })
    response.end('hello')
  })
  const secure = await httpsServer(t, credentials, (request, response) => {
    note(request)
    response.end('secure')
  })
  return { plain: plain.origin, secure: `https://localhost:${secure.port}`, seen }
}

t.test('the proxy of a location carries what scripts ask over http and https', { skip }, async (t) => {
  const proxy = await tinyproxy(t)
  const { plain, secure, seen } = await targets(t)
  const run = runWith({ extraCaCerts: authority.pem })
  const code = `const http = require('http')
const get = (url, options) => new Promise((done, fail) => http.get(url, options, done).on('error', fail))
await fetch('${plain}/fetch', { redirect: 'manual' })
await get('${plain}/http', {})
await get('${plain}/agent', { agent: new http.Agent({ keepAlive: true }) })
console.log(await (await fetch('${secure}/tunnel')).text(), Object.keys(process.env))
await new Promise((done, fail) => require('https').get('${secure}/https', done).on('error', fail))`
  const { problem, lines } = await run(code, { proxyUrl: proxy.url })
  t.equal(problem, null)
  t.same(lines, ['INFO secure []'])
  t.same(seen, ['/fetch', '/http', '/agent', '/tunnel', '/https'])
  for (const path of ['/fetch', '/http', '/agent']) t.match(proxy.output(), `${plain}${path}`)
  t.equal(proxy.output().match(/CONNECT localhost:/g)?.length, 2)
  const refused = await run(code, { proxyUrl: proxy.url.replace('open3sesame', 'wrong') })
  t.not(refused.problem, null, 'there is no other way than the proxy')
  t.equal(seen.length, 5)
})

t.test('the policy on networks holds for targets behind the proxy', { skip }, async (t) => {
  const proxy = await tinyproxy(t)
  const { plain, seen } = await targets(t)
  const run = runWith({ blockedNetworks: ['10.0.0.0/8'] })
  const attempts = [
    `await fetch('http://10.1.2.3/')`,
    `await fetch('http://0xa.1.2.3/')`,
    `await fetch('https://[::ffff:10.1.2.3]/')`,
    `await new Promise((done, fail) => require('http').get({ host: '0xa.1.2.3' }, done).on('error', fail))`,
    `await new Promise((done, fail) => require('https').get('https://10.1.2.3/', done).on('error', fail))`,
    `await fetch('http://metadata.google.internal/')`,
    `await fetch('${plain}/redirect')`,
  ]
  for (const code of attempts) {
    const { problem, lines } = await run(code, { proxyUrl: proxy.url })
    t.not(problem, null, code)
    t.match(lines.join(), /(10\.1\.2\.3|a01:203|169\.254\.169\.254) may not be reached/, code)
  }
  t.same(seen, ['/redirect'])
  t.notMatch(proxy.output(), /10\.1\.2\.3|169\.254|metadata/)
})

t.test('scripts of a job go through the proxy of its location', { skip }, async (t) => {
  const proxy = await tinyproxy(t)
  const { secure, seen } = await targets(t)
  const scripts = [{ name: 'the setup script', code: `await fetch('${secure}/setup')` }]
  const job = urlJob('', {
    checkType: 'API',
    runtimeId: '2026.04',
    proxyUrl: proxy.url,
    spec: {
      request: apiRequest(`${secure}/check`),
      shouldFail: false,
      setupScripts: scripts,
      tearDownScripts: [],
    },
  })
  const { outcome } = await runJob(job, agentIo({ extraCaCerts: authority.pem }), new AbortController())
  t.match(outcome, { kind: 'observed', observation: { failure: null } })
  t.same(seen, ['/setup', '/check'])
  t.equal(proxy.output().match(/CONNECT localhost:/g)?.length, 2)
})

t.test(
  'records of every kind are asked for at the egress proxy, and come as the resolvers of Node give them',
  async (t) => {
    const soa = {
      mname: 'ns.example',
      rname: 'a.example',
      serial: 1,
      refresh: 2,
      retry: 3,
      expire: 4,
      minimum: 5,
    }
    const records: Record<string, unknown> = {
      ...{ TXT: ['v=spf1 ', '-all'], MX: { preference: 10, exchange: 'mx.example' }, CNAME: 'b.example' },
      ...{ NS: 'ns.example', SRV: { priority: 1, weight: 2, port: 443, target: 's.example' }, SOA: soa },
      ...{
        CAA: { flags: 0, tag: 'issue', value: 'ca.example; a="é\\"' },
        PTR: 'host.example',
        A: '192.0.2.1',
      },
    }
    const asked: string[] = []
    const { port } = await nameServer(t, ({ packet, answer, send }) => {
      const [{ name, type } = { name: '', type: 'A' }] = packet.questions ?? []
      asked.push(`${name} ${type}`)
      if (name === 'no.example') return send(answer([], { rcode: 3 }))
      const data = name === 'empty.example' ? undefined : records[type]
      send(answer(data === undefined ? [] : [{ name, type, ttl: 60, class: 'IN', data } as never]))
    })
    const code = `const dns = require('dns')
const { promises } = dns
const ask = async (name, ...args) => console.log(JSON.stringify(await promises[name](...args).catch(({ code, message }) => [code, message])))
for (const name of ['Txt', 'Mx', 'Cname', 'Ns', 'Srv', 'Soa', 'Caa']) await ask('resolve' + name, 'a.example')
await ask('resolve4', 'a.example', { ttl: true })
await ask('resolve', 'a.example', 'MX')
await ask('reverse', '192.0.2.7')
await ask('reverse', '2001:db8::7')
await ask('resolveTxt', 'no.example')
await ask('resolve4', 'empty.example')
await ask('resolveAny', 'a.example')
await new Promise((done) => new dns.Resolver().resolveTxt('a.example', (error, found) => done(console.log(error, found))))
await new Promise((done) => dns.resolve('a.example', (error, found) => done(console.log(error, found))))`
    const { problem, lines } = await runWith({ dnsServers: [`127.0.0.1:${port}`] })(code)
    t.equal(problem, null)
    t.same(
      lines.map((line) => line.replace('INFO ', '')),
      [
        '[["v=spf1 -all"]]',
        '[{"exchange":"mx.example","priority":10}]',
        '["b.example"]',
        '["ns.example"]',
        '[{"name":"s.example","port":443,"priority":1,"weight":2}]',
        '{"nsname":"ns.example","hostmaster":"a.example","serial":1,"refresh":2,"retry":3,"expire":4,"minttl":5}',
        JSON.stringify([{ critical: 0, issue: 'ca.example; a="é\\"' }]),
        '[{"address":"192.0.2.1","ttl":60}]',
        '[{"exchange":"mx.example","priority":10}]',
        '["host.example"]',
        '["host.example"]',
        '["ENOTFOUND","queryTxt ENOTFOUND no.example"]',
        '["ENODATA","queryA ENODATA empty.example"]',
        '["ENODATA","queryAny ENODATA a.example"]',
        "null [ [ 'v=spf1 -all' ] ]",
        "null [ '192.0.2.1' ]",
      ],
    )
    t.ok(asked.includes('7.2.0.192.in-addr.arpa PTR'))
    t.ok(asked.includes(`7.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa PTR`))
  },
)

t.test('everything else than http goes through the proxy of a location, too', { skip }, async (t) => {
  const proxy = await tinyproxy(t)
  const { port } = await httpsServer(t, credentials, (_, response) => response.end('secure'))
  const { problem, lines } = await runWith({ extraCaCerts: authority.pem })(
    `const socket = require('tls').connect({ port: ${port}, host: 'localhost', servername: 'localhost' })
await new Promise((done, fail) => socket.on('secureConnect', done).on('error', fail))
console.log(socket.authorized, socket.getPeerX509Certificate().checkHost('api.example'))`,
    { proxyUrl: proxy.url },
  )
  t.equal(problem, null)
  t.same(lines, ['INFO true api.example'])
  t.match(proxy.output(), `CONNECT localhost:${port}`)
})

t.test('a script has nothing of the credentials of a proxy that it goes through', { skip }, async (t) => {
  const proxy = await tinyproxy(t)
  const seen: unknown[] = []
  const { origin } = await httpServer(t, ({ headers }, response) => {
    seen.push(headers['proxy-authorization'])
    response.end('plain')
  })
  const { problem, lines } = await runWith({})(
    `const http = require('http')
console.log(await (await fetch('${origin}')).text(), require('util').inspect([globalThis, http.globalAgent, process], { depth: 8, showHidden: true }).includes('open3sesame'))`,
    { proxyUrl: proxy.url },
  )
  t.equal(problem, null)
  t.same(lines, ['INFO plain false'])
  t.same(seen, [undefined])
  t.match(proxy.output(), origin)
})
