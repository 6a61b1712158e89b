import t from 'tap'
import { ThreadOverrunError } from '../../../../control-plane/alerting/templates/thread.ts'
import { createThreadPool, QueueFullError } from '../../../../control-plane/alerting/templates/thread-pool.ts'
import { until } from '../../../support/until.ts'

type Task = { act: string; text: string }

const limits = { cpuMs: 300, wallMs: 60_000, memoryMb: 32 }
const poolOf = (more: { maxThreads?: number; idleMs?: number; cpuMs?: number; wallMs?: number } = {}) =>
  createThreadPool<Task, unknown>({
    program: new URL('../../../support/thread-program.ts', import.meta.url),
    maxThreads: 1,
    idleMs: 60_000,
    ...limits,
    ...more,
  })
const answer = (text: string): Task => ({ act: 'answer', text })
const key = { key: 'a' }

t.test('tasks are answered, by as many threads as there may be', async (t) => {
  const pool = poolOf({ maxThreads: 2 })
  t.equal(pool.size(), 0)
  const texts = Array.from({ length: 20 }, (_, count) => String(count))
  t.strictSame(await Promise.all(texts.map((text) => pool.run(answer(text), key))), texts)
  t.equal(pool.size(), 2)
  t.equal(await pool.run({ act: 'environment', text: '' }, key), 0, 'nothing of our environment')
})

t.test('a task without end is ended by processor time, and those behind it are done', async (t) => {
  const pool = poolOf()
  const spinning = pool.run({ act: 'spin', text: '' }, key)
  const behind = pool.run(answer('behind'), { key: 'b' })
  await t.rejects(spinning, { name: 'ThreadOverrunError', message: 'too much processor time' })
  t.equal(await behind, 'behind')
})

t.test('it is ended by the time that passes where its processor time is not known', async (t) => {
  const pool = poolOf({ cpuMs: Number.POSITIVE_INFINITY, wallMs: 300 })
  await t.rejects(pool.run({ act: 'spin', text: '' }, key), { message: 'too much time' })
})

t.test('one that takes all memory ends alone', async (t) => {
  const pool = poolOf({ cpuMs: 60_000 })
  await t.rejects(pool.run({ act: 'hoard', text: '' }, key), ThreadOverrunError)
  t.equal(await pool.run(answer('next'), key), 'next')
})

t.test('what a thread throws is thrown, and the next task has a new one', async (t) => {
  const pool = poolOf()
  await t.rejects(pool.run({ act: 'throw', text: 'its own' }, key), { message: 'its own' })
  t.equal(await pool.run(answer('next'), key), 'next')
})

t.test('keys take turns, and one key may not wait for ever more', async (t) => {
  const pool = poolOf()
  const done: string[] = []
  const run = (text: string, ofKey: string) =>
    pool.run(answer(text), { key: ofKey, maxWaiting: 3 }).then(() => done.push(text))
  const running = [
    run('a0', 'a'),
    run('a1', 'a'),
    run('a2', 'a'),
    run('a3', 'a'),
    run('b1', 'b'),
    run('c1', 'c'),
  ]
  await t.rejects(run('a4', 'a'), QueueFullError)
  await Promise.all(running)
  t.strictSame(done, ['a0', 'a1', 'b1', 'c1', 'a2', 'a3'])
})

t.test('a thread that has nothing to do ends', async (t) => {
  const pool = poolOf({ idleMs: 50 })
  await pool.run(answer('once'), key)
  await until('it has ended', () => pool.size() === 0)
  t.equal(await pool.run(answer('again'), key), 'again')
})
