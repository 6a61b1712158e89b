import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { hasRoom, idleTurns } from './idle-machine.ts'

const gigabyte = 1024 ** 3
const before = { idleMs: 50_000, processors: 2, atMs: 10_000, freeBytes: 8 * gigabyte }
const afterTwoSeconds = { ...before, atMs: 12_000 }

t.test('a file begins beside others where a fifth of all processors has been idle', async (t) => {
  t.equal(hasRoom(before, { ...afterTwoSeconds, idleMs: 50_800 }), true)
  t.equal(hasRoom(before, { ...afterTwoSeconds, idleMs: 50_790 }), false)
  t.equal(hasRoom(before, afterTwoSeconds), false, 'busy, whoever it is with')
  t.equal(
    hasRoom(before, { ...afterTwoSeconds, processors: 8, idleMs: 50_800 }),
    false,
    'a fifth of eight is more',
  )
})

t.test('and where memory is left for it', async (t) => {
  const idle = { ...afterTwoSeconds, idleMs: 54_000 }
  t.equal(hasRoom(before, idle), true)
  t.equal(hasRoom(before, { ...idle, freeBytes: gigabyte }), false)
})

t.test('turns come one after the other, and end with the run', async (t) => {
  const waits: (() => void)[] = []
  const state = { isOver: false }
  const turn = idleTurns(
    () => state.isOver,
    () => new Promise((resolve) => waits.push(resolve)),
  )
  const turns = [turn(), turn(), turn()]
  await setImmediate()
  t.equal(waits.length, 1, 'the others wait for the first')
  state.isOver = true
  waits[0]?.()
  await Promise.all(turns)
  t.equal(waits.length, 1, 'nobody waits for a run that is over')
})
