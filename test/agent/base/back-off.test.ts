import t from 'tap'
import { backOffMs, createBackOff } from '../../../agent/base/back-off.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fc } from '../../support/fast-check.ts'

t.test('it doubles from half a second to half a minute', async (t) => {
  t.same(
    [1, 2, 3, 7, 100].map((failures) => backOffMs(failures, 1)),
    [500, 1000, 2000, 30_000, 30_000],
  )
})

t.test('it always waits, at least half of the step and never more', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, random) => {
        const wait = backOffMs(failures, random)
        const most = backOffMs(failures, 1)
        return wait >= most / 2 && wait <= most && most <= 30_000
      },
    ),
  )
})

const setUp = () => {
  const clock = fakeClock()
  const stop = new AbortController()
  const backOff = createBackOff({ clock, random: () => 1 })
  /** How long the next wait lasts, with a wake after `wakeAtMs`. */
  const waited = async (retryAfterMs = 0, wakeAtMs = Number.POSITIVE_INFINITY): Promise<number> => {
    const from = clock.monotonic()
    let over = false
    const wait = backOff.wait(retryAfterMs, stop.signal).then(() => {
      over = true
    })
    for (let ms = 0; !over; ms += 100) {
      if (ms === wakeAtMs) backOff.wake()
      await new Promise((resolve) => setImmediate(resolve))
      if (!over) clock.advance(100)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await wait
    return clock.monotonic() - from
  }
  return { backOff, waited, stop }
}

t.test('failures in a row wait longer and longer, until one try gets somewhere', async (t) => {
  const { backOff, waited } = setUp()
  t.same([await waited(), await waited(), await waited(5000)], [500, 1000, 5000])
  backOff.reset()
  t.equal(await waited(), 500)
})

t.test('who is woken tries within a second, and begins anew', async (t) => {
  const { backOff, waited } = setUp()
  for (let failure = 0; failure < 6; failure += 1) await waited()
  t.equal(await waited(0, 2000), 3000, 'not after half a minute')
  t.equal(await waited(), 500)
  t.equal(await waited(4000, 1000), 4000, 'no sooner than the other side asks for')
  for (let failure = 0; failure < 6; failure += 1) await waited()
  backOff.wake()
  t.equal(await waited(), 1000, 'also who was trying in that moment')
})

t.test('a wait is over at once when all ends', async (t) => {
  const { waited, stop } = setUp()
  stop.abort()
  t.equal(await waited(60_000), 0)
})
