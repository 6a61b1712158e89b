import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { maxProbesAtOnce } from '../../../agent/probe/probe-endpoint.ts'
import { ConfigError } from '../../../agent/program/config.ts'
import { prometheusProblem, promtool, startPrometheus } from '../../support/prometheus.ts'
import { testAgent } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

const token = 'a-token-that-is-long-enough'
const nowhere = 'http://127.0.0.1:1'

const listen = async (t: Test, server: net.Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

const target = (t: Test): Promise<number> =>
  listen(
    t,
    http.createServer((request, response) => {
      response.statusCode = request.url === '/broken' ? 500 : request.url === '/moved' ? 302 : 200
      if (request.url === '/moved') response.setHeader('location', 'http://169.254.169.254/latest/meta-data')
      response.end(request.method)
    }),
  )

/** Takes connections and says nothing. */
const silent = async (t: Test): Promise<{ port: number; connections: Set<net.Socket> }> => {
  const connections = new Set<net.Socket>()
  const server = net.createServer((socket) => connections.add(socket.on('error', () => {})))
  t.teardown(() => {
    for (const socket of connections) socket.destroy()
  })
  return { port: await listen(t, server), connections }
}

const probing = async (t: Test, targets = '127.0.0.1', env = {}) => {
  const agent = await testAgent(t, nowhere, {
    AGENT_PROBE_TOKEN: token,
    AGENT_PROBE_TARGETS: targets,
    ...env,
  })
  const { port } = agent.health.address() as AddressInfo
  return async (query: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/probe?${new URLSearchParams(query)}`, {
      headers: { authorization: `Bearer ${token}`, connection: 'close', ...headers },
    })
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    }
  }
}

t.test('it is off unless both of its settings are there', async (t) => {
  const agent = await testAgent(t, nowhere)
  t.equal((await agent.probe('/probe?target=127.0.0.1')).status, 404)
  await t.rejects(testAgent(t, nowhere, { AGENT_PROBE_TOKEN: token }), ConfigError)
  await t.rejects(testAgent(t, nowhere, { AGENT_PROBE_TARGETS: '*' }), ConfigError)
  await t.rejects(
    testAgent(t, nowhere, { AGENT_PROBE_TOKEN: 'short', AGENT_PROBE_TARGETS: '*' }),
    ConfigError,
  )
})

t.test('a probe of each kind', async (t) => {
  const port = await target(t)
  const probe = await probing(t)
  const site = `http://127.0.0.1:${port}`
  const well = await probe({ target: `${site}/`, module: 'http_2xx' })
  t.equal(well.status, 200)
  t.equal(well.type, 'text/plain; version=0.0.4; charset=utf-8')
  t.match(well.text, /^probe_success 1$/m)
  t.match(well.text, /^probe_http_status_code 200$/m)
  t.match(well.text, /^probe_http_duration_seconds\{phase="processing"\} 0\.\d+$/m)
  t.match(well.text, /^probe_duration_seconds \d/m)
  t.match((await probe({ target: `127.0.0.1:${port}`, module: 'http_post_2xx' })).text, /^probe_success 1$/m)
  const broken = (await probe({ target: `${site}/broken` })).text
  t.match(broken, /^probe_success 0$/m)
  t.match(broken, /^probe_http_status_code 500$/m)
  t.match((await probe({ target: `127.0.0.1:${port}`, module: 'tcp_connect' })).text, /^probe_success 1$/m)
  t.match((await probe({ target: '127.0.0.1:1', module: 'tcp_connect' })).text, /^probe_success 0$/m)
  const asked = { target: '127.0.0.1:1', module: 'dns_tcp', query_name: 'shop.example' }
  t.match((await probe(asked)).text, /^probe_dns_query_succeeded 0$/m)
  const open = await probe({ target: `${site}/` }, { accept: 'application/openmetrics-text; version=1.0.0' })
  t.match(open.text, /\n# EOF\n$/)
})

t.test('who may not, and what not', async (t) => {
  const port = await target(t)
  const probe = await probing(t)
  const site = `http://127.0.0.1:${port}/`
  for (const authorization of ['', 'Bearer wrong', token, `Bearer ${token}x`])
    t.equal((await probe({ target: site }, { authorization })).status, 401, authorization)
  const refused = await probe({ target: `http://localhost:${port}/` })
  t.equal(refused.status, 403)
  t.match(refused.text, 'AGENT_PROBE_TARGETS does not allow localhost')
  t.equal((await probe({ target: `http://127.0.0.1:${port}@[::1]/` })).status, 403)
  t.equal((await probe({ target: 'file:///etc/passwd' })).status, 400)
  const moved = await probe({ target: `${site}moved` })
  t.match(
    moved.text,
    /^probe_success 0$/m,
    "a redirect goes nowhere that the agent's rules for networks forbid",
  )
  const isolated = await probing(t, '*', { BLOCKED_NETWORKS: '127.0.0.0/8' })
  t.match(
    (await isolated({ target: site })).text,
    /^probe_success 0$/m,
    'the rules for networks hold for all of *',
  )
})

t.test("the scraper's timeout ends a probe, and only so many run at once", async (t) => {
  const { port, connections } = await silent(t)
  const probe = await probing(t)
  const query = { target: `http://127.0.0.1:${port}/` }
  const late = await probe(query, { 'x-prometheus-scrape-timeout-seconds': '1' })
  t.equal(late.status, 200)
  t.match(late.text, /^probe_success 0$/m)
  t.match(late.text, /^probe_duration_seconds 0\.\d+$/m, 'in time')
  const before = connections.size
  const many = Array.from({ length: maxProbesAtOnce }, () => probe(query))
  await until('all of them wait', () => connections.size >= before + maxProbesAtOnce)
  const refused = await probe(query)
  t.equal(refused.status, 503)
  for (const socket of connections) socket.destroy()
  for (const { status } of await Promise.all(many)) t.equal(status, 200)
})

t.test('Prometheus probes with it', { skip: prometheusProblem() ?? false }, async (t) => {
  const port = await target(t)
  const agent = await testAgent(t, nowhere, { AGENT_PROBE_TOKEN: token, AGENT_PROBE_TARGETS: '127.0.0.0/8' })
  const health = `127.0.0.1:${(agent.health.address() as AddressInfo).port}`
  const answer = await fetch(`http://${health}/probe?target=127.0.0.1:${port}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  t.strictSame(await promtool(t, ['check', 'metrics'], await answer.text()), { status: 0, printed: '' })
  const config = `
global: { scrape_interval: 2s, scrape_timeout: 2s }
scrape_configs:
  - job_name: probes
    metrics_path: /probe
    params: { module: [http_2xx] }
    authorization: { credentials: '${token}' }
    static_configs: [{ targets: ['http://127.0.0.1:${port}/', 'http://127.0.0.1:${port}/broken'] }]
    relabel_configs:
      - { source_labels: [__address__], target_label: __param_target }
      - { source_labels: [__param_target], target_label: instance }
      - { target_label: __address__, replacement: '${health}' }
`
  const prometheus = await startPrometheus(t, { config })
  await prometheus.untilSamples('count(probe_success) == 2')
  const values = (await prometheus.query('probe_success')).map(({ labels, value }) => [
    labels['instance'],
    value,
  ])
  t.strictSame(Object.fromEntries(values), {
    [`http://127.0.0.1:${port}/`]: 1,
    [`http://127.0.0.1:${port}/broken`]: 0,
  })
})
