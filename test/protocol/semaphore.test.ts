import t from 'tap'
import { createSemaphore, withPermit } from '../../protocol/semaphore.ts'

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve))

/** Asks for it, and notes the name when it has come. */
const asker = (semaphore: ReturnType<typeof createSemaphore>) => {
  const begun: string[] = []
  const releases = new Map<string, () => void>()
  const ask = async (
    name: string,
    wanted: Parameters<typeof semaphore.acquire>[0] = {},
  ): Promise<boolean> => {
    const release = await semaphore.acquire(wanted)
    if (release === null) return false
    begun.push(name)
    releases.set(name, release)
    return true
  }
  const leave = async (name: string): Promise<void> => {
    releases.get(name)?.()
    await turnOfTheLoop()
  }
  return { begun, ask, leave }
}

t.test('no more than so many at once, the others in their order', async (t) => {
  const { begun, ask, leave } = asker(createSemaphore({ total: 2 }))
  for (const name of ['a', 'b', 'c', 'd']) ask(name)
  await turnOfTheLoop()
  t.same(begun, ['a', 'b'])
  await leave('a')
  t.same(begun, ['a', 'b', 'c'])
  await leave('a')
  t.same(begun, ['a', 'b', 'c'], 'what was given back is given back once')
  await leave('b')
  t.same(begun, ['a', 'b', 'c', 'd'])
})

t.test('nobody overtakes those who wait, however little they want', async (t) => {
  const semaphore = createSemaphore({ total: 10 })
  const { begun, ask, leave } = asker(semaphore)
  ask('most', { units: 8 })
  ask('large', { units: 9 })
  ask('small', { units: 1 })
  await turnOfTheLoop()
  t.same(begun, ['most'])
  t.equal(semaphore.tryAcquire(1), null, 'nor does who does not wait')
  await leave('most')
  t.same(begun, ['most', 'large', 'small'])
  await leave('large')
  await leave('small')
  t.ok(await ask('more than there is', { units: 1000 }), 'is all of it')
  t.equal(semaphore.tryAcquire(1), null)
  await leave('more than there is')
  t.ok(semaphore.tryAcquire(10), 'and all of it comes back')
  t.equal(semaphore.tryAcquire(1), null)
})

t.test('who gives up while waiting takes nothing, and lets others pass', async (t) => {
  const semaphore = createSemaphore({ total: 10 })
  const { begun, ask, leave } = asker(semaphore)
  t.notOk(await ask('late', { signal: AbortSignal.abort() }))
  await ask('first', { units: 5 })
  const impatient = new AbortController()
  const large = ask('large', { units: 8, signal: impatient.signal })
  const small = ask('small', { units: 5 })
  impatient.abort()
  t.notOk(await large)
  t.ok(await small)
  t.same(begun, ['first', 'small'])
  await leave('first')
  await leave('small')
  t.ok(await ask('all', { units: 10 }))
})

t.test('of one owner few are inside, of all a few more, and the others come in order', async (t) => {
  const { begun, ask, leave } = asker(createSemaphore({ total: 2, ofOneOwner: 1, waitingOfOneOwner: 1 }))
  await ask('a1', { owner: 'a' })
  ask('a2', { owner: 'a' })
  t.notOk(await ask('a3', { owner: 'a' }), 'no more of one owner wait')
  t.ok(await ask('b1', { owner: 'b' }), 'another owner has a permit, though one waits')
  ask('c1', { owner: 'c' })
  await leave('a1')
  t.same(begun, ['a1', 'b1', 'a2'])
  await leave('b1')
  t.same(begun, ['a1', 'b1', 'a2', 'c1'])
  await leave('a2')
  await leave('c1')
  t.ok(await ask('a4', { owner: 'a' }), 'all have left')
})

t.test('work that fails gives its permit on', async (t) => {
  const semaphore = createSemaphore({ total: 1 })
  const failed = withPermit(semaphore, () => Promise.reject(new Error('no disk')))
  const next = withPermit(semaphore, async () => 'done')
  await t.rejects(failed, { message: 'no disk' })
  t.equal(await next, 'done')
  t.equal(await withPermit(semaphore, async () => 'again'), 'again')
})
