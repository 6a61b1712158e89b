import t from 'tap'
import { createLoopWatch, tickMs } from '../../protocol/loop-watch.ts'

/** A clock whose timers fire when the loop goes on: `stand` is a stall, `sleep` one of the whole machine. */
const clockThatStands = () => {
  let monotonic = 0
  let asleepMs = 0
  let timers: { dueAt: number; act: () => void }[] = []
  const fire = (): void => {
    const due = timers.filter(({ dueAt }) => dueAt <= monotonic)
    timers = timers.filter(({ dueAt }) => dueAt > monotonic)
    for (const { act } of due) act()
  }
  return {
    now: () => 1_700_000_000_000 + monotonic + asleepMs,
    monotonic: () => monotonic,
    at: (delayMs: number, act: () => void) => {
      const timer = { dueAt: monotonic + delayMs, act }
      timers.push(timer)
      return () => undefined
    },
    timers: () => timers.length,
    /** The loop goes round all the time. */
    pass: (ms: number): void => {
      for (let passed = 0; passed < ms; passed += 1) {
        monotonic += 1
        fire()
      }
    },
    /** It stands; what is due fires with `fire`. */
    stand: (ms: number): void => {
      monotonic += ms
    },
    fire,
    sleep: (ms: number): void => {
      asleepMs += ms
    },
  }
}

const setUp = () => {
  const clock = clockThatStands()
  const watch = createLoopWatch(clock)
  const stalls: number[] = []
  watch.onStall((stallMs) => stalls.push(stallMs))
  return { clock, watch, stalls }
}

t.test('a loop that goes round has not stood, however long it is watched', async (t) => {
  const { clock, watch, stalls } = setUp()
  const end = watch.begin()
  clock.pass(10_000)
  t.equal(end(), 0)
  t.same(stalls, [])
})

t.test('a stall is known for its length, and told once', async (t) => {
  const { clock, watch, stalls } = setUp()
  const end = watch.begin()
  clock.pass(105)
  clock.stand(500)
  clock.fire()
  clock.pass(100)
  const stoodMs = end()
  t.ok(stoodMs >= 500 && stoodMs <= 500 + tickMs, `${stoodMs} ms`)
  t.same(stalls, [stoodMs])
  t.equal(end(), stoodMs, 'it ends once')
})

t.test('whoever ends before the late tick is told of the stall all the same', async (t) => {
  const { clock, watch } = setUp()
  const end = watch.begin()
  clock.pass(50)
  clock.stand(300)
  const stoodMs = end()
  t.ok(stoodMs >= 300 - tickMs && stoodMs <= 300 + tickMs, `${stoodMs} ms`)
})

t.test('each is told of what stood while it watched, and of nothing else', async (t) => {
  const { clock, watch } = setUp()
  const all = watch.begin()
  clock.stand(1000)
  const inside = watch.begin()
  clock.stand(200)
  clock.fire()
  const after = watch.begin()
  clock.pass(100)
  t.equal(after(), 0)
  const part = inside()
  t.ok(part >= 200 && part <= 200 + tickMs, `${part} ms`)
  t.ok(all() >= 1200 - tickMs)
})

t.test('a machine that was asleep is one that stood', async (t) => {
  const { clock, watch, stalls } = setUp()
  const end = watch.begin()
  clock.pass(50)
  clock.sleep(60_000)
  clock.pass(50)
  t.ok(end() >= 60_000)
  t.ok((stalls[0] ?? 0) >= 60_000)
  const next = watch.begin()
  clock.pass(100)
  t.equal(next(), 0, 'it is over')
})

t.test('nothing ticks while nobody watches', async (t) => {
  const { clock, watch, stalls } = setUp()
  const ends = [watch.begin(), watch.begin()]
  clock.pass(100)
  t.equal(clock.timers(), 1, 'one timer for all')
  for (const end of ends) end()
  clock.pass(tickMs)
  t.equal(clock.timers(), 0)
  clock.stand(5000)
  const later = watch.begin()
  clock.pass(100)
  t.equal(later(), 0)
  t.same(stalls, [])
})
