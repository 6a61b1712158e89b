import t from 'tap'
import {
  addNative,
  createNative,
  observeNative,
} from '../../../../control-plane/insight/prometheus/native-histogram.ts'
import { prefersProtobuf, protobufType } from '../../../../protocol/exposition.ts'
import { testApp } from '../../../support/app.ts'
import { finishedRun, samples, scrape } from '../../../support/exporter.ts'
import { storeCheck } from '../../../support/stored-results.ts'

t.test('whoever would rather have protobuf than text gets it', async (t) => {
  const protobuf = protobufType.replaceAll(' ', '')
  const rows: Array<[accept: string | undefined, prefers: boolean]> = [
    [undefined, false],
    ['*/*', false],
    ['text/plain;version=0.0.4', false],
    [protobuf, true],
    [`${protobuf},application/openmetrics-text;version=1.0.0;q=0.8,text/plain;q=0.5,*/*;q=0.1`, true],
    [`application/openmetrics-text;version=1.0.0,${protobuf};q=0.6`, false],
    [`${protobuf};q=0`, false],
    ['application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text', false],
    ['application/vnd.google.protobuf;proto=other;encoding=delimited', false],
  ]
  for (const [accept, prefers] of rows)
    t.equal(prefersProtobuf(accept), prefers, accept ?? 'nothing asked for')
})

t.test('buckets are those that counted something, in their order', async (t) => {
  const histogram = createNative()
  for (const value of [0, 1, 0.000_000_5, 2, 1.9, 1, 1e9, 0.25]) observeNative(histogram, value)
  t.strictSame(histogram, { zeros: 2, indexes: [-8, 0, 4, 54], counts: [1, 2, 2, 1] })
  const sum = createNative()
  observeNative(sum, 1.1)
  addNative(sum, histogram)
  addNative(sum, createNative())
  t.strictSame(sum, { zeros: 2, indexes: [-8, 0, 1, 4, 54], counts: [1, 2, 1, 2, 1] })
})

t.test(
  'with the first scrape in protobuf all histograms begin anew, and classic ones come beside them for whoever asks',
  async (t) => {
    const plane = await testApp(t)
    const { app } = plane
    const checkId = await storeCheck(plane, { name: 'shop', doc: { name: 'shop' } })
    const count = async () =>
      samples((await scrape(plane)).text, 'watchpost_url_monitor_timing_seconds_count').filter((line) =>
        line.includes('type="dns"'),
      )
    t.strictSame(await count(), [])
    app.finishedRuns.publish([finishedRun(plane, { checkId })])
    t.match(await count(), [/ 1$/])
    const answer = await scrape(plane, {}, { accept: protobufType })
    t.equal(answer.headers.get('content-type'), protobufType)
    t.match(answer.text, 'watchpost_check_result_total')
    t.notMatch(answer.text, 'url_monitor_timing_seconds')
    t.strictSame(await count(), [])
    app.finishedRuns.publish([finishedRun(plane, { checkId })])
    t.match(await count(), [/ 1$/])
    const length = async (query: Record<string, string>) =>
      (await scrape(plane, query, { accept: protobufType })).text.length
    const [none, native, both] = [
      await length({ histograms: 'false' }),
      await length({}),
      await length({ classicHistograms: 'true' }),
    ]
    t.ok(none < native && native < both, `${none} < ${native} < ${both}`)
  },
)
