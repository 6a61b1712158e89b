import t from 'tap'
import { noClockOffset, offsetOf, withSample } from '../../agent/clock-offset.ts'

const sample = (sentAt: number, roundTripMs: number, offset: number) => ({
  sentAt,
  receivedAt: sentAt + roundTripMs,
  serverTime: sentAt + roundTripMs / 2 + offset,
})

t.test('nothing is known before the first answer', async (t) => {
  t.equal(offsetOf(noClockOffset), null)
})

t.test('the quickest answer decides, the later of two equals', async (t) => {
  const slow = withSample(noClockOffset, sample(0, 20_000, 999))
  t.equal(offsetOf(slow), 999)
  const quick = withSample(slow, sample(30_000, 4, 1000))
  t.equal(offsetOf(withSample(quick, sample(31_000, 900, 1300))), 1000)
  t.equal(offsetOf(withSample(quick, sample(32_000, 4, 1002))), 1002)
})

t.test('old answers are forgotten, so that drift is followed', async (t) => {
  const old = withSample(noClockOffset, sample(0, 1, 0))
  t.equal(offsetOf(withSample(old, sample(11 * 60_000, 50, 70))), 70)
})
