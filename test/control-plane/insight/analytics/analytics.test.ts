// Runs on both engines in test:all: rows are counted and added up.
import t from 'tap'
import { kinds } from '../../../../control-plane/insight/analytics/kinds.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { storeCheck, storeResult } from '../../../support/stored-results.ts'

const now = Date.UTC(2026, 0, 1)
const minute = 60_000
const hour = 60 * minute
const seconds = (instant: number) => String(instant / 1000)

const response = (status: number, more = {}) => ({
  apiCheckResult: { assertions: [], response: { status, ...more } },
})

/** Five judged runs in two hours and two locations, and some that must not count. */
const golden = async (service: TestApp): Promise<string> => {
  const checkId = await storeCheck(service, { doc: { tags: ['shop'], frequency: 5 } })
  const runs = [
    {
      at: now - 2 * hour,
      responseTime: 100,
      location: 'a',
      doc: { metrics: { dns: 5, tcp: 10 }, ...response(200) },
    },
    {
      at: now - 2 * hour + minute,
      responseTime: 200,
      location: 'b',
      attempts: 2,
      doc: { metrics: { dns: 7 }, ...response(200) },
    },
    {
      at: now - 2 * hour + 2 * minute,
      responseTime: 300,
      location: 'a',
      hasFailures: true,
      doc: response(500),
    },
    { at: now - hour, responseTime: 400, location: 'b', isDegraded: true, doc: response(200) },
    {
      at: now - hour + minute,
      responseTime: 500,
      location: 'b',
      hasFailures: true,
      attempts: 1,
      doc: { apiCheckResult: { response: null, body: 'a\u0000b\ud83d c:\\u0000 \\' } },
    },
  ]
  for (const run of runs) await storeResult(service, { checkId, ...run })
  await storeResult(service, { checkId, at: now - hour, responseTime: 9999, hasErrors: true })
  await storeResult(service, { checkId, at: now - hour, responseTime: 9999, isCancelled: true })
  await storeResult(service, {
    checkId,
    at: now - hour,
    responseTime: 9999,
    hasFailures: true,
    resultType: 'ATTEMPT',
  })
  await storeResult(service, { checkId, at: now, responseTime: 9999 })
  await storeResult(service, { checkId, at: now - 25 * hour, responseTime: 9999 })
  return checkId
}

for (const engine of engineNames)
  t.test(`analytics are computed from the stored results (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const checkId = await golden(service)
    const ask = async (query: string, id = checkId, path = 'url-monitors') =>
      service.call('GET', `/v1/analytics/${path}/${id}?${query}`)

    t.test('one row for the window; degraded passed, unjudged runs do not count', async (t) => {
      const { status, body } = await ask(
        'metrics=availability,retries,responseTime_avg,responseTime_p95&metrics[]=dns_max',
      )
      t.equal(status, 200)
      t.strictSame(body, {
        checkId,
        name: 'site',
        checkType: 'URL',
        activated: true,
        muted: false,
        frequency: 5,
        from: '2025-12-31T00:00:00.000Z',
        to: '2026-01-01T00:00:00.000Z',
        aggregationInterval: null,
        snappedTo: null,
        tags: ['shop'],
        series: [
          {
            data: [
              {
                timestamp: '2025-12-31T00:00:00.000Z',
                availability: 60,
                retries: 3,
                responseTime_avg: 300,
                responseTime_p95: 400,
                dns_max: 7,
              },
            ],
          },
        ],
        pagination: { page: 1, limit: 10 },
        metadata: {
          availability: { unit: 'percentage', label: 'Availability', aggregation: 'avg' },
          retries: { unit: 'count', label: 'Retries', aggregation: 'sum' },
          responseTime_avg: { unit: 'milliseconds', label: 'Response time (average)', aggregation: 'avg' },
          responseTime_p95: {
            unit: 'milliseconds',
            label: 'Response time (95th percentile)',
            aggregation: 'p95',
          },
          dns_max: { unit: 'milliseconds', label: 'Name resolution (maximum)', aggregation: 'max' },
        },
      })
    })

    t.test('aggregationInterval: a row per interval, empty ones included, over pages', async (t) => {
      const from = `from=${seconds(now - 3 * hour)}&to=${seconds(now)}`
      const { body } = await ask(
        `${from}&aggregationInterval=60&metrics=availability,responseTime,responseTime_max`,
      )
      t.strictSame(body.series, [
        {
          data: [
            {
              timestamp: '2025-12-31T21:00:00.000Z',
              availability: null,
              responseTime: null,
              responseTime_max: null,
            },
            {
              timestamp: '2025-12-31T22:00:00.000Z',
              availability: 66.667,
              responseTime: 200,
              responseTime_max: 300,
            },
            {
              timestamp: '2025-12-31T23:00:00.000Z',
              availability: 50,
              responseTime: 450,
              responseTime_max: 500,
            },
          ],
        },
      ])
      const second = await ask(`${from}&aggregationInterval=60&metrics=availability&limit=2&page=2`)
      t.strictSame(second.body.series, [
        { data: [{ timestamp: '2025-12-31T21:00:00.000Z', availability: null }] },
      ])
      t.strictSame(second.body.pagination, { page: 2, limit: 2 })
      const { body: newest } = await ask(`${from}&aggregationInterval=60&metrics=availability&limit=2`)
      t.strictSame(newest.series, [
        {
          data: [
            { timestamp: '2025-12-31T22:00:00.000Z', availability: 66.667 },
            { timestamp: '2025-12-31T23:00:00.000Z', availability: 50 },
          ],
        },
      ])
    })

    t.test('groupBy: a series per location or status', async (t) => {
      const row = { timestamp: '2025-12-31T00:00:00.000Z' }
      t.strictSame((await ask('metrics=availability,responseTime_avg&groupBy=runLocation')).body.series, [
        { runLocation: 'a', data: [{ ...row, availability: 50, responseTime_avg: 200 }] },
        { runLocation: 'b', data: [{ ...row, availability: 66.667, responseTime_avg: 366.667 }] },
      ])
      t.strictSame((await ask('metrics=availability&groupBy=statusCode')).body.series, [
        { statusCode: '200', data: [{ ...row, availability: 100 }] },
        { statusCode: '500', data: [{ ...row, availability: 0 }] },
        { statusCode: null, data: [{ ...row, availability: 0 }] },
      ])
    })

    t.test('filterByStatus: only runs that passed or only runs that failed', async (t) => {
      const average = async (filter: string) =>
        (await ask(`metrics=responseTime_avg&${filter}`)).body.series[0].data[0].responseTime_avg
      t.equal(await average('filterByStatus=success'), 233.333)
      t.equal(await average('filterByStatus[]=failure'), 400)
      t.equal(await average('filterByStatus=success,failure'), 300)
    })

    t.test(
      'metrics without a suffix and without an interval: a row per run, the newest on the first page',
      async (t) => {
        const { body } = await ask('metrics=responseTime,dns&limit=1')
        t.strictSame(body.series, [
          { data: [{ timestamp: '2025-12-31T23:01:00.000Z', responseTime: 500, dns: null }] },
        ])
        t.notOk('aggregation' in body.metadata.responseTime, 'a run is no aggregate')
        const last = await ask('metrics=responseTime,dns,availability&limit=3&page=2')
        t.strictSame(last.body.series[0].data, [
          { timestamp: '2025-12-31T22:00:00.000Z', responseTime: 100, dns: 5, availability: 100 },
          { timestamp: '2025-12-31T22:01:00.000Z', responseTime: 200, dns: 7, availability: 100 },
        ])
      },
    )

    t.test('the batch summarizes checks of all types, in the order asked for', async (t) => {
      const icmp = await storeCheck(service, { type: 'ICMP' })
      await storeResult(service, {
        checkId: icmp,
        checkType: 'ICMP',
        at: now - hour,
        doc: { metrics: { latencyAvg: 4, packetLoss: 10 } },
      })
      const idle = await storeCheck(service, { type: 'TCP' })
      const checkIds = [icmp, service.app.newId(), checkId, idle]
      const { status, body } = await service.call('POST', '/v1/analytics/checks?quickRange=last24Hours', {
        body: { checkIds },
      })
      t.equal(status, 200)
      const covered = { from: '2025-12-31T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' }
      t.strictSame(body, [
        {
          checkId: icmp,
          checkType: 'ICMP',
          ...covered,
          availability: 100,
          latency_avg: 4,
          latency_p50: 4,
          latency_p95: 4,
          latency_p99: 4,
          packetLoss_avg: 10,
          packetLoss_p95: 10,
          packetLoss_p99: 10,
        },
        {
          checkId,
          checkType: 'URL',
          ...covered,
          availability: 60,
          responseTime_avg: 300,
          responseTime_p50: 300,
          responseTime_p95: 400,
          responseTime_p99: 400,
        },
        {
          checkId: idle,
          checkType: 'TCP',
          ...covered,
          availability: null,
          responseTime_avg: null,
          responseTime_p50: null,
          responseTime_p95: null,
          responseTime_p99: null,
        },
      ])
      const { apiKey: stranger } = await service.addKey()
      t.strictSame(
        (await service.call('POST', '/v1/analytics/checks', { key: stranger, body: { checkIds } })).body,
        [],
      )
      for (const wrong of [
        [],
        ['x'],
        Array.from({ length: 101 }, () => service.app.newId()),
        [checkId, checkId],
      ])
        t.equal(
          (await service.call('POST', '/v1/analytics/checks', { body: { checkIds: wrong } })).status,
          400,
        )
    })

    t.test('web vitals per page, trace counts, certificates and heartbeats', async (t) => {
      const browser = await storeCheck(service, { type: 'BROWSER' })
      const page = (LCP: number) => ({
        url: 'x',
        webVitals: { LCP: { score: 'GOOD', value: LCP }, CLS: null },
      })
      const browserCheckResult = { pages: [page(100), page(300)], traceSummary: { consoleErrors: 2 } }
      await storeResult(service, {
        checkId: browser,
        checkType: 'BROWSER',
        at: now - hour,
        doc: { browserCheckResult },
      })
      const vitals = 'metrics=LCP_avg,CLS_avg,consoleErrors_sum'
      const [all] = (await ask(vitals, browser, 'browser-checks')).body.series
      t.match(all.data, [{ LCP_avg: 200, CLS_avg: null, consoleErrors_sum: 2 }])
      t.match((await ask('metrics=LCP_avg&groupBy=pageIndex', browser, 'browser-checks')).body.series, [
        { pageIndex: 0, data: [{ LCP_avg: 100 }] },
        { pageIndex: 1, data: [{ LCP_avg: 300 }] },
      ])
      await storeResult(service, {
        checkId,
        at: now - 1,
        doc: { metrics: { tls: 21 }, ...response(200, { certificate: { daysRemaining: 30 } }) },
      })
      t.match(
        (await ask('metrics=handshakeTimeMs_max,daysUntilExpiry_min', checkId, 'ssl')).body.series[0].data,
        [{ handshakeTimeMs_max: 21, daysUntilExpiry_min: 30 }],
      )
      const heartbeat = await storeCheck(service, { type: 'HEARTBEAT' })
      const ping = { checkId: heartbeat, checkType: 'HEARTBEAT' }
      await storeResult(service, { ...ping, at: now - hour, doc: { state: 'EARLY' } })
      await storeResult(service, { ...ping, at: now - minute, hasFailures: true })
      t.match((await ask('', heartbeat, 'heartbeat-checks')).body.series, [{ data: [{ availability: 50 }] }])
      t.match((await ask('filterByStatus=EARLY', heartbeat, 'heartbeat-checks')).body.series, [
        { data: [{ availability: 100 }] },
      ])
      t.equal((await ask('aggregationInterval=60', heartbeat, 'heartbeat-checks')).status, 400)
    })
  })

t.test('every parameter is validated', async (t) => {
  const service = await testApp(t)
  const checkId = await storeCheck(service)
  const path = `/v1/analytics/url-monitors/${checkId}`
  const refused = [
    '',
    'metrics=',
    'metrics=nonsense',
    'metrics=availability,nonsense',
    'metrics=LCP_avg',
    ...[
      'quickRange=last24Hrs',
      'aggregationInterval=0',
      'aggregationInterval=43201',
      'aggregationInterval=x',
      'filterByStatus=degraded',
      'groupBy=pageIndex',
      'limit=0',
      'limit=101',
      'page=0',
      'from=yesterday',
      'from=2&to=1',
      'from=0&to=1767225600',
      'unknown=1',
    ].map((wrong) => `metrics=availability&${wrong}`),
  ]
  for (const query of refused) t.equal((await service.call('GET', `${path}?${query}`)).status, 400, query)
  const accepted = [
    'aggregationInterval=1',
    'aggregationInterval=43200',
    'quickRange=lastMonth',
    'limit=100',
    'from=1767139200',
    'from=2025-12-31&to=2026-01-01',
    'to=1767225600',
    'groupBy=statusCode',
  ]
  for (const query of accepted)
    t.equal((await service.call('GET', `${path}?metrics=availability&${query}`)).status, 200, query)
})

t.test('an endpoint knows the checks of its own type only, and of its own account', async (t) => {
  const service = await testApp(t)
  const { apiKey: stranger } = await service.addKey()
  for (const { path, checkTypes, numbers } of kinds) {
    const own = await storeCheck(service, { type: checkTypes[0]! })
    const other = await storeCheck(service, { type: 'AGENTIC' })
    const query = `metrics=availability,${numbers[0]!.name}_p99`
    t.equal((await service.call('GET', `/v1/analytics/${path}/${own}?${query}`)).status, 200, path)
    t.equal((await service.call('GET', `/v1/analytics/${path}/${other}?${query}`)).status, 404, path)
    t.equal(
      (await service.call('GET', `/v1/analytics/${path}/${own}?${query}`, { key: stranger })).status,
      404,
    )
    t.equal((await service.call('GET', `/v1/analytics/${path}/nonsense?${query}`)).status, 400)
    const { body } = await service.call('GET', `/v1/analytics/metrics?checkType=${checkTypes[0]}`)
    t.match(
      body.find(({ name }: { name: string }) => name === 'availability'),
      { unit: 'percentage', type: 'Float', aggregated: true },
    )
  }
  t.equal((await service.call('GET', '/v1/analytics/metrics')).status, 400)
  t.equal((await service.call('GET', '/v1/analytics/metrics?checkType=AGENTIC')).body.length, 3)
})

t.test('analytics are limited to 60 requests in 60 seconds', async (t) => {
  const service = await testApp(t)
  const ask = () => service.call('GET', '/v1/analytics/metrics?checkType=URL')
  for (let request = 0; request < 60; request++) await ask()
  const refused = await ask()
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), '60')
  service.advance(60_000)
  t.equal((await ask()).status, 200)
})

t.test('more results than are read at once are all counted', async (t) => {
  const service = await testApp(t)
  const checkId = await storeCheck(service)
  await service.app.db.transaction(async (trx) => {
    for (let run = 0; run < 10_050; run++)
      await storeResult(
        {
          app: { ...service.app, db: { ...service.app.db, transaction: (work) => work(trx) } },
          accountId: service.accountId,
        },
        { checkId, at: now - hour + Math.floor(run / 7), responseTime: run },
      )
  })
  const { body } = await service.call(
    'GET',
    `/v1/analytics/url-monitors/${checkId}?metrics=responseTime_sum,responseTime_max`,
  )
  t.match(body.series[0].data, [{ responseTime_sum: (10_049 * 10_050) / 2, responseTime_max: 10_049 }])
})
