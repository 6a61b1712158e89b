import t from 'tap'
import { type Loop, runLoops } from '../../../../control-plane/platform/clock/run-loops.ts'
import { testApp } from '../../../support/app.ts'
import { fakeClock } from '../../../support/fake-clock.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

t.test('a loop never overlaps itself, goes on after an error, and ends with the signal', async (t) => {
  const { app, logged } = await testApp(t)
  const clock = fakeClock()
  const stop = new AbortController()
  const ticks: number[] = []
  let finishTick = () => {}
  const slow: Loop = {
    name: 'slow',
    intervalMs: 1000,
    tick: () => {
      ticks.push(clock.monotonic())
      return new Promise((resolve) => {
        finishTick = resolve
      })
    },
  }
  let failures = 0
  const failing: Loop = {
    name: 'failing',
    intervalMs: 1000,
    tick: () => Promise.reject(new Error(`failure ${++failures}`)),
  }
  const running = runLoops({ ...app, clock }, [slow, failing], stop.signal)
  await settle()
  clock.advance(5000)
  await settle()
  t.strictSame(ticks, [0], 'the first tick has not ended')
  t.equal(failures, 2, 'the other loop does not wait for it')
  finishTick()
  await settle()
  clock.advance(1000)
  await settle()
  t.strictSame(ticks, [0, 6000])
  t.match(logged[0], { loop: 'failing', err: { message: 'failure 1' } })
  stop.abort()
  finishTick()
  await running
  t.equal(clock.timers(), 0)
})
