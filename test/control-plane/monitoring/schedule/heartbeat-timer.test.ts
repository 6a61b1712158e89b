import t from 'tap'
import {
  durationMs,
  raiseAlarm,
  receivePing,
  restartGraceMs,
  restartTimer,
  stopTimer,
  type Timer,
} from '../../../../control-plane/monitoring/schedule/heartbeat-timer.ts'
import { fc } from '../../../support/fast-check.ts'

const fresh: Timer = {
  periodMs: 60_000,
  graceMs: 30_000,
  state: 'waiting',
  lastPingAt: null,
  expectedAt: null,
  deadlineAt: null,
}
const start = 1_700_000_000_000
const pinged = receivePing(fresh, start).timer

t.test('the first ping starts the timer', async (t) => {
  t.match(receivePing(fresh, start), {
    event: 'RECEIVED',
    timer: { state: 'running', lastPingAt: start, expectedAt: start + 60_000, deadlineAt: start + 90_000 },
  })
})

t.test('a ping is early, on time, in its grace or late', async (t) => {
  const events = [1000, 54_999, 55_000, 60_000, 65_000, 65_001, 90_000, 90_001].map(
    (after) => receivePing(pinged, start + after).event,
  )
  t.strictSame(events, ['EARLY', 'EARLY', 'RECEIVED', 'RECEIVED', 'RECEIVED', 'GRACE', 'GRACE', 'LATE'])
})

t.test('an alarm and every ping set the timer anew', async (t) => {
  const alarmed = raiseAlarm(pinged, start + 90_001)
  t.match(alarmed, {
    state: 'failing',
    expectedAt: start + 150_001,
    deadlineAt: start + 180_001,
    lastPingAt: start,
  })
  t.match(receivePing(alarmed, start + 100_000), { event: 'RECEIVED', timer: { state: 'running' } })
})

t.test('a restart expects a ping only where one has come before', async (t) => {
  t.match(restartTimer(fresh, start), { state: 'waiting', expectedAt: null, deadlineAt: null })
  t.match(restartTimer(stopTimer(pinged), start + 5), { state: 'running', deadlineAt: start + 5 + 90_000 })
})

t.test('durations are counted in the units of the contract', async (t) => {
  t.strictSame(
    [durationMs(30, 'seconds'), durationMs(2, 'minutes'), durationMs(3, 'hours'), durationMs(365, 'days')],
    [30_000, 120_000, 10_800_000, 31_536_000_000],
  )
})

t.test('after our own downtime nobody is failed at once', async (t) => {
  t.equal(restartGraceMs({ graceMs: 0, periodMs: 86_400_000 }), 60_000)
  t.equal(restartGraceMs({ graceMs: 0, periodMs: 30_000 }), 30_000)
  t.equal(restartGraceMs({ graceMs: 600_000, periodMs: 30_000 }), 600_000)
})

t.test('whatever happens, the deadline lies a period and a grace after the last happening', async (t) => {
  const happening = fc.record({ afterMs: fc.integer({ min: 0, max: 500_000 }), ping: fc.boolean() })
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 50 }), (happenings) => {
      let timer = pinged
      let now = start
      for (const { afterMs, ping } of happenings) {
        now += afterMs
        timer = ping ? receivePing(timer, now).timer : raiseAlarm(timer, now)
        if (timer.deadlineAt !== now + 90_000 || timer.expectedAt !== now + 60_000) return false
        if (timer.state !== (ping ? 'running' : 'failing')) return false
      }
      return true
    }),
  )
  t.pass('no counterexample')
})
