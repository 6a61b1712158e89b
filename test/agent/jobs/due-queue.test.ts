import t from 'tap'
import { createDueQueue } from '../../../agent/jobs/due-queue.ts'
import { fc } from '../../support/fast-check.ts'

t.test('it gives what is due, the earliest first, and keeps the rest', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 100 })), fc.nat({ max: 100 }), (times, now) => {
      const queue = createDueQueue<number>()
      for (const time of times) queue.add(time, time)
      const due = queue.take(now)
      t.same(
        due,
        times.filter((time) => time <= now).sort((a, b) => a - b),
      )
      const rest = times.filter((time) => time > now).sort((a, b) => a - b)
      t.equal(queue.next(), rest[0] ?? null)
      t.equal(queue.size(), rest.length)
      t.same(queue.take(1000), rest)
    }),
    { numRuns: 50 },
  )
})

t.test('what is due together comes in the order of its coming', async (t) => {
  const queue = createDueQueue<number>()
  const items = Array.from({ length: 50 }, (_, index) => index)
  for (const item of items) queue.add(7, item)
  t.same(queue.take(7), items)
})
