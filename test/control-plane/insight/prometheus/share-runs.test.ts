import t from 'tap'
import { exporter } from '../../../../control-plane/insight/prometheus/exporter.ts'
import { shareRunsTick } from '../../../../control-plane/insight/prometheus/share-runs-tick.ts'
import { query } from '../../../../control-plane/platform/store/database/query.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { freshDatabase } from '../../../support/databases.ts'
import { finishedRun, samples, scrape } from '../../../support/exporter.ts'
import { storeCheck } from '../../../support/stored-results.ts'

const rows = query('all-exporter-runs', (k, _: object) => k.selectFrom('exporter_runs').select('id'))

const passing = ({ text }: { text: string }): string | undefined =>
  samples(text, 'watchpost_check_result_total')
    .find((line) => line.includes('status="passing"'))
    ?.split(' ')
    .at(-1)

t.test('a run that one control plane takes in counts in the exporters of all', async (t) => {
  const db = await freshDatabase(t, 'postgres')
  const first = await testApp(t, { engine: 'postgres', parts: { db } })
  const second = await testApp(t, { engine: 'postgres', parts: { db } })
  const { accountId, apiKey } = first
  const account = { app: first.app, accountId }
  const checkId = await storeCheck(account)
  const scrapeOf = (plane: TestApp) =>
    scrape({
      accountId,
      call: (method, path, options) => plane.call(method, path, { ...options, key: apiKey }),
    })
  const finish = (plane: TestApp) => plane.app.finishedRuns.publish([finishedRun(account, { checkId })])
  const share = async () => {
    for (const plane of [first, second, first, second]) await shareRunsTick(plane.app)
  }

  await share()
  finish(second)
  await share()
  t.strictSame(await db.all(rows, {}), [], 'nobody scrapes: nothing is written')

  await scrapeOf(first)
  await share()
  finish(second)
  finish(first)
  await share()
  await share()
  t.equal(passing(await scrapeOf(first)), '2', 'each counts once')
  t.equal((await db.all(rows, {})).length, 1, 'what nobody else asks for is not written')

  await scrapeOf(second)
  await share()
  finish(first)
  await share()
  t.equal(passing(await scrapeOf(second)), '1', 'from its first scrape on')
  t.equal(passing(await scrapeOf(first)), '3')

  for (const plane of [first, second]) plane.advance(10 * 60_000)
  await share()
  t.strictSame(await db.all(rows, {}), [], 'rows are kept for minutes')

  for (const plane of [first, second]) plane.advance(2 * 3_600_000)
  await share()
  finish(second)
  t.strictSame(exporter(second.app).outbox.take(10), [], 'nobody has scraped for an hour')
})

t.test('a store that cannot be shared is left alone', async (t) => {
  const plane = await testApp(t)
  await scrape(plane)
  plane.app.finishedRuns.publish([finishedRun(plane, {})])
  await shareRunsTick(plane.app)
  t.strictSame(await plane.app.db.all(rows, {}), [])
})
