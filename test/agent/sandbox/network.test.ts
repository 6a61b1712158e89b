/** What the requests of scripts have of the agent's and the location's settings: name servers, authorities, proxy, policy. */
import type { IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import type { IoOptions } from '../../../agent/io.ts'
import { runJob } from '../../../agent/run-job.ts'
import { agentIo } from '../../support/agent-io.ts'
import { apiRequest } from '../../support/api-request.ts'
import { createAuthority } from '../../support/certificates.ts'
import { urlJob } from '../../support/fake-control-plane.ts'
import { address, nameServer } from '../../support/name-server.ts'
import { missing, tinyproxy } from '../../support/proxies.ts'
import { runScriptWith } from '../../support/scripts.ts'
import { httpServer, httpsServer } from '../../support/servers.ts'

t.setTimeout(120_000)

const authority = createAuthority()
const credentials = authority.issue({ altName: 'DNS:localhost,DNS:api.example' })
const runWith = (options: Partial<IoOptions>) => runScriptWith(agentIo(options))
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
