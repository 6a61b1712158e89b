import t from 'tap'
import { noClockOffset, offsetOf, withSample } from '../../../agent/reporting/clock-offset.ts'

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

t.test('a clock that was set is believed at once', async (t) => {
  for (const stepMs of [5 * 3_600_000, -5 * 3_600_000, 250, -250]) {
    const known = [1, 2, 3].reduce((clock, at) => withSample(clock, sample(at * 1000, 2, 0)), noClockOffset)
    const stepped = withSample(known, sample(5000, 40, stepMs))
    t.equal(offsetOf(stepped), stepMs, 'although the answers before it were quicker')
    t.equal(offsetOf(withSample(stepped, sample(6000, 2, stepMs + 1))), stepMs + 1)
  }
})

t.test('a long poll across the step tells nothing wrong', async (t) => {
  const known = withSample(noClockOffset, sample(1000, 2, 0))
  const poll = { sentAt: 2000, receivedAt: 42_000, serverTime: 42_000 + 3_600_000 - 1 }
  t.equal(offsetOf(withSample(withSample(known, poll), sample(43_000, 2, 3_600_000))), 3_600_000)
})

t.test('old answers are forgotten, so that drift is followed', async (t) => {
  const old = withSample(noClockOffset, sample(0, 1, 0))
  t.equal(offsetOf(withSample(old, sample(11 * 60_000, 50, 70))), 70)
})
