// Runs in a process of its own: Prometheus scrapes it meanwhile.
import t from 'tap'
import { recordStatus } from '../../../../control-plane/monitoring/watches/check-statuses/queries.ts'
import { testApp } from '../../../support/app.ts'
import { finishedRun, scrape } from '../../../support/exporter.ts'
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
