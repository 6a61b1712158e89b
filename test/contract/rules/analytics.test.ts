import type { TestApp } from '../../support/app.ts'
import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import { refused } from '../../support/field-rules.ts'
import { hasShape } from '../../support/shapes.ts'
import { storeCheck, storeResult } from '../../support/stored-results.ts'

const minute = 60_000
const hour = 60 * minute
const type = { type: 'PLAYWRIGHT', name: 'suite' }
const result = { checkType: 'PLAYWRIGHT' }

const ask = (plane: TestApp, checkId: string, query: string) =>
  plane.call('GET', `/v1/analytics/playwright-checks/${checkId}?${query}`)

const wrong =
  (...queries: Array<[query: string, expected: string]>): RuleTest =>
  async (t, plane) => {
    const checkId = await storeCheck(plane, type)
    for (const [query, expected] of queries)
      await refused(t, plane, {
        method: 'GET',
        path: `/v1/analytics/playwright-checks/${checkId}?${query}`,
        expected,
      })
  }

const accepted =
  (...queries: string[]): RuleTest =>
  async (t, plane) => {
    const checkId = await storeCheck(plane, type)
    for (const query of queries) {
      const answer = await ask(plane, checkId, query)
      t.equal(answer.status, 200, `${query}: ${answer.text.slice(0, 300)}`)
    }
  }

const availability = (passed: number, failed: number): RuleTest => {
  const query =
    passed > 0 && failed > 0 ? '' : passed > 0 ? '&filterByStatus=success' : '&filterByStatus=failure'
  return async (t, plane) => {
    const checkId = await storeCheck(plane, type)
    const at = plane.app.clock.now() - minute
    await storeResult(plane, { checkId, at, ...result })
    await storeResult(plane, { checkId, at: at + 1, hasFailures: true, ...result })
    const { body } = await ask(plane, checkId, `metrics=availability${query}`)
    t.equal(body.series[0].data[0].availability, (100 * passed) / (passed + failed), query)
  }
}

const metrics = [
  ...[
    'responseTime',
    'availability',
    'retries',
    'responseTime_avg',
    'responseTime_max',
    'responseTime_median',
  ],
  ...['responseTime_min', 'responseTime_p50', 'responseTime_p90', 'responseTime_p95', 'responseTime_p99'],
  ...['responseTime_stddev', 'responseTime_sum'],
]

const ranges = ['last24Hours', 'last7Days', 'last30Days', 'thisWeek', 'thisMonth', 'lastWeek', 'lastMonth']

testRules('Analytics series (Playwright checks)', {
  'every field of the response, with its type': async (t, plane) => {
    const checkId = await storeCheck(plane, { ...type, doc: { tags: ['shop'] } })
    await storeResult(plane, { checkId, at: plane.app.clock.now() - minute, ...result })
    const { body } = await ask(plane, checkId, 'metrics=availability,responseTime_p95')
    hasShape(t, body, {
      checkId: 'text',
      name: 'text',
      checkType: 'text',
      activated: 'boolean',
      muted: 'boolean',
      frequency: 'number',
      from: 'instant',
      to: 'instant',
      tags: 'texts',
      series: 'list',
      pagination: 'object',
      metadata: 'object',
    })
    hasShape(t, body.pagination, { page: 'number', limit: 'number' })
    t.strictSame(Object.keys(body.metadata).sort(), ['availability', 'responseTime_p95'])
    for (const group of body.series) {
      hasShape(t, group, { data: 'list' })
      t.strictSame(Object.keys(group.data[0]).sort(), ['availability', 'responseTime_p95', 'timestamp'])
    }
    for (const one of Object.values(body.metadata))
      hasShape(t, one as Record<string, unknown>, { label: 'text' })
  },
  'metric names: the thirteen and no other': each(
    ...metrics.map((name) => accepted(`metrics=${name}`)),
    wrong(['metrics=happiness', 'metrics.0 pattern'], ['metrics=responseTime_p42', 'metrics.0 pattern']),
  ),
})

testRules('GET /v1/analytics/playwright-checks/{id}', {
  'from and to: UNIX timestamps that override `quickRange`': async (t, plane) => {
    const checkId = await storeCheck(plane, type)
    const to = plane.app.clock.now() / 1000
    const query = `metrics=availability&quickRange=last30Days&from=${to - 3600}&to=${to}`
    const { body } = await ask(plane, checkId, query)
    t.equal(Date.parse(body.to) - Date.parse(body.from), hour)
    await wrong(['metrics=availability&from=yesterday', 'from pattern'])(t, plane)
  },
  'quickRange: one of seven, default last24Hours': each(
    ...ranges.map((range) => accepted(`metrics=availability&quickRange=${range}`)),
    wrong(['metrics=availability&quickRange=last99Years', 'quickRange enum']),
    async (t, plane) => {
      const checkId = await storeCheck(plane, type)
      const { body } = await ask(plane, checkId, 'metrics=availability')
      t.equal(Date.parse(body.to) - Date.parse(body.from), 24 * hour)
    },
  ),
  'aggregationInterval: minutes, 1 to 43200': each(
    accepted('metrics=availability&aggregationInterval=1', 'metrics=availability&aggregationInterval=43200'),
    wrong(
      ['metrics=availability&aggregationInterval=0', 'aggregationInterval minimum'],
      ['metrics=availability&aggregationInterval=43201', 'aggregationInterval maximum'],
    ),
  ),
  'filterByStatus: a list of success and failure': each(
    availability(1, 0),
    availability(0, 1),
    availability(1, 1),
    accepted('metrics=availability&filterByStatus=success,failure'),
    wrong(['metrics=availability&filterByStatus=luck', 'filterByStatus.0 pattern']),
  ),
  'groupBy: runLocation': each(
    async (t, plane) => {
      const checkId = await storeCheck(plane, type)
      const at = plane.app.clock.now() - minute
      for (const location of ['eu-west-1', 'us-east-1'])
        await storeResult(plane, { checkId, at, location, ...result })
      const { body } = await ask(plane, checkId, 'metrics=availability&groupBy=runLocation')
      t.strictSame(body.series.map(({ runLocation }: { runLocation: string }) => runLocation).sort(), [
        'eu-west-1',
        'us-east-1',
      ])
    },
    wrong(['metrics=availability&groupBy=mood', 'groupBy enum']),
  ),
  'metrics: required, several as a comma separated text': each(
    wrong(['', 'metrics required']),
    accepted(`metrics=${metrics.join(',')}`),
  ),
  'limit: an integer, default 10, 1 to 100': each(
    accepted('metrics=availability&limit=1', 'metrics=availability&limit=100'),
    wrong(
      ['metrics=availability&limit=0', 'limit minimum'],
      ['metrics=availability&limit=101', 'limit maximum'],
    ),
    async (t, plane) => {
      const { body } = await ask(plane, await storeCheck(plane, type), 'metrics=availability')
      t.equal(body.pagination.limit, 10)
    },
  ),
  'page: a number, default 1': each(
    accepted('metrics=availability&page=2'),
    wrong(['metrics=availability&page=0', 'page minimum']),
    async (t, plane) => {
      const { body } = await ask(plane, await storeCheck(plane, type), 'metrics=availability')
      t.equal(body.pagination.page, 1)
    },
  ),
  'checkType of the answer: PLAYWRIGHT; a check of another type is not found': async (t, plane) => {
    const { body } = await ask(plane, await storeCheck(plane, type), 'metrics=availability')
    t.equal(body.checkType, 'PLAYWRIGHT')
    t.equal((await ask(plane, await storeCheck(plane), 'metrics=availability')).status, 404)
  },
})
