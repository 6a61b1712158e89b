import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openJournal } from '../../../agent/orders/journal.ts'
import type { KnownOfOrders } from '../../../agent/orders/journal-records.ts'
import { createOrderBook, type KeptOrder, readOrder } from '../../../agent/orders/order-book.ts'
import { recordingLog } from '../../support/agent-io.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { standingOrder } from '../../support/orders-plane.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const known: KnownOfOrders = {
  ...{ location: 'here', revision: 'r', askedAs: '[]', agents: ['a'], holdMs: 1 },
  ...{ secondOwnerAfterMs: null, heardAt: 1, clockAheadMs: 0 },
}

const variables = [{ key: 'TOKEN', value: 'a secret that nobody finds', secret: true }]

const order = (checkId: string, version = 1): KeptOrder => {
  const { job, ...rest } = standingOrder(checkId, 'http://127.0.0.1/', { version })
  return { ...rest, job: { ...job, variables }, certificate: null }
}

const setUp = (t: Test, dir = temporaryFolder(t)) => {
  const clock = fakeClock()
  const { log, lines } = recordingLog()
  const open = (apiKey = 'pl_1', agentId = 'agent') => {
    const book = createOrderBook()
    const journal = openJournal({
      ...{ dir, agentId, apiKey, io: { clock, log } },
      rest: () => [{ known }],
      entries: book.entries,
      has: book.has,
    })
    const put = (...orders: KeptOrder[]): void =>
      journal.write(orders.flatMap((one) => ({ put: book.put(one) ?? (t.fail() as never) })))
    const remove = (checkId: string): void => {
      book.remove(checkId)
      journal.write([{ remove: checkId }])
    }
    return { book, journal, put, remove }
  }
  const found = (apiKey?: string, agentId?: string): Record<string, number> | null => {
    const { journal, book } = open(apiKey, agentId)
    if (journal.leftBehind === null) return null
    for (const { text, variables } of journal.leftBehind.orders) book.putText(text, variables)
    return Object.fromEntries([...book.entries()].map((one) => [one.checkId, readOrder(one).version]))
  }
  const path = join(dir, 'standing-orders-agent.journal')
  return { dir, clock, lines, open, found, path }
}

t.test('orders are there after a restart, and after kill -9: changed, removed and whole', async (t) => {
  const { open, found, path } = setUp(t)
  const { journal, put, remove, book } = open()
  put(order('a'), order('b'))
  await journal.settled()
  put(order('b', 2), order('c'))
  remove('a')
  t.same(found(), { b: 2, c: 1 }, 'without a word of goodbye')
  t.strictSame(open().journal.leftBehind?.known, known)
  t.same(readOrder(book.get('c') ?? (t.fail() as never)).job.variables, variables)
  t.notOk(readFileSync(path).includes('secret that nobody'), 'nobody reads it')
  t.notOk(readFileSync(path).includes('127.0.0.1'))
})

t.test('what a crash left half written is left out, whatever byte it got to', async (t) => {
  const { open, found, path, lines } = setUp(t)
  const { journal, put } = open()
  put(order('a'))
  await journal.settled()
  const before = readFileSync(path).length
  put(order('b'))
  const whole = readFileSync(path)
  for (let length = before; length < whole.length; length += 7) {
    writeFileSync(path, whole.subarray(0, length))
    t.same(found(), { a: 1 })
  }
  const damaged = Buffer.from(whole)
  damaged.writeUInt8(damaged.readUInt8(before + 10) ^ 1, before + 10)
  writeFileSync(path, damaged)
  t.same(found(), { a: 1 }, 'and one whose bytes are others')
  t.ok(lines.some((line) => line.includes('damaged at its end')))
})

t.test('with another key, or for another agent, nothing can be read', async (t) => {
  const { open, found, lines, path, dir } = setUp(t)
  const { journal, put } = open()
  put(order('a'))
  await journal.settled()
  const whole = readFileSync(path)
  t.equal(found('pl_2'), null)
  t.ok(lines.some((line) => line.includes('another API_KEY')))
  t.same(readdirSync(dir), [], 'and it is gone')
  writeFileSync(join(dir, 'standing-orders-other.journal'), whole)
  t.equal(found('pl_1', 'other'), null)
})

t.test('changes while a file is written anew are in it, and it does not grow for ever', async (t) => {
  const { open, found, path } = setUp(t)
  const { journal, put, remove } = open()
  const ids = Array.from({ length: 350 }, (_, index) => `c${index}`)
  put(...ids.map((id) => order(id)))
  // The first hundred are written; these come before their turn, and after it.
  put(order('c0', 2), order('c349', 2))
  remove('c348')
  await journal.settled()
  const expected = Object.fromEntries(ids.map((id) => [id, 1]))
  delete expected['c348']
  t.same(found(), { ...expected, c0: 2, c349: 2 })
  const first = readFileSync(path).length
  for (let round = 0; round < 30; round += 1) {
    put(...ids.map((id) => order(id, round)))
    await journal.settled()
  }
  t.ok(readFileSync(path).length < 3 * first + 2_000_000, `${readFileSync(path).length} bytes`)
  t.same(found()?.['c7'], 29)
})

t.test(
  'a disk that fails is said, keeps nothing from going on, and gets everything when it works again',
  async (t) => {
    const parent = temporaryFolder(t)
    const { open, found, lines, clock, dir } = setUp(t, join(parent, 'spool'))
    // In the place of the folder there is a file: no user may make a folder of it.
    writeFileSync(dir, '')
    const { journal, put, book } = open()
    put(order('a'))
    await journal.settled()
    t.equal(lines.filter((line) => line.includes('are in memory, and a restart ends them')).length, 1)
    rmSync(dir)
    mkdirSync(dir)
    put(order('b'))
    await journal.settled()
    t.same(readdirSync(dir), [], 'it is not tried at each change')
    clock.advance(60_000)
    put(order('c'))
    await journal.settled()
    t.same(found(), { a: 1, b: 1, c: 1 })
    t.equal(book.size(), 3)
    chmodSync(dir, 0o700)
  },
)

t.test('a full disk tears a record, and what comes later is not written behind it', async (t) => {
  const { open, found, lines, clock } = setUp(t)
  const { journal, put } = open()
  put(order('a'))
  await journal.settled()
  // As the kernel does it: the file is closed under the journal, and each write fails.
  const broken = (await import('node:fs')).default
  const { writeSync } = broken
  broken.writeSync = ((...args: Parameters<typeof writeSync>) => {
    writeSync(args[0], (args[1] as unknown as Buffer).subarray(0, 10) as never)
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }) as never
  const { syncBuiltinESMExports } = await import('node:module')
  syncBuiltinESMExports()
  t.teardown(() => {
    broken.writeSync = writeSync
    syncBuiltinESMExports()
  })
  put(order('b'))
  broken.writeSync = writeSync
  syncBuiltinESMExports()
  t.ok(lines.some((line) => line.includes('the disk is full')))
  t.same(found(), { a: 1 })
  clock.advance(60_000)
  put(order('c'))
  await journal.settled()
  t.same(found(), { a: 1, b: 1, c: 1 })
})

t.test('what has ended is gone from the disk, also while it is being written', async (t) => {
  const { open, dir } = setUp(t)
  const { journal, put, book } = open()
  put(...Array.from({ length: 350 }, (_, index) => order(`c${index}`)))
  book.clear()
  journal.clear()
  await journal.settled()
  t.same(readdirSync(dir), [])
})
