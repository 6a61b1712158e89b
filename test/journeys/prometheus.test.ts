// Runs in test:all only: it starts both programs and Prometheus.
/**
 * A real Prometheus scrapes the real programs, with the configuration, rules and dashboards of docs/monitoring: promtool
 * finds nothing wrong with what they show, and every metric that the operators' dashboard is made of has series.
 */
import t, { type Test } from 'tap'
import { callApi, urlMonitor } from '../support/api.ts'
import { localHttp } from '../support/local-http.ts'
import { dashboards, expressionsOf, namesIn, ownMetrics, readMonitoring } from '../support/monitoring.ts'
import {
  accountId,
  apiKey,
  endsWith,
  listening,
  scratchFolder,
  spawnAgent,
  spawnControlPlane,
} from '../support/programs.ts'
import { prometheusProblem, promtool, startPrometheus } from '../support/prometheus.ts'
import { until } from '../support/until.ts'

const skip = prometheusProblem() ?? false

/** Series of theirs begin with the first event, which does not happen here. */
const beginLater = [
  'watchpost_agent_alone_runs_total',
  'watchpost_agent_fallback_messages_total',
  'watchpost_notification_seconds',
  'watchpost_agent_artifacts_total',
  'watchpost_agent_own_network_results_total',
]

const startPrograms = async (t: Test) => {
  const folder = await scratchFolder(t)
  const env = { BUILD_REVISION: '4f0c1d2' }
  const plane = await listening(endsWith(t, spawnControlPlane({ dataDir: `${folder}/data`, env })))
  const agent = endsWith(t, spawnAgent({ url: plane.url, spoolDir: `${folder}/spool`, env, browsers: false }))
  const [, port] = await agent.line(/probes and metrics on port (\d+)/)
  await agent.line(/connected to the control plane/)
  return { plane, agentAddress: `127.0.0.1:${port}` }
}

/** The example with addresses of this test, and in a hurry. */
const configuration = (plane: string, agent: string): string =>
  readMonitoring('prometheus.yml')
    .replace('rules/watchpost', 'watchpost')
    .replaceAll('control-plane:8080', plane)
    .replaceAll('agent:8081', agent)
    .replaceAll('00000000-0000-0000-0000-000000000000', accountId)
    .replaceAll(/scrape_(interval|timeout): \d+s/g, 'scrape_$1: 1s')

const textOf = async (address: string): Promise<string> => (await fetch(`http://${address}/metrics`)).text()

t.test('Prometheus, its rules and the dashboards work on what our programs show', { skip }, async (t) => {
  const site = await localHttp(t, (_, response) => response.end('ok'))
  const { plane, agentAddress } = await startPrograms(t)
  const planeAddress = `127.0.0.1:${plane.port}`
  const created = await callApi(plane.url, '/v1/checks/url', {
    method: 'POST',
    body: urlMonitor('site', site),
  })
  t.equal(created.status, 201, JSON.stringify(created.body))
  const ran = async (): Promise<boolean> =>
    /watchpost_reports_total\{outcome="accepted"\} [1-9]/.test(await textOf(planeAddress))
  await until('a result was taken in', ran)

  for (const address of [planeAddress, agentAddress]) {
    const text = await textOf(address)
    t.strictSame(await promtool(t, ['check', 'metrics'], text), { status: 0, printed: '' }, 'nothing to say')
    const undocumented = [...text.matchAll(/^# TYPE (\w+) /gm)].filter(
      ([, name = '']) => !ownMetrics().has(name),
    )
    t.strictSame(undocumented, [], 'docs/metrics.md has them all')
    t.notMatch(text, /site|127\.0\.0\.1/, 'no name and no address of a check')
  }

  const prometheus = await startPrometheus(t, {
    config: configuration(planeAddress, agentAddress),
    files: {
      'watchpost.rules.yaml': readMonitoring('rules/watchpost.rules.yaml'),
      'watchpost-api-key': apiKey,
    },
  })
  await prometheus.untilSamples('rate(watchpost_http_requests_total[1m])')
  await prometheus.untilSamples('rate(watchpost_agent_results_total[1m])')

  for (const [name, dashboard] of Object.entries(dashboards))
    for (const expression of expressionsOf(dashboard))
      await t.resolves(prometheus.query(expression), `${name}: ${expression}`)

  const operators = dashboards['watchpost-operators.json']
  for (const name of namesIn(JSON.stringify(operators))) {
    const series = await prometheus.query(`{__name__=~"${name}(_count)?"}`)
    t.ok(series.length > 0 || beginLater.includes(name), `${name} has series`)
  }
  t.match(await prometheus.query('watchpost_build_info{location="local"}'), [
    { labels: { job: 'watchpost-agent', revision: '4f0c1d2' }, value: 1 },
  ])
  t.match(await prometheus.query('watchpost_location_agents{location="local"}'), [{ value: 1 }])

  const rules = (await (await fetch(`${prometheus.url}/api/v1/rules`)).json()) as RulesAnswer
  const loaded = rules.data.groups.flatMap((group) => group.rules)
  t.ok(loaded.length > 20)
  t.strictSame(
    loaded.filter(({ health }) => health === 'err').map(({ name }) => name),
    [],
  )
})

type RulesAnswer = { data: { groups: { rules: { name: string; health: string }[] }[] } }
