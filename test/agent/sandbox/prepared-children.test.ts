import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { createPreparedChildren } from '../../../agent/sandbox/prepared-children.ts'
import type { ScriptChild, Shape } from '../../../agent/sandbox/start-child.ts'
import type { PreparedBounds } from '../../../agent/sandbox/waiting-child.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'

const plain: Shape = { modules: null, hasProxy: false }
const withModules: Shape = { modules: '/modules', hasProxy: false }
const proxied: Shape = { modules: null, hasProxy: true }

/** Processes that wait for their input's end, numbered in the order of their start. */
const room = (t: Test, max: number, bounds?: PreparedBounds) => {
  const clock = fakeClock()
  const children: { process: ChildProcess; shape: Shape; ended: boolean; removed: boolean }[] = []
  const problems: string[] = []
  const faults: Error[] = []
  const start = async (shape: Shape): Promise<ScriptChild> => {
    const fault = faults.shift()
    if (fault !== undefined) throw fault
    const process = spawn('/bin/cat', [], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] })
    const one = { process, shape, ended: false, removed: false }
    children.push(one)
    t.teardown(() => process.kill('SIGKILL'))
    await once(process, 'spawn')
    return {
      process,
      folder: { path: '/none', writable: '/none', inside: '/none', volume: null },
      owner: null,
      group: null,
      egressProxy: { port: 1, serve: () => undefined, close: async () => undefined },
      end: async () => {
        one.ended = true
        process.kill('SIGKILL')
      },
      remove: async () => {
        one.removed = true
      },
    }
  }
  const prepared = createPreparedChildren({
    start,
    max,
    clock,
    ...(bounds === undefined ? {} : { bounds }),
    onError: ({ message }) => problems.push(message),
  })
  const numberOf = (child: ScriptChild): number =>
    children.findIndex(({ process }) => process === child.process)
  const gone = (): number[] =>
    children.flatMap(({ ended, removed }, index) => (ended && removed ? [index] : []))
  return { clock, prepared, children, problems, faults, numberOf, gone }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

t.test('a child is prepared for the kind that ran, used once, and the next one prepared', async (t) => {
  const { prepared, children, numberOf, gone } = room(t, 2)
  t.equal(numberOf(await prepared.take(plain)), 0, 'the first script starts its own')
  await until('the second', () => children.length === 2)
  await settled()
  t.equal(numberOf(await prepared.take(plain)), 1, 'it was waiting')
  await until('the third', () => children.length === 3)
  await prepared.close()
  t.same(gone(), [2], 'who waits ends; who was taken is somebody else’s')
})

t.test('nobody gets a child of another kind, and the oldest make room', async (t) => {
  const { prepared, children, numberOf, gone } = room(t, 1)
  await prepared.take(plain)
  await until('one that waits', () => children.length === 2)
  await settled()
  t.equal(numberOf(await prepared.take(withModules)), 2)
  await until('the first has made room', () => gone().includes(1))
  t.equal(numberOf(await prepared.take(proxied)), 4)
  await until('the second has made room', () => gone().includes(3))
  t.same(
    children.map(({ shape }) => shape),
    [plain, plain, withModules, withModules, proxied, proxied],
  )
  await prepared.close()
  t.same(gone(), [1, 3, 5])
})

t.test('one that waits for too long ends', async (t) => {
  const { prepared, children, clock, gone, numberOf } = room(t, 1)
  await prepared.take(plain)
  await until('one that waits', () => children.length === 2)
  await settled()
  clock.advance(5 * 60_000 - 1)
  t.same(gone(), [])
  clock.advance(1)
  await until('its end', () => gone().includes(1))
  t.equal(numberOf(await prepared.take(plain)), 2, 'the next script starts its own')
  await prepared.close()
})

t.test('one that has died while it waited is not handed out', async (t) => {
  const { prepared, children, numberOf, gone } = room(t, 1)
  await prepared.take(plain)
  await until('one that waits', () => children.length === 2)
  await settled()
  children[1]!.process.kill('SIGKILL')
  await until('its end', () => children[1]!.process.signalCode !== null)
  t.equal(numberOf(await prepared.take(plain)), 2)
  await prepared.close()
  t.ok(gone().includes(1), 'and what was its own is taken away')
})

t.test('one that cannot be prepared is nobody’s failure', async (t) => {
  const { prepared, children, problems, faults, numberOf } = room(t, 1)
  await prepared.take(plain)
  await until('one that waits', () => children.length === 2)
  await settled()
  faults.push(new Error('no memory'))
  t.equal(numberOf(await prepared.take(plain)), 1)
  await until('it is told', () => problems.length === 1)
  t.same(problems, ['no memory'])
  t.equal(numberOf(await prepared.take(plain)), 2)
  await prepared.close()
})

t.test('none is prepared where none may wait, and after the end', async (t) => {
  const none = room(t, 0)
  await none.prepared.take(plain)
  await none.prepared.close()
  t.equal(none.children.length, 1)
  const closed = room(t, 2)
  await closed.prepared.close()
  await closed.prepared.take(plain)
  await closed.prepared.close()
  t.equal(closed.children.length, 1)
})

t.test('one that dies while it waits is replaced, unless it dies at once', async (t) => {
  const { prepared, children, clock, problems, gone } = room(t, 1)
  await prepared.take(plain)
  await until('one that waits', () => children.length === 2)
  await settled()
  clock.advance(10_000)
  children[1]!.process.kill('SIGKILL')
  await until('another', () => children.length === 3)
  await until('the end of the first', () => gone().includes(1))
  await settled()
  t.same(problems, [])
  children[2]!.process.kill('SIGKILL')
  await until('it is told', () => problems.length === 1)
  await settled()
  t.equal(children.length, 3)
  await prepared.close()
})

const bounds = { idleMs: 60_000, maxAgeMs: 40_000, maxBytes: 2 ** 30, prepareAfterMs: 3000 }

t.test('none waits for longer than it may, as long as its kind comes', async (t) => {
  const { prepared, children, clock, gone } = room(t, 1, bounds)
  const child = await prepared.take(plain)
  await settled()
  t.equal(children.length, 1, 'not while the first runs')
  await child.end()
  await until('the next, at its end', () => children.length === 2)
  await settled()
  clock.advance(40_000)
  await until('another', () => children.length === 3)
  await until('the end of the old one', () => gone().includes(1))
  await settled()
  clock.advance(20_000)
  await until('the end of all', () => gone().includes(2))
  t.equal(children.length, 3, 'its kind has not come again')
  await prepared.close()
})

t.test('the next one is prepared also while a long run goes on, once', async (t) => {
  const { prepared, children, clock } = room(t, 2, bounds)
  const child = await prepared.take(plain)
  clock.advance(3000)
  await until('the next', () => children.length === 2)
  await child.end()
  await settled()
  t.equal(children.length, 2)
  await prepared.close()
})

t.test('one that holds too much is replaced', async (t) => {
  const { prepared, children, clock, gone } = room(t, 1, {
    ...bounds,
    idleMs: 1e9,
    maxAgeMs: 1e9,
    maxBytes: 1,
  })
  const child = await prepared.take(plain)
  await child.end()
  await until('one that waits', () => children.length === 2)
  await settled()
  clock.advance(60_000)
  await until('another', () => children.length === 3)
  await until('the end of the large one', () => gone().includes(1))
  await prepared.close()
})
