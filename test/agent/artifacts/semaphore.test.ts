import t from 'tap'
import { createTurns } from '../../../agent/artifacts/semaphore.ts'

/** Works that end when they are told to. */
const held = () => {
  const ends: (() => void)[] = []
  const begun: number[] = []
  const work = (index: number) => (): Promise<number> =>
    new Promise((resolve) => {
      begun.push(index)
      ends[index] = () => resolve(index)
    })
  return { work, begun, end: (index: number) => ends[index]?.() }
}

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve))

t.test('no more than so many at once, the others in their order', async (t) => {
  const inTurns = createTurns(2)
  const { work, begun, end } = held()
  const all = [0, 1, 2, 3].map((index) => inTurns(work(index)))
  await turnOfTheLoop()
  t.same(begun, [0, 1])
  end(1)
  await turnOfTheLoop()
  t.same(begun, [0, 1, 2])
  end(0)
  end(2)
  await turnOfTheLoop()
  t.same(begun, [0, 1, 2, 3])
  end(3)
  t.same(await Promise.all(all), [0, 1, 2, 3])
})

t.test('work that fails gives its turn on', async (t) => {
  const inTurns = createTurns(1)
  const failed = inTurns(() => Promise.reject(new Error('no disk')))
  const next = inTurns(async () => 'done')
  await t.rejects(failed, { message: 'no disk' })
  t.equal(await next, 'done')
  t.equal(await inTurns(async () => 'again'), 'again')
})
