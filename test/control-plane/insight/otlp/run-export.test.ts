import t from 'tap'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { engineNames } from '../../../support/databases.ts'
import {
  claimedCheck,
  exportingPlane,
  failedDetail,
  finalResults,
  lostOf,
  reportOf,
  sendReports,
} from '../../../support/exporting-plane.ts'
import { otlpReceiver } from '../../../support/otlp-receiver.ts'
import { until } from '../../../support/until.ts'

const failure = { code: 'HTTP_STATUS', message: 'The server answered with status 503', network: false }
const trace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }

for (const engine of engineNames)
  t.test(`a run becomes metrics, and one that fails a span with its phases (${engine})`, async (t) => {
    const receiver = await otlpReceiver(t)
    const plane = await exportingPlane(t, { origin: receiver.origin, engine })
    const well = await claimedCheck(plane, { name: 'well' })
    const bad = await claimedCheck(plane, { name: 'bad' })
    const url = 'https://shop.test:8443/cart'
    const assertion = { order: 0, source: 'STATUS_CODE', comparison: 'EQUALS', target: 200, actual: 503 }
    const detail = {
      ...failedDetail(url),
      assertions: [{ ...assertion, property: '', regex: null, passed: false, error: 'It is not 200' }],
    }
    const outcomes = await sendReports(plane, [
      reportOf(plane, well, { responseTime: 250 }),
      reportOf(plane, bad, { responseTime: 221, failure, detail, trace }),
    ])
    t.strictSame(outcomes, ['accepted', 'accepted'])

    const passed = { 'watchpost.check.id': well.checkId, 'watchpost.run.status': 'passed' }
    t.match(await receiver.point('watchpost.runs', passed), {
      value: 1,
      unit: '{run}',
      attributes: {
        ...passed,
        'watchpost.account.id': plane.accountId,
        'watchpost.check.name': 'well',
        'watchpost.check.type': 'URL',
        'watchpost.location': 'local',
      },
    })
    t.match(await receiver.point('watchpost.run.duration', passed), { value: 0.25, count: 1, unit: 's' })
    const failed = { 'watchpost.check.id': bad.checkId, 'watchpost.run.status': 'failed' }
    t.match(await receiver.point('watchpost.runs', failed), { value: 1 })

    await until('spans', () => receiver.spans.length > 0)
    const now = plane.app.clock.now()
    const [run] = receiver.spans.filter(({ parentSpanId }) => parentSpanId === '')
    t.match(run, {
      ...trace,
      name: 'URL run',
      kind: 3,
      startMs: now,
      endMs: now + 400,
      status: { code: 2, message: failure.message },
      attributes: {
        ...failed,
        'watchpost.check.name': 'bad',
        'watchpost.location': 'local',
        'watchpost.result.url': `http://plane.test/v1/check-results/${bad.checkId}/${bad.id}`,
        'error.type': '503',
        'http.request.method': 'GET',
        'http.response.status_code': 503,
        'network.peer.address': '192.0.2.1',
        'server.address': 'shop.test',
        'url.full': url,
      },
      events: [{ name: 'assertion failed', attributes: { 'watchpost.assertion.error': 'It is not 200' } }],
    })
    const phases = receiver.spans.filter(({ parentSpanId }) => parentSpanId === trace.spanId)
    t.strictSame(
      phases.map(({ name, startMs, endMs, traceId }) => [name, startMs - now, endMs - now, traceId]),
      [
        ['dns', 51, 61, trace.traceId],
        ['tcp', 61, 81, trace.traceId],
        ['tls', 81, 111, trace.traceId],
        ['ttfb', 111, 211, trace.traceId],
        ['download', 211, 221, trace.traceId],
      ],
      'behind the first request of the chain',
    )
    t.equal(receiver.spans.length, 6, 'the run that passed is none')
    t.match(receiver.resources[0], { 'service.name': 'watchpost' })
    const { body } = await plane.call('GET', `/v1/check-results/${bad.checkId}/${bad.id}`)
    t.equal(body.traceId, trace.traceId)
  })

t.test(
  'an attempt that is retried is none; the run is exported once, also when nobody came for its retry',
  async (t) => {
    const receiver = await otlpReceiver(t)
    const plane = await exportingPlane(t, { origin: receiver.origin })
    const job = await claimedCheck(plane, { doubleCheck: true })
    await sendReports(plane, [reportOf(plane, job, { failure, trace })])
    plane.advance(3 * 3_600_000)
    const other = await claimedCheck(plane, { name: 'other' })
    await sendReports(plane, [reportOf(plane, other, {})])
    await receiver.point('watchpost.runs', { 'watchpost.check.id': other.checkId })
    t.equal(
      receiver.points.filter(({ attributes }) => attributes['watchpost.check.id'] === job.checkId).length,
      0,
    )
    await sweepTick(plane.app)
    t.match(await receiver.point('watchpost.runs', { 'watchpost.check.id': job.checkId }), {
      value: 1,
      attributes: { 'watchpost.run.status': 'failed', 'watchpost.check.name': 'home' },
    })
    await until('its span', () => receiver.spans.some(({ spanId }) => spanId === trace.spanId))
  },
)

for (const [name, answer] of [
  ['answers 500', 500],
  ['never answers', 'stall'],
  ['is not there', null],
] as const)
  t.test(`results are taken all the same where the receiver ${name}`, async (t) => {
    const receiver = await otlpReceiver(t, () => answer ?? 500)
    const origin = answer === null ? 'http://127.0.0.1:9' : receiver.origin
    const plane = await exportingPlane(t, { origin, settings: { maxSpans: 2 } })
    for (let round = 0; round < 5; round++) {
      const job = await claimedCheck(plane, { name: `check ${round}` })
      t.strictSame(await sendReports(plane, [reportOf(plane, job, { failure })]), ['accepted'])
    }
    await until('a loss is counted', async () => Object.keys(await lostOf(plane)).length > 0)
    await until('it is said', () => plane.said.length > 0)
    t.equal(plane.said.length, 1, 'not once for each')
    t.match(plane.said[0], { msg: 'Some of what is exported by OTLP does not arrive' })
    const end = Promise.withResolvers<void>()
    const closing = plane.runExport.close(end.promise)
    end.resolve()
    await closing
  })

t.test('a receiver that comes back hears the sums of all runs', async (t) => {
  let status = 400
  const receiver = await otlpReceiver(t, () => status)
  const plane = await exportingPlane(t, { origin: receiver.origin })
  const first = await claimedCheck(plane)
  await sendReports(plane, [reportOf(plane, first, { failure })])
  await until('its span is lost', async () => (await lostOf(plane))['export'] === 1)
  status = 200
  const attributes = { 'watchpost.check.id': first.checkId }
  t.match(await receiver.point('watchpost.runs', attributes), { value: 1, temporality: 2 })
})

t.test('what comes faster than it is taken is dropped and counted', async (t) => {
  const receiver = await otlpReceiver(t)
  const { runExport, ...plane } = await exportingPlane(t, { origin: receiver.origin })
  runExport.take(finalResults(6000, () => ({})))
  t.strictSame(await lostOf(plane), { queue: 1000 })
  await until('the others are counted', () => receiver.points.some(({ value }) => value === 5000))
})
