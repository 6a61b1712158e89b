import t from 'tap'
import { slotIdOf } from '../../protocol/slot-id.ts'
import { fc } from '../support/fast-check.ts'

const slot = { checkId: 'c', location: 'l', dueAt: 1_790_000_000_000, attempt: 1 }

t.test('is a UUID of version 8 that says nothing but when', (t) => {
  t.match(slotIdOf(slot), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  t.equal(Number.parseInt(slotIdOf(slot).replaceAll('-', '').slice(0, 12), 16), slot.dueAt)
  t.equal(slotIdOf(slot), slotIdOf({ ...slot }), 'whoever derives it')
  t.end()
})

t.test('differs with each of its parts, and grows with the due time', (t) => {
  const others = [{ checkId: 'd' }, { location: 'm' }, { dueAt: slot.dueAt + 1 }, { attempt: 2 }]
  const ids = others.map((other) => slotIdOf({ ...slot, ...other }))
  t.equal(new Set([slotIdOf(slot), ...ids]).size, 5)
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.nat(2 ** 40), (a, b) => {
      const [first, second] = [a, b].map((dueAt) => slotIdOf({ ...slot, dueAt }))
      return a === b || a < b === (first as string) < (second as string)
    }),
  )
  t.end()
})
