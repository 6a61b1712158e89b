/** Rules and dashboards of docs/monitoring: promtool understands them, and they name only what our programs show. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import {
  dashboards,
  expressionsOf,
  monitoringPath,
  namesIn,
  ownMetrics,
  readMonitoring,
} from '../support/monitoring.ts'
import { scratchFolder } from '../support/programs.ts'
import { prometheusProblem, promtool } from '../support/prometheus.ts'

const skip = prometheusProblem() ?? false

/** What an account's exporter shows beside blackbox_exporter's names. */
const exporterMetrics = new Set(
  [
    'check_status check_result_total browser_check_web_vitals_seconds browser_check_duration_seconds',
    'browser_check_errors api_check_timing_seconds url_monitor_timing_seconds tcp_monitor_timing_seconds',
    'icmp_monitor_timing_seconds icmp_monitor_packet_loss_ratio dns_monitor_timing_seconds',
    'multistep_check_duration_seconds heartbeat_last_success_timestamp_seconds',
    'heartbeat_expected_interval_seconds time_to_ssl_expiry_seconds private_location_queue_size',
    'private_location_oldest_scheduled_check_run private_location_agent_count',
    'private_location_queue_duration_ms private_location_check_runs',
  ]
    .join(' ')
    .split(' ')
    .map((name) => `watchpost_${name}`),
)
const probeMetrics = new Set(['probe_success', 'probe_duration_seconds'])

const rules = readMonitoring('rules/watchpost.rules.yaml')
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
/** The text of rules without what people read. */
const ruleExpressions = rules.replace(/^ *(summary|description):.*$/gm, '')

const expressionTexts: Record<string, string> = {
  rules: ruleExpressions,
  'sentences of rules': rules,
  ...Object.fromEntries(
    Object.entries(dashboards).map(([name, dashboard]) => [name, JSON.stringify(dashboard)]),
  ),
}

for (const [name, text] of Object.entries(expressionTexts))
  t.test(`${name}: every metric exists`, async (t) => {
    const own = ownMetrics()
    const unknown = namesIn(text).filter(
      (metric) => !own.has(metric) && !exporterMetrics.has(metric) && !probeMetrics.has(metric),
    )
    t.strictSame(unknown, [])
    t.ok(namesIn(text).length > 10, 'some are named')
  })

t.test('parts of histograms are asked of histograms, and histograms by their parts', async (t) => {
  const own = ownMetrics()
  for (const text of [
    ruleExpressions,
    ...Object.values(dashboards).map((one) => expressionsOf(one).join('\n')),
  ])
    for (const [name] of text.matchAll(/\bwatchpost_\w+/g)) {
      const base = name.replace(/_(bucket|sum|count)$/, '')
      if (own.has(base) && base !== name) t.equal(own.get(base), 'histogram', name)
      else if (own.has(name)) t.not(own.get(name), 'histogram', name)
    }
})

t.test('every alert tells what to do, and is tested: it fires, and it stays quiet', async (t) => {
  const tests = readMonitoring('rules/watchpost.test.yaml').split('\n  - interval:').slice(1)
  t.ok(alerts.length > 20)
  t.equal(new Set(alerts).size, alerts.length, 'names are used once')
  for (const alert of alerts) {
    const [, text = ''] = rules.split(`- alert: ${alert}\n`)
    const [own = ''] = text.split('- alert:')
    t.match(own, /severity: (critical|warning|info)\n/, alert)
    t.match(own, /\n +summary: "[^\n]+"\n +description: "[^\n]{60,}"/, `${alert} says what to do`)
    const about = tests.filter((one) => one.includes(`alertname: ${alert}\n`))
    t.ok(
      about.some((one) => one.includes('exp_labels:')),
      `${alert} fires`,
    )
    t.ok(
      about.some((one) => one.includes('exp_alerts: []')),
      `${alert} stays quiet`,
    )
  }
})

t.test('promtool finds nothing wrong with the rules, and their tests pass', { skip }, async (t) => {
  const checked = await promtool(t, ['check', 'rules', monitoringPath('rules/watchpost.rules.yaml')])
  t.equal(checked.status, 0, checked.printed)
  t.match(checked.printed, new RegExp(`${alerts.length} rules found`))
  const tested = await promtool(t, ['test', 'rules', monitoringPath('rules/watchpost.test.yaml')])
  t.equal(tested.status, 0, tested.printed)
})

t.test('promtool finds nothing wrong with the example of a configuration', { skip }, async (t) => {
  const folder = await scratchFolder(t)
  const config = readMonitoring('prometheus.yml').replace('rules/watchpost', 'watchpost')
  await writeFile(join(folder, 'prometheus.yml'), config)
  await writeFile(join(folder, 'watchpost.rules.yaml'), rules)
  await writeFile(join(folder, 'watchpost-api-key'), 'wp_x')
  const { status, printed } = await promtool(t, ['check', 'config', join(folder, 'prometheus.yml')])
  t.equal(status, 0, printed)
})

for (const [name, dashboard] of Object.entries(dashboards)) {
  t.test(`${name}: promtool understands every expression`, { skip }, async (t) => {
    const expressions = expressionsOf(dashboard)
    t.ok(expressions.length > 20)
    const folder = await scratchFolder(t)
    const rows = expressions.map((expr, n) => ({ record: `panel:${n}`, expr }))
    const path = join(folder, 'panels.yaml')
    // JSON is YAML.
    await writeFile(path, JSON.stringify({ groups: [{ name: 'panels', rules: rows }] }))
    const { status, printed } = await promtool(t, ['check', 'rules', path])
    t.equal(status, 0, printed)
    t.notMatch(expressions.join('\n'), /\$/, 'no variable is left')
  })

  t.test(`${name}: any Prometheus can be chosen, and panels do not overlap`, async (t) => {
    const { templating, panels, schemaVersion } = dashboard
    t.ok(schemaVersion >= 38, 'Grafana 10')
    t.match(templating.list[0], { name: 'datasource', type: 'datasource', query: 'prometheus' })
    const sources = new Set<string>()
    JSON.parse(JSON.stringify(dashboard), (key, value) => {
      if (key === 'datasource') sources.add(value.uid)
      return value
    })
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own way to name a variable
    t.strictSame([...sources], ['${datasource}'])
    t.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = new Set<string>()
    for (const { gridPos, title } of panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          const cell = `${x} ${y}`
          if (x >= 24 || cells.has(cell)) t.fail(`${title} lies over another panel, or outside`)
          cells.add(cell)
        }
  })
}
