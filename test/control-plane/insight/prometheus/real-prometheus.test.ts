// Runs in a process of its own: Prometheus scrapes it meanwhile.
import t from 'tap'
import { recordStatus } from '../../../../control-plane/monitoring/watches/check-statuses/queries.ts'
import { protobufType } from '../../../../protocol/exposition.ts'
import { testApp } from '../../../support/app.ts'
import { finishedRun, httpMetrics, scrape } from '../../../support/exporter.ts'
import { prometheusProblem, startPrometheus } from '../../../support/prometheus.ts'
import { storeCheck } from '../../../support/stored-results.ts'

t.test('Prometheus scrapes an account', { skip: prometheusProblem() ?? false }, async (t) => {
  const plane = await testApp(t)
  const { app, accountId, apiKey, url } = plane
  const name = 'a "shop" \\ \n 🙂'
  const tags = ['team:shop', 'env:a', 'env:b']
  const checkId = await storeCheck(plane, { name, doc: { name, tags } })
  await app.db.run(recordStatus, {
    checkId,
    accountId,
    state: 'passing',
    hasFailures: false,
    hasErrors: false,
    isDegraded: false,
    longestRunMs: 12,
    shortestRunMs: 12,
    updatedAt: null,
    location: 'local',
    checkRunId: 1,
    startedAt: app.clock.now(),
    sslDaysRemaining: null,
    now: app.clock.now(),
  })
  await scrape(plane)
  app.finishedRuns.publish([finishedRun(plane, { checkId })])
  const config = `
global: { scrape_interval: 1s, scrape_timeout: 1s }
scrape_configs:
  - job_name: watchpost
    honor_labels: true
    scrape_interval: 2s
    metrics_path: /accounts/${accountId}/v2/prometheus/metrics
    params: { locationLabelEnabled: ['true'] }
    authorization: { credentials: '${apiKey}' }
    static_configs: [{ targets: ['${new URL(url).host}'] }]
`
  const prometheus = await startPrometheus(t, { config })
  const [probe] = await prometheus.untilSamples('probe_success')
  t.equal(probe?.value, 1)
  t.match(probe?.labels, {
    name,
    check_id: checkId,
    check_type: 'url',
    team: 'shop',
    env: 'a,b',
    location: 'local',
    instance: 'https://shop.example/',
    job: 'watchpost',
  })
  const [count] = await prometheus.query('watchpost_check_result_total{status="passing"}')
  t.equal(count?.value, 1)
  const quantile =
    'histogram_quantile(0.5, sum by (le) (watchpost_url_monitor_timing_seconds_bucket{type="dns"}))'
  t.equal((await prometheus.query(quantile))[0]?.value, 0.0025)
  t.strictSame(
    (await prometheus.query('up')).map(({ value }) => value),
    [1],
  )
})

t.test('Prometheus takes native histograms', { skip: prometheusProblem() ?? false }, async (t) => {
  const plane = await testApp(t)
  const { app, accountId, apiKey, url } = plane
  const protobuf = { accept: `${protobufType}, application/openmetrics-text; q=0.5, */*; q=0.1` }
  const checkId = await storeCheck(plane, { name: 'a "shop" \\ \n 🙂', doc: { name: 'a "shop" \\ \n 🙂' } })
  const other = await storeCheck(plane, { name: 'other', doc: { name: 'other' } })
  await scrape(plane, {}, protobuf)
  const phases = [0, 0.5, 1, 2, 3, 400, 400, 20_000_000]
  for (const dns of phases)
    app.finishedRuns.publish([finishedRun(plane, { checkId, metrics: { ...httpMetrics, dns } })])
  app.finishedRuns.publish([finishedRun(plane, { checkId: other })])
  const config = `
global: { scrape_interval: 1s, scrape_timeout: 1s }
scrape_configs:
  - job_name: native
    metrics_path: /accounts/${accountId}/v2/prometheus/metrics
    authorization: { credentials: '${apiKey}' }
    static_configs: [{ targets: ['${new URL(url).host}'] }]
`
  const args = ['--enable-feature=native-histograms']
  const prometheus = await startPrometheus(t, { config, args })
  const dns = `watchpost_url_monitor_timing_seconds{type="dns",check_id="${checkId}"}`
  await prometheus.untilSamples(`histogram_count(${dns})`)
  const value = async (expression: string) => (await prometheus.query(expression))[0]?.value ?? Number.NaN
  t.equal(await value(`histogram_count(${dns})`), phases.length)
  t.ok(Math.abs((await value(`histogram_sum(${dns})`)) - 20_000.8065) < 0.001)
  t.equal(await value(`histogram_fraction(0, 0.000001, ${dns})`), 1 / 8, 'zeros are in a bucket of their own')
  const median = await value(`histogram_quantile(0.7, ${dns})`)
  t.ok(median > 0.33 && median < 0.48, `a quantile is right to a fifth: ${median}`)
  t.equal(await value('sum(histogram_count(watchpost_url_monitor_timing_seconds{type="dns"}))'), 9)
  t.equal(await value(`watchpost_check_result_total{status="passing",check_id="${checkId}"}`), phases.length)
  const [probe] = await prometheus.query(`probe_success{check_id="${checkId}"}`)
  t.match(probe, { value: 1, labels: { name: 'a "shop" \\ \n 🙂', check_type: 'url' } })
  t.equal((await prometheus.query('watchpost_url_monitor_timing_seconds_bucket')).length, 0)
  t.equal((await value('scrape_samples_scraped')) < 80, true, 'a histogram is one sample')
})
