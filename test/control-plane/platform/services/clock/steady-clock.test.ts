import t from 'tap'
import { createSteadyClock } from '../../../../../control-plane/platform/services/clock/steady-clock.ts'

const hour = 3_600_000

const setUp = () => {
  const state = { wall: 1_000_000_000, monotonic: 500 }
  const steady = createSteadyClock({ wall: () => state.wall, monotonic: () => state.monotonic })
  const pass = (ms: number): void => {
    state.wall += ms
    state.monotonic += ms
  }
  return { state, steady, pass }
}

t.test('it is the machine’s clock as long as nobody sets that', async (t) => {
  const { state, steady, pass } = setUp()
  for (let second = 0; second < 1000; second++) {
    pass(1000)
    t.equal(steady.now(), state.wall)
  }
  t.equal(steady.leapMs(), 0)
  t.equal(steady.behindMs(), 0)
})

t.test('a clock that was set back is waited for, a hundredth slower, and time never goes back', async (t) => {
  const { state, steady, pass } = setUp()
  const before = steady.now()
  state.wall -= hour
  t.equal(steady.now(), before)
  t.equal(steady.behindMs(), hour)
  let last = before
  for (let minute = 0; minute < 60; minute++) {
    pass(60_000)
    const now = steady.now()
    t.ok(now > last)
    last = now
  }
  t.equal(last, before + hour * 0.99)
  for (let hours = 0; hours < 99; hours++) {
    pass(hour)
    steady.now()
  }
  t.equal(steady.now(), state.wall, 'after a hundred hours they meet')
  pass(1000)
  t.equal(steady.now(), state.wall)
})

t.test('a leap forward waits to be followed', async (t) => {
  const { state, steady, pass } = setUp()
  const before = steady.now()
  state.wall += hour
  t.equal(steady.now(), before)
  pass(1000)
  t.equal(steady.now(), before + 1000, 'time goes on meanwhile')
  t.equal(steady.leapMs(), hour)
  steady.catchUp()
  t.equal(steady.now(), state.wall)
  t.equal(steady.leapMs(), 0)
})

t.test('a leap that is taken back has not been one', async (t) => {
  const { state, steady, pass } = setUp()
  state.wall += hour
  t.equal(steady.leapMs(), hour)
  state.wall -= hour
  pass(1000)
  t.equal(steady.leapMs(), 0)
  t.equal(steady.now(), state.wall)
})

t.test('small steps forward are followed at once, small steps back are smoothed', async (t) => {
  const { state, steady, pass } = setUp()
  state.wall += 500
  t.equal(steady.now(), state.wall)
  state.wall -= 500
  t.equal(steady.now(), state.wall + 500)
  for (let second = 0; second < 60; second++) {
    pass(1000)
    t.ok(Math.abs(steady.now() - state.wall) <= 500)
  }
  t.equal(steady.now(), state.wall)
})

t.test('it goes on from where it has been already', async (t) => {
  const { state, steady } = setUp()
  steady.notBefore(state.wall - hour)
  t.equal(steady.now(), state.wall)
  steady.notBefore(state.wall + hour)
  t.equal(steady.now(), state.wall + hour)
})
