import t from 'tap'
import { createSemaphore, withPermit } from '../../../agent/base/semaphore.ts'

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve))

t.test('no more than so many at once, the others in their order', async (t) => {
  const semaphore = createSemaphore(2)
  const begun: number[] = []
  for (const index of [0, 1, 2, 3]) semaphore.acquire().then(() => begun.push(index))
  await turnOfTheLoop()
  t.same(begun, [0, 1])
  semaphore.release()
  await turnOfTheLoop()
  t.same(begun, [0, 1, 2])
  semaphore.release()
  semaphore.release()
  await turnOfTheLoop()
  t.same(begun, [0, 1, 2, 3])
})

t.test('nobody overtakes those who wait', async (t) => {
  const semaphore = createSemaphore(1)
  await semaphore.acquire()
  const begun: string[] = []
  semaphore.acquire().then(() => begun.push('first'))
  semaphore.release()
  semaphore.acquire().then(() => begun.push('second'))
  await turnOfTheLoop()
  t.same(begun, ['first'])
})

t.test('who gives up while waiting takes no permit', async (t) => {
  const semaphore = createSemaphore(1)
  t.equal(await semaphore.acquire(AbortSignal.abort()), false)
  t.equal(await semaphore.acquire(), true)
  const impatient = new AbortController()
  const gaveUp = semaphore.acquire(impatient.signal)
  const patient = semaphore.acquire()
  impatient.abort()
  t.equal(await gaveUp, false)
  semaphore.release()
  t.equal(await patient, true)
  semaphore.release()
  t.equal(await semaphore.acquire(), true, 'its permit came back')
})

t.test('work that fails gives its permit on', async (t) => {
  const semaphore = createSemaphore(1)
  const failed = withPermit(semaphore, () => Promise.reject(new Error('no disk')))
  const next = withPermit(semaphore, async () => 'done')
  await t.rejects(failed, { message: 'no disk' })
  t.equal(await next, 'done')
  t.equal(await withPermit(semaphore, async () => 'again'), 'again')
})
