import t from 'tap'
import { createDownloadThrottle } from '../../../../agent/net/http/download-throttle.ts'
import { fakeClock } from '../../../support/fake-clock.ts'
import { fc } from '../../../support/fast-check.ts'

const readBytes = 64 * 1024
const mb = 1024 * 1024

/** Bodies that bring a read's worth whenever they may, the connection's events being a millisecond apart. */
const pouring = (sizes: readonly number[]) => {
  const clock = fakeClock()
  const bodies = createDownloadThrottle(clock)
  const ended: number[] = []
  const came = sizes.map(() => 0)
  const readers = sizes.map((size, index) => {
    let mayRead = true
    const body = bodies.open(() => {
      mayRead = true
    })
    return () => {
      if (!mayRead || ended.includes(index)) return
      came[index] = (came[index] ?? 0) + readBytes
      if ((came[index] ?? 0) >= size) {
        ended.push(index)
        body.leave()
      } else mayRead = body.took(readBytes)
    }
  })
  const passMs = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 1) {
      for (const read of readers) read()
      clock.advance(1)
    }
  }
  return { clock, passMs, ended, came: () => came.reduce((sum, bytes) => sum + bytes, 0) }
}

t.test('a hundred that pour at once take no more than the budget, the oldest first', async (t) => {
  const { passMs, ended, came } = pouring(Array.from({ length: 100 }, () => 10 * mb))
  passMs(1000)
  // A megabyte and a read for each at the start, then 300 KB a millisecond.
  t.ok(came() <= 300 * 1024 * 1000 + mb + 200 * readBytes, `${came()} bytes`)
  t.ok(came() >= 0.9 * 300 * 1024 * 1000, 'and all of that')
  t.ok(ended.length >= 20)
  t.same(
    ended,
    ended.toSorted((a, b) => a - b),
  )
})

t.test('one alone is read as fast as it comes', async (t) => {
  const { passMs, ended } = pouring([20 * mb])
  passMs(20 * 16)
  t.same(ended, [0])
})

t.test('every body ends, whatever the others are', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5 * mb }), { maxLength: 20 }), (sizes) => {
      const { clock, passMs, ended } = pouring(sizes)
      passMs(500)
      return ended.length === sizes.length && clock.timers() === 0
    }),
    { numRuns: 30 },
  )
})
