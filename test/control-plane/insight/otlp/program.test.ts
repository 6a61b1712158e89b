// Runs in test:all only: it starts the control plane again and again.
/** The program as operators run it, told by the usual variables. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { otlpReceiver } from '../../../support/otlp-receiver.ts'
import { apiKey, spawnAgent, startControlPlane } from '../../../support/programs.ts'
import { missing, proxyPassword, tinyproxy } from '../../../support/proxies.ts'
import { httpServer } from '../../../support/servers.ts'
import { until } from '../../../support/until.ts'

const folder = async (t: Test): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'watchpost-otlp-'))
  t.teardown(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Both programs, and a check of a target that fails; resolves with its first result. */
const runOnce = async (t: Test, env: Record<string, string>, target: string) => {
  const plane = await startControlPlane({ dataDir: await folder(t), env })
  t.teardown(() => plane.end('SIGKILL'))
  const agent = spawnAgent({
    url: plane.url,
    spoolDir: await folder(t),
    env: { EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8' },
  })
  t.teardown(() => agent.end('SIGKILL'))
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const call = async (path: string, body?: object) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${plane.url}${path}`, { ...init, headers })
    return response.json() as Promise<Record<string, never>>
  }
  const check = await call('/v1/checks/url', {
    name: 'shop',
    request: { url: target },
    locations: [],
    privateLocations: ['local'],
    frequency: 0,
    frequencyOffset: 10,
    doubleCheck: false,
    sendTraceparent: true,
  })
  const results = async (): Promise<Array<{ id: string; traceId: string }>> =>
    (await call(`/v2/check-results/${check['id']}`))['entries'] ?? []
  await until('a result', async () => (await results()).length > 0)
  const [result] = await results()
  await agent.end('SIGTERM')
  return { plane, result, checkId: check['id'] }
}

t.test('a program that is asked to stop sends what it has, as the variables say', async (t) => {
  const receiver = await otlpReceiver(t)
  const seen: unknown[] = []
  const headersFile = join(await folder(t), 'headers')
  await writeFile(headersFile, 'tenant=spans\n', { mode: 0o600 })
  const target = await httpServer(t, (request, response) => {
    seen.push(request.headers['traceparent'])
    response.writeHead(500).end()
  })
  const { plane, result } = await runOnce(
    t,
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.origin}/base/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret%20one',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE: headersFile,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_SERVICE_NAME: 'probes',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
      OTEL_METRIC_EXPORT_INTERVAL: '3600000',
    },
    `${target.origin}/`,
  )
  t.equal(receiver.requests.length, 0)
  await plane.end('SIGTERM')
  t.strictSame(receiver.requests.map(({ path }) => path).toSorted(), ['/base/v1/metrics', '/base/v1/traces'])
  t.strictSame(
    receiver.requests.map(({ path, headers }) => [path, headers['tenant']]).toSorted(),
    [
      ['/base/v1/metrics', undefined],
      ['/base/v1/traces', 'spans'],
    ],
    'headers of spans alone, by file',
  )
  for (const { headers } of receiver.requests)
    t.match(headers, { 'api-key': 'secret one', 'content-encoding': 'gzip' })
  for (const attributes of receiver.resources)
    t.match(attributes, { 'service.name': 'probes', 'deployment.environment.name': 'staging' })
  const run = receiver.spans.find(
    ({ traceId, parentSpanId }) => traceId === result?.traceId && parentSpanId === '',
  )
  t.match(run, { name: 'URL run', attributes: { 'watchpost.check.name': 'shop', 'error.type': '500' } })
  t.ok(seen.includes(`00-${run?.traceId}-${run?.spanId}-01`), "the target's spans are children of the run's")
})

t.test('a receiver that never answers holds no program up', async (t) => {
  const receiver = await otlpReceiver(t, () => 'stall')
  const { plane } = await runOnce(
    t,
    { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin, OTEL_EXPORTER_OTLP_TIMEOUT: '3600000' },
    'http://127.0.0.1:9/',
  )
  await plane.end('SIGTERM')
  t.equal(await plane.exitCode(), 0)
  t.match(plane.output(), /"msg":"Stopped"/)
})

t.test(
  'exports and own requests leave by a proxy, which the start names',
  { skip: missing('tinyproxy') },
  async (t) => {
    const proxy = await tinyproxy(t)
    const receiver = await otlpReceiver(t)
    const watched = await httpServer(t, (_, response) => response.end())
    const { plane } = await runOnce(
      t,
      {
        HTTP_PROXY: proxy.url,
        EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8',
        WATCHDOG_URL: `${watched.origin}/alive`,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
      },
      'http://127.0.0.1:9/',
    )
    await until('the watchdog is told', async () => watched.connections() > 0)
    await plane.end('SIGTERM')
    t.ok(receiver.requests.some(({ path }) => path === '/v1/traces'))
    t.match(proxy.output(), `POST ${receiver.origin}/v1/traces`)
    t.match(proxy.output(), `POST ${watched.origin}/alive`)
    t.match(plane.output(), `"http":"127.0.0.1:${proxy.port}"`)
    t.notMatch(plane.output(), proxyPassword)
  },
)
