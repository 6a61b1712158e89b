/** Client certificates from the job to the handshake: whom they are shown to, and who never sees their key. */
import { createPrivateKey } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import { runJob } from '../../agent/jobs/run-job.ts'
import { sealForAgent } from '../../control-plane/monitoring/definitions/client-certificates/client-certificate.ts'
import type { HttpCheckResult } from '../../protocol/checks/http-result.ts'
import type { CertificateContent, Job } from '../../protocol/job.ts'
import type { Observation } from '../../protocol/result.ts'
import { agentIo } from '../support/agent-io.ts'
import { createCanaries } from '../support/canaries.ts'
import { createAuthority } from '../support/certificates.ts'
import { fakeControlPlane, urlJob, urlSpec } from '../support/fake-control-plane.ts'
import { missing, tinyproxy } from '../support/proxies.ts'
import { httpServer, httpsServer } from '../support/servers.ts'
import { temporaryFolder, testAgent, testApiKey } from '../support/test-agent.ts'

const servers = createAuthority()
const clients = createAuthority()
const credentials = servers.issue({ altName: 'IP:127.0.0.1,DNS:localhost' })
const client = clients.issue({ altName: 'DNS:client' })
const passphrase = 'correct horse battery'
const encryptedKey = createPrivateKey(client.key)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase })
  .toString()

const plain: CertificateContent = { cert: client.cert, ca: servers.pem, key: client.key, passphrase: null }
const io = agentIo()

const sealed = (
  host: string,
  content = plain,
  to = io.egressRoutes.sealTo,
): Pick<Job, 'id' | 'certificate'> => {
  const id = `job of ${host}`
  return { id, certificate: { host, sealed: sealForAgent(content, to, id) } }
}

const run = (url: string, job: Partial<Job>) =>
  runJob(urlJob(url, { spec: urlSpec(url), ...job }), io, new AbortController())

const observe = async (url: string, job: Partial<Job>): Promise<Observation> => {
  const { outcome } = await run(url, job)
  if (outcome.kind !== 'observed') throw new Error(JSON.stringify(outcome))
  return outcome.observation
}

/** Wants a certificate of the clients' authority; says whose it was shown. */
const mutual = (
  t: Test,
  change: object = {},
  respond = (response: ServerResponse): unknown => response.end(),
) =>
  httpsServer(
    t,
    { ...credentials, requestCert: true, rejectUnauthorized: true, ca: clients.pem, ...change },
    ({ socket }, response) => {
      const { subject } = (socket as TLSSocket).getPeerCertificate()
      respond(response.setHeader('x-client', String(subject?.CN ?? 'nobody')))
    },
  )

const shownTo = ({ detail }: Observation) => (detail as HttpCheckResult).response?.headers['x-client']

t.test('a certificate is presented, and its authorities are trusted for that host', async (t) => {
  for (const version of ['TLSv1.2', 'TLSv1.3']) {
    const { port } = await mutual(t, { minVersion: version, maxVersion: version })
    for (const host of ['localhost', '127.0.0.1']) {
      const observation = await observe(`https://${host}:${port}/`, sealed(host))
      t.equal(observation.failure, null, `${version} ${host}`)
      t.equal(shownTo(observation), 'leaf')
    }
    const spec = urlSpec(`https://localhost:${port}/`, { skipSSL: true })
    t.equal((await observe('', { spec })).failure?.network, true, 'without one nothing is answered')
  }
})

t.test('an encrypted key is opened with its passphrase', async (t) => {
  const { port } = await mutual(t)
  const content = { ...plain, key: encryptedKey, passphrase }
  t.equal(shownTo(await observe(`https://localhost:${port}/`, sealed('localhost', content))), 'leaf')
})

t.test('a chain is presented as a whole', async (t) => {
  const { port } = await mutual(t, { ca: [clients.pem] })
  const content = { ...plain, cert: `${client.cert}\n${clients.pem}` }
  t.equal(shownTo(await observe(`https://localhost:${port}/`, sealed('localhost', content))), 'leaf')
})

t.test('a server that asks for one says so when none is there', async (t) => {
  const { port } = await mutual(t, { minVersion: 'TLSv1.3' })
  const spec = urlSpec(`https://localhost:${port}/`, { skipSSL: true })
  t.match((await observe('', { spec })).failure, {
    code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    message: /asks for a client certificate, and none was presented/,
    network: true,
  })
})

t.test('no other host is shown it, redirects included', async (t) => {
  const shown: string[] = []
  const there = await mutual(t, { rejectUnauthorized: false }, (response) => {
    shown.push(String(response.getHeader('x-client')))
    response.end()
  })
  const first = await mutual(t, {}, (response) =>
    response.writeHead(302, { location: `https://127.0.0.1:${there.port}/` }).end(),
  )
  const skipSSL = { skipSSL: true }
  const from = `https://localhost:${first.port}/`
  const observation = await observe(from, { ...sealed('localhost'), spec: urlSpec(from, skipSSL) })
  t.match(observation.detail, { response: { status: 200, redirects: [{ status: 302 }] } })
  t.same(shown, ['nobody'])
  const elsewhere = `https://127.0.0.1:${there.port}/`
  await observe(elsewhere, { ...sealed('localhost'), spec: urlSpec(elsewhere, skipSSL) })
  t.same(shown, ['nobody', 'nobody'], 'also when something changed the address of the check')
  const { failure } = await observe(elsewhere, { ...sealed('localhost') })
  t.match(
    failure,
    { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    'its authorities are trusted for its host only',
  )
})

t.test('it goes through a proxy to the host behind it', { skip: missing('tinyproxy') }, async (t) => {
  const { url } = await tinyproxy(t)
  const { port } = await mutual(t)
  const observation = await observe(`https://localhost:${port}/`, { ...sealed('localhost'), proxyUrl: url })
  t.equal(observation.failure, null)
  t.equal(shownTo(observation), 'leaf')
})

t.test('what cannot be opened or used is the fault of nobody’s target', async (t) => {
  const stranger = agentIo().egressRoutes.sealTo
  const foreign = await run('https://localhost:1/', sealed('localhost', plain, stranger))
  t.match(foreign.outcome, { kind: 'could-not-run', reason: /not for this agent and job/ })
  const swapped = await run('https://localhost:1/', { ...sealed('localhost'), id: 'another' })
  t.match(swapped.outcome, { kind: 'could-not-run', reason: /not for this agent and job/ })
  const content = { ...plain, cert: 'no certificate', key: client.key }
  const unusable = await run('https://localhost:1/', sealed('localhost', content))
  t.match(unusable.outcome, { kind: 'could-not-run', reason: /certificate for localhost cannot be used/ })
})

t.test('no byte of a key is on the wire, in the spool, in the log or in a result', async (t) => {
  const canaries = createCanaries()
  canaries.add('passphrase', passphrase)
  for (const line of encryptedKey.split('\n').filter((one) => one.length > 20 && !one.startsWith('-')))
    canaries.add('key', line)
  const start = performance.now()
  const plane = await fakeControlPlane(t, {
    serverTime: () => Math.floor(1_800_000_000_000 + performance.now() - start),
    apiKey: testApiKey,
  })
  const wire: Buffer[] = []
  const between = await httpServer(t, async (request, response) => {
    const body = await bytesOf(request)
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const answer = await fetch(`${plane.origin}${request.url}`, {
      method: 'POST',
      headers: { authorization: request.headers.authorization ?? '' },
      body,
      signal: gone.signal,
    }).catch(() => null)
    if (answer === null) return void response.destroy()
    const bytes = Buffer.from(await answer.arrayBuffer())
    wire.push(body, bytes)
    response.writeHead(answer.status).end(bytes)
  })
  const folder = temporaryFolder(t)
  const agent = await testAgent(t, between.origin, { SPOOL_DIR: folder, LOG_LEVEL: 'trace' })
  const echo = await mutual(t, {}, (response) => response.end(`${encryptedKey} ${passphrase}`))
  await plane.until(() => plane.claims.length > 0)
  const sealTo = plane.claims[0]?.sealTo ?? ''
  t.match(sealTo, /^[\w-]{43}$/)
  const url = `https://localhost:${echo.port}/`
  const content = { ...plain, key: encryptedKey, passphrase }
  plane.offer(urlJob(url, sealed('localhost', content, sealTo)))
  // While it is being reported, a result is in the spool.
  plane.judge = () => {
    wire.push(...filesIn(folder))
    return 'accepted'
  }
  await plane.until(() => plane.reports.length > 0)
  t.match(plane.reports[0]?.outcome, { kind: 'observed', observation: { failure: null } })
  t.match(plane.reports[0]?.outcome, {
    observation: { detail: { response: { headers: { 'x-client': 'leaf' } } } },
  })
  t.same(canaries.find(Buffer.concat(wire)), [])
  t.same(canaries.find(Buffer.from(agent.lines.join('\n'))), [])
  t.same(canaries.find(Buffer.from(JSON.stringify(plane.reports))), [], 'not even what the target echoes')
  await agent.stop()
  t.same(canaries.find(Buffer.concat(filesIn(folder))), [])
})

const filesIn = (folder: string): Buffer[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)))

const bytesOf = async (stream: AsyncIterable<Buffer>): Promise<Buffer<ArrayBuffer>> => {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}
