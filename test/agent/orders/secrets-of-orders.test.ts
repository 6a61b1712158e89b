// Runs in a process of its own: time goes by in it as the test says.
/** What a check needs to get in at its target survives a restart of its agent while the control plane is away, and nothing of it can be read on disk. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import t from 'tap'
import { sealForAgent } from '../../../control-plane/monitoring/definitions/client-certificates/client-certificate.ts'
import { createAuthority } from '../../support/certificates.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { ordersPlane, passUntil, standingAgent, standingOrder } from '../../support/orders-plane.ts'
import { httpsServer } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const servers = createAuthority()
const clients = createAuthority()
const client = clients.issue({ altName: 'DNS:client' })
const token = 'a-word-that-only-the-target-knows'

t.test('client certificates, secrets and variables of orders outlive a restart of the agent', async (t) => {
  const clock = fakeClock()
  const plane = await ordersPlane(t, clock)
  const seen: { client: string; token: string | undefined; path: string }[] = []
  const wants = { requestCert: true, rejectUnauthorized: true, ca: clients.pem }
  const credentials = servers.issue({ altName: 'DNS:localhost' })
  const { port } = await httpsServer(t, { ...credentials, ...wants }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate()
    const { 'x-token': sent } = request.headers
    seen.push({ client: String(subject?.CN), token: sent as string | undefined, path: request.url ?? '' })
    response.end('in')
  })
  const spool = temporaryFolder(t)
  const start = () => standingAgent(t, plane, { clock, env: { SPOOL_DIR: spool } })
  const first = await start()
  await passUntil(clock, 'the question', () => plane.asked.length > 0)
  const sealTo = plane.asked[0]?.sealTo ?? ''
  const content = { cert: client.cert, ca: servers.pem, key: client.key, passphrase: null }
  const order = standingOrder('c0', '')
  const request = {
    ...{ method: 'GET', url: `https://localhost:${port}/{{PATH}}`, followRedirects: true, skipSSL: false },
    ...{ ipFamily: 'IPv4', body: '', bodyType: 'NONE', queryParameters: [], assertions: [], basicAuth: null },
    headers: [{ key: 'x-token', value: '{{TOKEN}}', locked: false }],
  }
  plane.orders = [
    {
      ...order,
      job: {
        ...order.job,
        checkType: 'API',
        spec: { request, shouldFail: false, setupScripts: [], tearDownScripts: [] },
        certificate: { host: 'localhost', sealed: sealForAgent(content, sealTo, 'c0') },
        variables: [
          { key: 'TOKEN', value: token, secret: true },
          { key: 'PATH', value: 'cart', secret: false },
        ],
      },
    },
  ]
  plane.known = { ...(plane.known as NonNullable<typeof plane.known>), revision: 'r2' }
  await passUntil(clock, 'the order', () => plane.claims.at(-1)?.orders?.revision === 'r2')

  plane.away = true
  const stopped = first.stop()
  await passUntil(clock, 'the stop', () => first.lines.some((line) => line.startsWith('drained')))
  await stopped
  const before = seen.length
  const second = await start()
  await second.pass(240_000)
  t.ok(seen.length >= before + 3, `${seen.length - before} requests after the restart`)
  for (const one of seen) t.strictSame(one, { client: 'leaf', token, path: '/cart' })
  plane.away = false
  await passUntil(
    clock,
    'the late results',
    () => plane.late.length >= 3 && second.agent.levels().lateReports === 0,
  )
  for (const { outcome } of plane.late) t.match(outcome, { kind: 'observed', observation: { failure: null } })

  const keyLine = client.key.split('\n')[1] ?? '-'
  const texts = readdirSync(spool, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
  t.ok(texts.length > 0)
  for (const secret of [token, keyLine]) {
    t.notOk(
      texts.some((text) => text.includes(secret)),
      'not on disk',
    )
    t.notMatch(JSON.stringify(plane.late), secret, 'and not in what was reported')
  }
})
