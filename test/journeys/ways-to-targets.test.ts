// Runs in test:all only: it starts both programs again and again.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import { callApi } from '../support/api.ts'
import { createAuthority } from '../support/certificates.ts'
import { firstResult } from '../support/first-result.ts'
import { endsWith, listening, scratchFolder, spawnAgent, spawnControlPlane } from '../support/programs.ts'
import { missing, proxyPassword, proxyUser, tinyproxy } from '../support/proxies.ts'
import { answering, httpServer, httpsServer } from '../support/servers.ts'

const servers = createAuthority()
const clients = createAuthority()
const credentials = servers.issue({ altName: 'DNS:localhost' })
const client = clients.issue({ altName: 'DNS:client' })
/** Lines of the key alone, which nobody may find anywhere. */
const keyLines = client.key.split('\n').filter((line) => line.length > 40)

type Room = { env?: Record<string, string>; proxyUrl?: string; variables?: object[] }

const dataDir = `${await scratchFolder(t)}/data`
const { url } = await listening(endsWith(t, spawnControlPlane({ dataDir })))

/** An agent in a private location of its own that was made through the API, under a word of its own. */
const started = async (t: Test, slugName: string, { env = {}, proxyUrl, variables = [] }: Room) => {
  const folder = await scratchFolder(t)
  const post = async (path: string, body: object) =>
    (await callApi<{ id: string; rawKey: string }>(url, path, { method: 'POST', body })).body
  for (const variable of variables) await post('/v1/variables', variable)
  const location = { name: 'A branch', slugName, ...(proxyUrl === undefined ? {} : { proxyUrl }) }
  const { id } = await post('/v1/private-locations', location)
  const { rawKey } = await post(`/v1/private-locations/${id}/keys`, {})
  const spoolDir = `${folder}/spool`
  const agent = endsWith(t, spawnAgent({ url, spoolDir, env: { API_KEY: rawKey, ...env }, browsers: false }))
  await agent.line(/connected to the control plane/)
  const first = (path: string, check: object) =>
    firstResult(t, url, path, { privateLocations: [slugName], ...check })
  return { spoolDir, post, agent, first }
}

const filesBelow = (folder: string): Buffer[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => fileIfThere(`${entry.parentPath}/${entry.name}`))

/** A running agent uploads what is in its spool, and removes it. */
const fileIfThere = (path: string): Buffer[] => {
  try {
    return [readFileSync(path)]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return []
  }
}

t.test('the proxy of a private location', { skip: missing('tinyproxy') }, async (t) => {
  const proxy = await tinyproxy(t)
  const { agent, first } = await started(t, 'branch', {
    proxyUrl: `http://${proxyUser}:{{PROXY_PASSWORD}}@127.0.0.1:${proxy.port}`,
    variables: [{ key: 'PROXY_PASSWORD', value: proxyPassword, secret: true }],
  })
  const site = await httpServer(t, (_, response) => response.end('hello'))
  const results = [
    await first('/v1/checks/url', { request: { url: `${site.origin}/` } }),
    await first('/v1/checks/api', { request: { method: 'GET', url: 'http://[::ffff:a9fe:a9fe]/' } }),
    await first('/v1/checks/tcp', {
      request: {
        hostname: 'localhost',
        port: (await answering(t, 'PONG\n')).port,
        data: 'PING\n',
        assertions: [{ source: 'RESPONSE_DATA', comparison: 'CONTAINS', target: 'PONG' }],
      },
    }),
  ]
  t.match(results, [
    { hasFailures: false, apiCheckResult: { response: { body: 'hello', remoteAddress: null } } },
    { hasFailures: true, hasErrors: false, error: /^\[::ffff:a9fe:a9fe\]:80 may not be reached: .*metadata/ },
    { hasFailures: false, tcpCheckResult: { response: { data: 'PONG\n' } } },
  ])
  t.match(proxy.output(), new RegExp(`127\\.0\\.0\\.1:${site.port}`), 'the proxy was asked for the target')
  t.notMatch(JSON.stringify(results) + agent.output(), proxyPassword)
})

t.test('a stored client certificate is shown to its host alone, and its key to nobody', async (t) => {
  const { spoolDir, post, first } = await started(t, 'shown', {})
  await post('/v1/client-certificates', {
    host: 'localhost',
    cert: client.cert,
    key: client.key,
    ca: servers.pem,
  })
  const asking = { ...credentials, requestCert: true, rejectUnauthorized: true, ca: clients.pem }
  const target = await httpsServer(t, asking, ({ socket }, response) =>
    response.end(`hello ${(socket as TLSSocket).getPeerCertificate().subject.CN}`),
  )
  const shown = await first('/v1/checks/api', {
    request: { method: 'GET', url: `https://localhost:${target.port}/` },
  })
  t.match(shown, { hasFailures: false, apiCheckResult: { response: { body: 'hello leaf' } } })
  const elsewhere = await first('/v1/checks/url', {
    request: { url: `https://127.0.0.1:${target.port}/`, skipSSL: true },
  })
  t.match(elsewhere, { hasFailures: true, error: /asks for a client certificate, and none was presented/ })
  const left = [
    ...filesBelow(dataDir),
    ...filesBelow(spoolDir),
    Buffer.from(JSON.stringify([shown, elsewhere])),
  ]
  const holds = (line: string): boolean => left.some((bytes) => bytes.includes(line))
  t.ok(holds(client.cert.split('\n')[1] ?? '-'), 'the certificate is no secret')
  for (const line of keyLines) t.notOk(holds(line), 'neither in the store nor in the spool')
})

t.test('an agent trusts EXTRA_CA_CERTS and keeps to its networks', async (t) => {
  const authority = `${await scratchFolder(t)}/authority.pem`
  writeFileSync(authority, servers.pem)
  const env = { EXTRA_CA_CERTS: authority, BLOCKED_NETWORKS: '127.0.0.2/32' }
  const { first } = await started(t, 'trusting', { env })
  const target = await httpsServer(t, credentials, ({ url: path }, response) => {
    if (path === '/away') response.writeHead(302, { location: `https://127.0.0.2:${target.port}/` })
    response.end('hello')
  })
  const home = `https://localhost:${target.port}`
  t.match(await first('/v1/checks/url', { request: { url: `${home}/` } }), {
    hasFailures: false,
    error: null,
  })
  t.match(await first('/v1/checks/url', { request: { url: `${home}/away` } }), {
    hasFailures: true,
    hasErrors: false,
    error:
      /^127\.0\.0\.2:\d+ may not be reached: the agent's BLOCKED_NETWORKS and ALLOWED_NETWORKS forbid it$/,
  })
})
