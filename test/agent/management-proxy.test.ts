/** The agent's way to its control plane: through the operator's proxy, with the operator's authorities. */

import { lookup } from 'node:dns/promises'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createDispatcher } from '../../agent/program/dispatcher.ts'
import { type Credentials, createAuthority } from '../support/certificates.ts'
import { fakeControlPlane, urlJob } from '../support/fake-control-plane.ts'
import { endsWith, startProgram } from '../support/programs.ts'
import { missing, proxyPassword, squid, tinyproxy } from '../support/proxies.ts'
import { closedPort, httpServer, httpsServer } from '../support/servers.ts'
import { type TestAgent, temporaryFolder, testAgent, testApiKey } from '../support/test-agent.ts'

const authority = createAuthority()
const credentials = authority.issue({ altName: 'IP:127.0.0.1' })

const startPlane = (t: Test, tls: Credentials | null = null) => {
  const start = performance.now()
  const serverTime = () => Math.floor(1_800_000_000_000 + performance.now() - start)
  return fakeControlPlane(t, { serverTime, apiKey: testApiKey, ...(tls === null ? {} : { tls }) })
}

const fileOf = (t: Test, text: string): string => {
  const path = join(temporaryFolder(t), 'file')
  writeFileSync(path, text)
  return path
}
const pemFile = (t: Test): string => fileOf(t, authority.pem)

/** A whole run: claimed, run and reported by way of the proxy; the check itself goes straight to its target. */
const works = async (t: Test, env: Record<string, string>, tls: Credentials | null = null) => {
  const plane = await startPlane(t, tls)
  const target = await httpServer(t, (_, response) => response.end())
  const agent = await testAgent(t, plane.origin, env)
  plane.offer(urlJob(target.origin))
  await plane.until(() => plane.reports.length > 0)
  t.match(plane.reports[0]?.outcome, { kind: 'observed', observation: { failure: null } })
  t.match(agent.lines.join('\n'), /^connected to the control plane/m)
  t.notMatch(agent.lines.join('\n'), proxyPassword)
  await agent.stop()
  return new URL(plane.origin).host
}

/** The first line about the control plane; the loop goes on by itself. */
const complaint = async ({ lines }: TestAgent): Promise<string> => {
  for (;;) {
    const line = lines.find((one) => one.includes('control plane'))
    if (line !== undefined) return line
    await new Promise(setImmediate)
  }
}

for (const [name, start] of [
  ['tinyproxy', tinyproxy],
  ['squid', squid],
] as const)
  t.test(`management traffic goes through ${name}`, { skip: missing(name) }, async (t) => {
    const { url } = await start(t)
    await t.test('to an http control plane', (t) => works(t, { HTTP_PROXY: url }).then(() => undefined))
    await t.test('to an https control plane, through a tunnel', async (t) => {
      await works(t, { HTTPS_PROXY: url, EXTRA_CA_CERTS: pemFile(t) }, credentials)
    })
    await t.test('whose password stands in a file, and in no variable', async (t) => {
      const HTTP_PROXY_FILE = fileOf(t, `${url}\n`)
      await works(t, { HTTP_PROXY_FILE })
    })
  })

t.test(
  'a proxy that allows tunnels to port 443 only forwards to an http control plane',
  { skip: missing('tinyproxy') },
  async (t) => {
    const proxy = await tinyproxy(t, { connectPorts: [443] })
    const host = await works(t, { HTTP_PROXY: proxy.url })
    t.match(proxy.output(), `POST http://${host}/agent/v1/claim`)
  },
)

t.test(
  'a proxy that speaks TLS is trusted by the same authorities',
  { skip: missing('squid') },
  async (t) => {
    const { url } = await squid(t, { tls: credentials })
    await works(t, { HTTPS_PROXY: url, EXTRA_CA_CERTS: pemFile(t) }, credentials)
  },
)

t.test(
  'wrong credentials are told in the log, without the right ones',
  { skip: missing('tinyproxy') },
  async (t) => {
    const { url } = await tinyproxy(t)
    const plane = await startPlane(t)
    const HTTP_PROXY = url.replace(proxyPassword, 'wrongPassword')
    const agent = await testAgent(t, plane.origin, { HTTP_PROXY })
    t.match(await complaint(agent), /answered 40[17]|refused|cannot be reached/)
    t.equal(plane.claims.length, 0)
    t.notMatch(agent.lines.join('\n'), 'wrongPassword')
  },
)

t.test('NO_PROXY, or the other scheme, leads past the proxy', async (t) => {
  const dead = `http://127.0.0.1:${await closedPort()}`
  for (const NO_PROXY of ['127.0.0.1', '127.0.0.0/8', '*']) await works(t, { HTTP_PROXY: dead, NO_PROXY })
  await works(t, { HTTPS_PROXY: dead })
})

t.test('EXTRA_CA_CERTS', async (t) => {
  await t.test('is trusted for the control plane and for checks', async (t) => {
    const plane = await startPlane(t, credentials)
    const target = await httpsServer(t, credentials, (_, response) => response.end())
    const agent = await testAgent(t, plane.origin, { EXTRA_CA_CERTS: pemFile(t) })
    plane.offer(urlJob(target.origin))
    await plane.until(() => plane.reports.length > 0)
    t.match(plane.reports[0]?.outcome, { kind: 'observed', observation: { failure: null } })
    await agent.stop()
  })
  await t.test('without it neither is', async (t) => {
    const plane = await startPlane(t, credentials)
    const agent = await testAgent(t, plane.origin)
    t.match(await complaint(agent), /cannot be reached .*(certificate|issuer|verify)/)
    t.equal(plane.claims.length, 0)
  })
  await t.test('may hold several, in any order', async (t) => {
    const several = `# comment\n${createAuthority().pem}\n${authority.pem}`
    await works(t, { EXTRA_CA_CERTS: fileOf(t, several) }, credentials)
  })
  for (const [kind, text, problem] of [
    ['no certificate', 'hello', /EXTRA_CA_CERTS must name a file of PEM certificates: it holds none/],
    [
      'a damaged one',
      `${authority.pem}\n${authority.pem.replace(/^MII/m, 'AAA')}`,
      /: number 2 in it is none/,
    ],
    ['a key', credentials.key, /: number 1 in it is none/],
    ['nothing at all', null, /EXTRA_CA_CERTS names a file that cannot be read/],
  ] as const)
    await t.test(`with ${kind} the agent does not start, and says why`, async (t) => {
      const path = text === null ? '/nowhere.pem' : fileOf(t, text)
      const agent = endsWith(
        t,
        startProgram('agent/main.ts', {
          env: { CONTROL_PLANE_URL: 'http://127.0.0.1:1', API_KEY: testApiKey, EXTRA_CA_CERTS: path },
        }),
      )
      await agent.line(problem)
      t.notMatch(agent.output(), /BEGIN/)
    })
})

t.test('every address of the control plane is tried, of both families', async (t) => {
  // A machine may know one of them only.
  for (const { address } of await lookup('localhost', { all: true })) {
    const server = net.createServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')),
    )
    await new Promise<void>((resolve) => server.listen(0, address, resolve))
    t.teardown(() => new Promise((resolve) => server.close(resolve)))
    const origin = `http://localhost:${(server.address() as net.AddressInfo).port}`
    const proxy = { http: null, https: null, none: null }
    const dispatcher = createDispatcher({ controlPlaneUrl: origin, proxy, extraCaCerts: null })
    t.teardown(() => dispatcher.destroy())
    const { statusCode } = await dispatcher.request({ origin, path: '/', method: 'GET' })
    t.equal(statusCode, 200, address)
  }
})
