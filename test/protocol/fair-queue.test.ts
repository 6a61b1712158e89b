import t from 'tap'
import { createFairQueue } from '../../protocol/fair-queue.ts'

const queueOf = (limits: { max?: number; maxBytes?: number } = {}) => {
  const clock = { now: 0 }
  const queue = createFairQueue<{ key: string; bytes: number }>({
    max: 10,
    maxBytes: 1000,
    monotonic: () => clock.now,
    ...limits,
  })
  return { queue, clock }
}

t.test('who has used least of late is the next, and of one key the one that came first', async (t) => {
  const { queue, clock } = queueOf()
  queue.charge('heavy', 4000)
  queue.charge('light', 10)
  for (const key of ['heavy', 'light', 'new', 'new']) queue.add({ key, bytes: 1 })
  t.same(
    [1, 2, 3, 4, 5].map(() => queue.next()?.key),
    ['new', 'new', 'light', 'heavy', undefined],
  )
  clock.now = 600_000
  queue.charge('light', 10)
  for (const key of ['light', 'heavy']) queue.add({ key, bytes: 1 })
  t.equal(queue.next()?.key, 'heavy', 'what was used ten minutes ago hardly counts')
})

t.test('who may not be the next is passed over and stays', async (t) => {
  const { queue } = queueOf()
  queue.add({ key: 'a', bytes: 1 })
  queue.add({ key: 'b', bytes: 1 })
  t.equal(queue.next((key) => key !== 'a')?.key, 'b')
  t.equal(
    queue.next((key) => key !== 'a'),
    null,
  )
  t.equal(queue.next()?.key, 'a')
})

t.test('without room, who has used most goes, and of those who have used nothing the largest', async (t) => {
  const { queue } = queueOf({ maxBytes: 100 })
  queue.charge('heavy', 4000)
  t.same(queue.add({ key: 'heavy', bytes: 10 }), [])
  t.same(queue.add({ key: 'a', bytes: 60 }), [])
  t.same(queue.add({ key: 'b', bytes: 35 }), [{ key: 'heavy', bytes: 10 }])
  t.same(queue.add({ key: 'c', bytes: 50 }), [{ key: 'a', bytes: 60 }])
  t.same(queue.add({ key: 'd', bytes: 101 }), [{ key: 'd', bytes: 101 }], 'also the one that has just come')
  const few = queueOf({ max: 1 }).queue
  t.same(few.add({ key: 'a', bytes: 1 }), [])
  t.equal(few.add({ key: 'b', bytes: 1 }).length, 1)
})

t.test('what is taken out is gone, and so are its bytes', async (t) => {
  const { queue } = queueOf({ maxBytes: 100 })
  const one = { key: 'a', bytes: 90 }
  queue.add(one)
  queue.remove(one)
  queue.remove(one)
  t.same(queue.add({ key: 'b', bytes: 100 }), [])
})

t.test('keys that have used the same take turns', async (t) => {
  const { queue } = queueOf()
  const add = (...keys: string[]): void => {
    for (const key of keys) queue.add({ key, bytes: 1 })
  }
  add('a', 'a', 'a', 'b', 'c')
  const next = () => queue.next()?.key
  t.same([next(), next()], ['a', 'b'])
  add('b', 'd')
  t.same([queue.waiting('a'), queue.waiting('d'), queue.waiting('e'), queue.size()], [2, 1, 0, 5])
  t.same([next(), next(), next(), next(), next(), next()], ['c', 'a', 'b', 'd', 'a', undefined])
})
