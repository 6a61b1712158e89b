import t from 'tap'
import { watchLoops } from '../../../../../control-plane/platform/services/clock/loop-watch.ts'
import { type Loop, runLoops } from '../../../../../control-plane/platform/services/clock/run-loops.ts'
import { testApp } from '../../../../support/app.ts'
import { fakeClock } from '../../../../support/fake-clock.ts'

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

t.test('a loop that stands still is said, turns readiness, and turns it back when it goes on', async (t) => {
  const clock = fakeClock()
  const { app, call, logged } = await testApp(t, { parts: { clock } })
  const stop = new AbortController()
  let goOn = () => {}
  let asked = false
  const hanging: Loop = {
    name: 'hanging',
    intervalMs: 1000,
    tick: (_, signal) => {
      signal.addEventListener('abort', () => {
        asked = true
      })
      return new Promise((resolve) => {
        goOn = resolve
      })
    },
  }
  const away: Loop = {
    name: 'away',
    intervalMs: 1000,
    tick: () => Promise.reject(Object.assign(new Error('held'), { code: '55P03' })),
  }
  const defective: Loop = {
    name: 'defective',
    intervalMs: 1000,
    tick: () => Promise.reject(new TypeError('a fault of ours')),
  }
  const running = runLoops(app, [hanging, away, defective], stop.signal)
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1000)
      await settle()
    }
  }
  await pass(50)
  t.ok(asked, 'the tick is asked to come to its end')
  t.match(await call('GET', '/-/readiness'), { status: 200, body: { status: 'ready' } })
  await pass(15)
  t.match(await call('GET', '/-/readiness'), {
    status: 503,
    body: { status: 'stalled', loops: ['hanging', 'away'] },
  })
  watchLoops(app)
  const { text } = await call('GET', '/metrics')
  for (const line of ['loop="hanging"} 1', 'loop="away"} 1', 'loop="defective"} 0'])
    t.match(text, `\nwatchpost_loop_stalled{${line}\n`)
  await pass(60)
  const said = logged.filter(({ msg }) => String(msg).includes('stand still'))
  t.match(said[0], { level: 50, loops: ['hanging', 'away'] })
  t.ok(said.length <= 3, 'now and then')
  goOn()
  await settle()
  t.match((await call('GET', '/-/readiness')).body, { loops: ['away'] })
  stop.abort()
  goOn()
  await running
  t.match(await call('GET', '/-/readiness'), { status: 200 })
  t.equal(clock.timers(), 0)
})
