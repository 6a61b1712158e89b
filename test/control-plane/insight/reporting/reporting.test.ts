// Runs on both engines in test:all: rows are counted and added up.
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { storeCheck, storeResult } from '../../../support/stored-results.ts'

const now = Date.UTC(2026, 0, 1)
const hour = 3_600_000

for (const engine of engineNames)
  t.test(`the report says how all checks did (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const shop = await storeCheck(service, { name: 'shop', doc: { tags: ['shop', 'eu'] } })
    const old = await storeCheck(service, { name: 'old', activated: false })
    for (const [hoursAgo, responseTime, hasFailures] of [
      [1, 100, false],
      [2, 300, true],
      [26, 500, false],
      [50, 700, false],
    ] as const)
      await storeResult(service, { checkId: shop, at: now - hoursAgo * hour, responseTime, hasFailures })
    await storeResult(service, { checkId: shop, at: now - hour, responseTime: 9999, hasErrors: true })
    const ask = async (query = '') => (await service.call('GET', `/v1/reporting?${query}`)).body
    const covered = { from: '2025-12-31T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' }
    const nothing = {
      ...covered,
      successRatio: null,
      avg: null,
      p95: null,
      p99: null,
      dependencyDowntime: [],
    }
    t.strictSame(await ask(), [
      {
        name: 'shop',
        checkId: shop,
        checkType: 'URL',
        deactivated: false,
        tags: ['shop', 'eu'],
        aggregate: { ...covered, successRatio: 50, avg: 200, p95: 100, p99: 100, dependencyDowntime: [] },
      },
      { name: 'old', checkId: old, checkType: 'URL', deactivated: true, tags: [], aggregate: nothing },
    ])
    const names = async (query: string) => (await ask(query)).map(({ name }: { name: string }) => name)
    t.strictSame(await names('deactivated=true'), ['old'])
    t.strictSame(await names('deactivated=false'), ['shop'])
    t.strictSame(await names('filterByTags[]=eu&filterByTags[]=us'), ['shop'])
    t.strictSame(await names('filterByTags=us'), [])
    t.equal((await ask('quickRange=last7Days'))[0].aggregate.avg, 400)
    const [days] = await ask(`granularity=day&from=${(now - 72 * hour) / 1000}&to=${now / 1000}`)
    t.notOk('aggregate' in days)
    t.strictSame(days.aggregates, [
      {
        from: '2025-12-29T00:00:00.000Z',
        to: '2025-12-30T00:00:00.000Z',
        successRatio: 100,
        avg: 700,
        p95: 700,
        p99: 700,
        dependencyDowntime: [],
      },
      {
        from: '2025-12-30T00:00:00.000Z',
        to: '2025-12-31T00:00:00.000Z',
        successRatio: 100,
        avg: 500,
        p95: 500,
        p99: 500,
        dependencyDowntime: [],
      },
      {
        from: '2025-12-31T00:00:00.000Z',
        to: '2026-01-01T00:00:00.000Z',
        successRatio: 50,
        avg: 200,
        p95: 100,
        p99: 100,
        dependencyDowntime: [],
      },
    ])
    const [kathmandu] = await ask('granularity=day&timezone=Asia/Kathmandu')
    t.match(kathmandu.aggregates, [
      { from: '2025-12-31T00:00:00.000Z', to: '2025-12-31T18:15:00.000Z', avg: null },
      { from: '2025-12-31T18:15:00.000Z', to: '2026-01-01T00:00:00.000Z', avg: 200 },
    ])
    const { apiKey: stranger } = await service.addKey()
    t.strictSame((await service.call('GET', '/v1/reporting', { key: stranger })).body, [])
  })

t.test('every parameter is validated: at most 400 days and 120 buckets, and a real time zone', async (t) => {
  const { call } = await testApp(t)
  const at = now / 1000
  const day = 86_400
  for (const query of [
    'quickRange=last24Hours',
    'granularity=hour',
    'timezone=Mars/Base',
    'deactivated=x',
    'from=2&to=1',
    `from=${at - 401 * day}&to=${at}`,
    `granularity=day&from=${at - 121 * day}&to=${at}`,
    'page=1',
  ])
    t.equal((await call('GET', `/v1/reporting?${query}`)).status, 400, query)
  for (const query of [
    `granularity=day&from=${at - 120 * day}&to=${at}`,
    `granularity=week&from=${at - 400 * day}&to=${at}`,
    'granularity=month&quickRange=lastMonth&timezone=America/New_York',
  ])
    t.equal((await call('GET', `/v1/reporting?${query}`)).status, 200, query)
})
