import t, { type Test } from 'tap'
import { exportingPlane, finalResults, lostOf } from '../../../support/exporting-plane.ts'
import { otlpReceiver } from '../../../support/otlp-receiver.ts'
import { until } from '../../../support/until.ts'

const hourMs = 3_600_000

const metricsTo = async (t: Test, maxSeries: number) => {
  const receiver = await otlpReceiver(t)
  const plane = await exportingPlane(t, {
    origin: receiver.origin,
    settings: { maxSeries, metricsEveryMs: 200 },
  })
  const { time } = plane
  const record = (checkId: string) => plane.runExport.take(finalResults(1, () => ({ checkId })))
  /** The checks of the next export. */
  const next = async (): Promise<unknown[]> => {
    const from = receiver.requests.length
    receiver.points.length = 0
    await until('an export', () => receiver.requests.length > from && receiver.points.length > 0)
    return [...new Set(receiver.points.map(({ attributes }) => attributes['watchpost.check.id']))].toSorted()
  }
  return { receiver, time, record, next, lost: () => lostOf(plane) }
}

t.test('there are only so many series, and those that are known go on', async (t) => {
  const { receiver, record, next, lost } = await metricsTo(t, 3)
  for (const check of ['a', 'b', 'c', 'd', 'a']) record(check)
  t.strictSame(await next(), ['a', 'b', 'c'])
  t.match(await receiver.point('watchpost.runs', { 'watchpost.check.id': 'a' }), { value: 2 })
  t.strictSame(await lost(), { series: 1 })
})

t.test('what has not run for longer than a day ends; the sums of the others begin anew', async (t) => {
  const { receiver, record, next, time } = await metricsTo(t, 3)
  for (const check of ['gone', 'daily', 'daily']) record(check)
  t.strictSame(await next(), ['daily', 'gone'])
  const { startTime } = await receiver.point('watchpost.runs', { 'watchpost.check.id': 'daily' })
  time.ms += 24 * hourMs
  record('daily')
  t.match(await next(), ['daily', 'gone'], 'a check may run once a day')
  t.match(await receiver.point('watchpost.runs', { 'watchpost.check.id': 'daily' }), { value: 3, startTime })
  time.ms += 2 * hourMs
  record('daily')
  // The provider before sends its last sums while it closes.
  await next()
  t.strictSame(await next(), ['daily'])
  const anew = await receiver.point('watchpost.runs', { 'watchpost.check.id': 'daily' })
  t.equal(anew.value, 1)
  t.ok(anew.startTime > startTime)
})
